"""Studies of Lan 1988: traffic of multicast algorithms, and the fault model."""
