"""Cycle twins of the units of a node with collectives."""
