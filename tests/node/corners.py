"""Configurations for the testbenches of the node interface: the default, and the corners of the parameter space."""

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["CORNERS"]


def corner(router=None, **own):
    """Return the parameters of a node."""
    return NodeConfig(router=PacketConfig(**{"dim": 3} | (router or {})), **own)


CORNERS = {
    "default": corner(),
    # The least of everything: no buffers, packets of six words, one packet unasked, one bit of hash.
    "least": corner(
        {"dim": 2, "max_words": 6},
        buffers=0,
        eager=1,
        tracked=1,
        hash_bits=1,
        instructions=2,
        events=2,
        buffer_bytes=32,
    ),
    # One buffer, whose size is no power of two; as much unasked as can be.
    "one_buffer": corner({"dim": 2}, buffers=1, buffer_bytes=96, reserved=0, eager=15, tracked=3, instructions=3),
    # Words of 32 bits, long packets, sizes that are no powers of two.
    "wide": corner(
        {"dim": 4, "width": 32, "max_words": 17}, buffers=5, buffer_bytes=160, tracked=5, hash_bits=8, events=5
    ),
    # Links of one bit, words of 32 bits, always the lowest dimension first.
    "serial": corner(
        {"dim": 2, "link": "serial", "width": 32, "routing": "fixed"}, buffers=3, buffer_bytes=64, eager=2
    ),
    # Packets of more words than one read of memory has.
    "long": corner({"dim": 2, "width": 32, "max_words": 63}),
}
"""Name to configuration."""
