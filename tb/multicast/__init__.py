"""Testbenches of the units of the multicast router."""
