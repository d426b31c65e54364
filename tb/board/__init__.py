"""Testbenches of the units of the board system."""
