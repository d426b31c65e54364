"""Golden model of the multicast router (Lan 1988)."""
