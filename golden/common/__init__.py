"""What the golden models of several systems share."""
