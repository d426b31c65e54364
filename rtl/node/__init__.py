"""The units of the node interface in Amaranth: one public component per file."""
