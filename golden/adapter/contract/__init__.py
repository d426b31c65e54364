"""Facts of the network adapter: parameters, headers and tags, registers, reason codes."""
