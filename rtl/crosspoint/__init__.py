"""The crosspoint router in Amaranth: one public component per file."""
