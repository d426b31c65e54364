"""Cycle twins of the units that several systems share, and the types of their ports."""
