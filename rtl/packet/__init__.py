"""The packet router in Amaranth: one public component per file."""
