"""Facts of the node interface: parameters, header blocks, statuses, packets of messages, registers."""
