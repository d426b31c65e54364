"""Twins of the crosspoint router's units: cycle-accurate, from the contract in docs/crosspoint_units.md."""
