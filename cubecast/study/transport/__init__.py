"""Message transports of a hypercube in an event-driven simulator: Buzzard 1988, chapters 4 and 5."""
