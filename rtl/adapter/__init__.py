"""The network adapter in Amaranth: one public component per file."""
