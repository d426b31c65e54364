"""Cycle model of the node interface: a twin of every unit."""
