"""Facts of the packet router: parameters, packet layout, reason codes."""
