"""Twins of the join unit, its parts, and the router and network with it."""
