"""Facts that hardware and models of several systems share: checks of parameters, registers."""
