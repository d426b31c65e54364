"""Which heads may be injected, as a signal: for proofs about whoever injects, and about the port."""

from amaranth.hdl import Cat

from cubecast.golden.crosspoint.algorithms.packets import Header, fault_of
from cubecast.golden.crosspoint.contract.word import KIND_BITS, Kind

__all__ = ["is_legal"]


def is_legal(config, inject):
    """Return whether the word at an injection port is a legal head, by a list of those that are.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router; the list is short for small n alone.
    inject
        The port.
    """
    n, found = config.dim, []
    route = Cat(inject.kind, inject.r1, inject.r2)
    for r1 in range(config.nodes):
        for r2 in range(config.nodes):
            routes = r1 << KIND_BITS | r2 << KIND_BITS + n
            for kind in (Kind.UNICAST, Kind.SUBCUBE, 3):
                if fault_of(config, Header(kind, r1, r2)) is None:
                    found.append(route == (kind | routes))
            for bitmap in range(1 << config.bitmap_bits):
                if fault_of(config, Header(Kind.BITMAP, r1, r2, bitmap)) is None:
                    found.append((route == (Kind.BITMAP | routes)) & (inject.data == bitmap))
    return Cat(found).any()
