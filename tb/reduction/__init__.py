"""Testbenches of the join unit, and of the router and network with it."""
