"""Testbenches of the network adapter."""
