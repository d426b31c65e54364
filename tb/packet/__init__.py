"""Testbenches of the packet router's units."""
