"""Testbenches of the shared units, and what several testbenches draw from."""
