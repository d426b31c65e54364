"""Facts of the multicast router: parameters, message layout, reason codes."""
