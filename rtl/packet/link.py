"""Signatures of the flits between the units of the packet router, and of its links."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["Flit", "Link", "Words"]


class Flit(wiring.Signature):
    """Stream of the flits of packets: a head, then words.

    A flit moves in a cycle with ``valid & ready``; once ``valid``, it stays until it moved. ``last`` goes with the
    final word; ``bad``, always with ``last``, stands in place of a word where a packet ends early.

    Parameters
    ----------
    config : PacketConfig
        Gives the width of a head.
    """

    def __init__(self, config: PacketConfig):
        super().__init__(
            {
                "valid": Out(1),
                "head": Out(1),
                "last": Out(1),
                "bad": Out(1),
                "data": Out(config.head_bits),
                "ready": In(1),
            }
        )


class Words(wiring.Signature):
    """Stream of the words that a node takes: destination, source word, data.

    Parameters
    ----------
    config : PacketConfig
        Gives the width of a word.
    """

    def __init__(self, config: PacketConfig):
        super().__init__({"valid": Out(1), "data": Out(config.width), "last": Out(1), "error": Out(1), "ready": In(1)})


class Link(wiring.Signature):
    """Link to a neighbour, of the kind that the configuration asks for.

    Parallel: a head or a word per cycle; ``ready``: a whole packet can be taken; ``refusing``: no contrary one now.
    Serial: a bit per cycle; ``hold`` makes the sender repeat the 1 of a start or sync pattern.

    Parameters
    ----------
    config : PacketConfig
        Gives the kind of link and the width of a head.
    """

    def __init__(self, config: PacketConfig):
        if config.link == "serial":
            super().__init__({"line": Out(1), "hold": In(1)})
        else:
            super().__init__(
                {
                    "valid": Out(1),
                    "head": Out(1),
                    "data": Out(config.head_bits),
                    "ready": In(1),
                    "refusing": In(1),
                }
            )
