"""Testbenches of the collectives: one per unit."""
