"""Trees of the reduction."""
