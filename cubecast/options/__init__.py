"""What the command line and the campaigns of the testbenches take: options, their errors, and files written."""
