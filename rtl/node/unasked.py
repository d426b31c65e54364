"""Bytes of a message that go unasked, by the number of its packets that do."""

from amaranth import *

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import EAGER_BITS

__all__ = ["unasked"]


def unasked(config: NodeConfig, packets: Value) -> Value:
    """Return how many bytes the first packet and those behind it hold, if they are full.

    A table: synthesis makes a DSP block of a product, and one LUT of each bit of this.

    Parameters
    ----------
    config : NodeConfig
        Gives the bytes of a first packet and of another one.
    packets : Value, 4
        How many packets; 0 counts as 1.
    """
    held = [config.first_bytes + max(0, count - 1) * config.packet_bytes for count in range(1 << EAGER_BITS)]
    return Array(C(number, held[-1].bit_length()) for number in held)[packets]
