"""Facts of the collectives: parameters, segments, registers."""
