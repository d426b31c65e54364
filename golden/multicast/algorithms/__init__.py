"""Multicast, broadcast and unicast algorithms, without clocks."""
