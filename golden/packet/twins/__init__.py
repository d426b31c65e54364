"""Cycle twins of the units of the packet router."""
