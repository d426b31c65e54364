"""Testbenches of the node interface."""
