"""Golden model of the board system."""
