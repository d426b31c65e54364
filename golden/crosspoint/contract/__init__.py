"""Facts of the crosspoint router: parameters, words and what queues keep of them, units, registers, reason codes."""
