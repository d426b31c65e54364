"""Segments: the messages in which a piece of a vector travels, their fields."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract import segment
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS

__all__ = [
    "HEADER",
    "HOPS_BITS",
    "KIND_BITS",
    "STAGE_BITS",
    "asked",
    "fields",
]

KIND_BITS, STAGE_BITS, HOPS_BITS = (segment.HEADER[name] for name in ("kind", "stage", "hops"))

HEADER = data.StructLayout(segment.HEADER)
"""Fields of the first header word; the bits above are 0."""


def fields() -> dict[str, wiring.Member]:
    """Return the fields of the first header word, as outputs of their names."""
    return {name: Out(bits) for name, bits in segment.HEADER.items()}


def asked(config: CollectiveConfig) -> dict[str, wiring.Member]:
    """Return the inputs of the sender that say what is to be sent, valid with ``start``.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of an address and of a number of words.
    """
    return {
        "broadcast": In(1),
        "distant": In(1),
        "targets": In(config.dim),
        "destination": In(config.dim),
        **{name: member.flip() for name, member in fields().items()},
        "argument": In(ARGUMENT_BITS),
        "body": In(1),
        "from_pass": In(1),
        "offset": In(config.count_bits),
        "length": In(config.count_bits),
    }
