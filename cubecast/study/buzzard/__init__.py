"""Studies of Buzzard 1988: message transports compared, chapters 4 and 5."""
