"""Load router: a crosspoint router with its join unit, and a load node for packets at its ports."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint import load_router
from cubecast.rtl.reduction import router

__all__ = ["LoadRouter", "signature"]


class LoadRouter(wiring.Component):
    """Router of one node with its join units, and the source and sink of its packets.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node, such that a load node can be made for its router.

    Ports
    -----
    address, settings, load, enable, arrived, idle, draws, refused, sent__*, came__*
        Those of the load node.
    link_in__j__*, link_out__j__*, control__*, report__*, own__*, result__*, reduction__*, alarm
        Those of the reduction router.

    Raises
    ------
    ValueError
        The node has operators of its own.
    """

    def __init__(self, config: ReductionConfig):
        config.without_operators()
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place both and connect them."""
        m = Module()
        routes = place(m, "router", router.ReductionRouter, self.config)
        load_router.attach(m, self, routes, self.config.router)
        for ending in self.config.endings:
            for name in (f"own{ending}", f"reduction{ending}"):
                connect(m, flipped(getattr(self, name)), getattr(routes, name))
            connect(m, getattr(routes, f"result{ending}"), flipped(getattr(self, f"result{ending}")))
            m.d.comb += getattr(self, f"alarm{ending}").eq(getattr(routes, f"alarm{ending}"))
        return m


def signature(config: ReductionConfig) -> wiring.Signature:
    """Return the ports of a load router with a join unit.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """
    return load_router.signature(config.router, router.signature(config))
