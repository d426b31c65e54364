"""Studies of Lin and Chen: rings of groups of nodes beside the Gray-code ring."""
