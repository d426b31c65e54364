"""Golden model of the crosspoint router."""
