"""Benches of the collectives: one per unit."""
