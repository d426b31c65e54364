"""Golden model of the collectives, pure Python: merges over fault-tolerant trees, rings for group multicast."""
