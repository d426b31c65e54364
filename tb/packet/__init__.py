"""Benches of the packet router's units."""
