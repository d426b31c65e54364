"""Configurations for the testbenches of the packet router: the default, and the corners of the parameter space."""

from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["CORNERS"]

CORNERS = {
    "default": PacketConfig(dim=3),
    "serial": PacketConfig(dim=3, link="serial", rows=4),
    # The least of everything: two rows, packets of nothing but the source word, the narrowest words.
    "least": PacketConfig(dim=2, rows=2, max_words=1, width=6, log_depth=1),
    # Without log, with narrow counters.
    "least_serial": PacketConfig(dim=2, rows=2, max_words=1, width=6, link="serial", log_depth=0, counters=8),
    "fixed": PacketConfig(dim=3, rows=3, max_words=4, routing="fixed"),
    # The upper triangle, one row, no fault vector.
    "triangle": PacketConfig(dim=3, rows=1, max_words=3, routing="fixed", fault_tolerant=False),
    "triangle_serial": PacketConfig(dim=3, rows=1, max_words=3, routing="fixed", fault_tolerant=False, link="serial"),
    "fault_free": PacketConfig(dim=3, rows=2, max_words=5, fault_tolerant=False, fifo_depth=8),
    # A length field of more than 4 bits.
    "long": PacketConfig(dim=4, rows=5, max_words=31, width=20),
}
"""Name to configuration."""
