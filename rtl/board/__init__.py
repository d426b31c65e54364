"""Hardware of the board system: a network that tests itself, with buttons, lights and a line that it prints."""
