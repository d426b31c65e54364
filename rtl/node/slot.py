"""Which buffer slot of the router a packet takes."""

from amaranth import *

from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["slot_for"]


def slot_for(config: NodeConfig, useful: Value, room: Value) -> Value:
    """Return the slot, one-hot, of a packet for another node: the lowest useful dimension, of those with room if any.

    Parameters
    ----------
    config : NodeConfig
        Gives the routing: with the fixed one, room does not matter.
    useful : Value
        Own address XOR destination, not 0.
    room : Value
        Slots that can take a word.
    """
    if config.router.routing == "fixed":
        return _lowest(useful)
    free = useful & room
    return Mux(free.any(), _lowest(free), _lowest(useful))


def _lowest(vector):
    """Return a vector with the lowest bit alone that is set."""
    return (vector & (~vector + 1))[: len(vector)]
