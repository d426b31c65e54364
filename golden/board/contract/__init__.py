"""Facts that hardware and model of the board system share."""
