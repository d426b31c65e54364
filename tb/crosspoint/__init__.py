"""Testbenches of the units of the crosspoint router."""
