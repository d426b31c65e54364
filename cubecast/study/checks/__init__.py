"""The transport simulator against closed forms, and against the cycle-accurate packet network."""
