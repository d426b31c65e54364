"""Cycle model of the network adapter: a twin of every unit."""
