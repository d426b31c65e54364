"""Multicast, broadcast and unicast algorithms, without time."""
