"""Signatures of what moves between a node, its adapter's units and its router."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import DIMENSION_BITS
from cubecast.golden.crosspoint.contract.word import KIND_BITS

__all__ = ["POLICY_BITS", "Chunk", "Fault", "Order", "Receive", "Send", "faults"]

POLICY_BITS = 2
"""Width of the number of a policy."""


class Send(wiring.Signature):
    """Stream of the messages of a node: a header, the rows of a bitmap, data.

    Parameters
    ----------
    config : AdapterConfig
        Gives the width of a word.
    """

    def __init__(self, config: AdapterConfig):
        super().__init__({"valid": Out(1), "data": Out(config.width), "last": Out(1), "error": Out(1), "ready": In(1)})


class Receive(wiring.Signature):
    """Stream of the words for a node, each with the message that it is of.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension and the width of a word.
    framed : bool
        Whether the words of a message may come in several frames, and ``more`` says so.
    """

    def __init__(self, config: AdapterConfig, *, framed: bool = False):
        super().__init__(
            {
                "valid": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "first": Out(1),
                "source": Out(config.dim),
                "path": Out(config.dim),
                "ordinal": Out(config.ordinal_port_bits),
                **({"more": Out(1)} if framed else {}),
                "ready": In(1),
            }
        )


class Chunk(wiring.Signature):
    """Words of a message that one packet carries, as the planner sees them; taken by a strobe.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension and the longest packet.
    """

    def __init__(self, config: AdapterConfig):
        super().__init__(
            {
                "valid": Out(1),
                "bank": Out(1),
                "kind": Out(KIND_BITS),
                "node": Out(config.dim),
                "mask": Out(config.dim),
                "serial": Out(1),
                "first": Out(1),
                "final": Out(1),
                "error": Out(1),
                "count": Out(config.count_bits),
                "ordinal": Out(config.ordinal_port_bits),
            }
        )


class Order(wiring.Signature):
    """Stream of what the emitter has to send, packet by packet.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension, the longest packet and the bits of a bitmap.
    """

    def __init__(self, config: AdapterConfig):
        super().__init__(
            {
                "valid": Out(1),
                "relay": Out(1),
                "send": Out(1),
                "release": Out(1),
                "bank": Out(1),
                "kind": Out(KIND_BITS),
                "r1": Out(config.dim),
                "r2": Out(config.dim),
                "bitmap": Out(config.router.bitmap_bits),
                "destination": Out(config.dim),
                "first": Out(1),
                "final": Out(1),
                "error": Out(1),
                "count": Out(config.count_bits),
                "ordinal": Out(config.ordinal_port_bits),
                "ready": In(1),
            }
        )


class Fault(wiring.Signature):
    """Entry of the list of faulty links and nodes.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension.
    """

    def __init__(self, config: AdapterConfig):
        super().__init__({"valid": Out(1), "link": Out(1), "node": Out(config.dim), "dimension": Out(DIMENSION_BITS)})


def faults(config: AdapterConfig) -> dict[str, wiring.Member]:
    """Return the port for the whole list, as it comes out of the registers; none without entries."""
    return {"fault": Out(Fault(config)).array(config.fault_entries)} if config.fault_entries else {}
