"""Addresses and faults of the hypercube."""
