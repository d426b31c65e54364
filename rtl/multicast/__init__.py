"""The multicast router in Amaranth: one public component per file."""
