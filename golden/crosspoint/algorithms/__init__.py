"""Routing of the crosspoint router, without time."""
