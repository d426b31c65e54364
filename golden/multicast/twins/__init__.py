"""Cycle twins of the units of the multicast router."""
