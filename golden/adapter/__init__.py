"""Golden model of the crosspoint router's network adapter."""
