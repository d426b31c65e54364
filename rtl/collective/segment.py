"""Segments: the messages in which a piece of a vector travels, their fields, and the request to send one."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig

__all__ = [
    "ARGUMENT_BITS",
    "HEADER",
    "HOPS_BITS",
    "KIND_BITS",
    "STAGE_BITS",
    "asked",
    "fields",
    "request",
]

KIND_BITS = 3
STAGE_BITS = 4
HOPS_BITS = 8

ARGUMENT_BITS = 16
"""Width of the second header word, of a place in a vector, and of a number of pieces."""

HEADER = data.StructLayout({"kind": KIND_BITS, "is_final": 1, "stage": STAGE_BITS, "hops": HOPS_BITS})
"""Fields of the first header word; the bits above are 0."""


def fields() -> dict[str, wiring.Member]:
    """Return the fields of the first header word, as outputs of their names."""
    return {
        "kind": Out(KIND_BITS),
        "is_final": Out(1),
        "stage": Out(STAGE_BITS),
        "hops": Out(HOPS_BITS),
    }


def request(config: CollectiveConfig) -> dict[str, wiring.Member]:
    """Return the outputs with which a sequencer asks for a segment, those that both sequencers have.

    The collective sequencer has ``broadcast``, ``offset`` and ``count`` besides.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of an address.
    """
    return {
        "request": Out(1),
        "distant": Out(1),
        "targets": Out(config.dim),
        "destination": Out(config.dim),
        "kind_out": Out(KIND_BITS),
        "final_out": Out(1),
        "stage_out": Out(STAGE_BITS),
        "hops_out": Out(HOPS_BITS),
        "argument_out": Out(ARGUMENT_BITS),
        "body": Out(1),
    }


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
