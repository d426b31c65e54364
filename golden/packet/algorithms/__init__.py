"""Routing and row allocation of the packet router, without time."""
