"""Facts of the reduction: parameters, words, operations, registers."""
