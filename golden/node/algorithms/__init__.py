"""Messages between nodes, and programs that send and receive them, without time."""
