"""Global merges and group-multicast rings, without clocks."""
