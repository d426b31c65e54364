"""Global merges and group-multicast rings, without time."""
