"""Twins of the units of the board system, cycle by cycle."""
