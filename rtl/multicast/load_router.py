"""Load router: a multicast router with a load node at its ports."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import enum, wiring

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.load import load_shape
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.load_router import load_ports, place_load_node
from cubecast.rtl.multicast import router

__all__ = ["LoadRouter", "signature"]


class Step(enum.Enum):
    """What word of a message comes next: those of its header, then its payload."""

    K = 0
    LIST = 1
    CONTROL = 2
    SOURCE = 3
    DATA = 4


class LoadRouter(wiring.Component):
    """Router of one node, and the source and sink of its messages.

    A packet of the load node becomes a message: its header, a word per cycle, with the destinations in the order of
    their relative addresses, and then the packet's words. A list of all other nodes is a broadcast.

    Parameters
    ----------
    config : Config
        Parameters of the router, such that a load node can be made for them.

    Ports
    -----
    address, settings, load, enable, arrived, idle, draws, refused, sent__*, came__*
        Those of the load node.
    link_in__j__*, link_out__j__*, control__*, report__*
        Those of the router.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place both, and put the header before the words of a packet."""
        m = Module()
        config = self.config
        nodes = config.nodes
        routes = place(m, "router", router.Router, config)
        node = place_load_node(m, self, routes, load_shape(config))
        source, inject = node.inject, routes.inject
        named, told, waiting, next_one = Signal(nodes), Signal(nodes), Signal(nodes), Signal(nodes)
        step, k, everyone, destination = Signal(Step), Signal(config.dim), Signal(), Signal(config.dim)
        m.d.comb += [
            named.eq(Mux(source.kind == Kind.ONE, 1 << (source.r1 ^ source.r2), source.block)),
            k.eq(Mux(source.kind == Kind.ALL, config.broadcast_k, sum(named[1:], C(0, 1)))),
            everyone.eq(k == config.broadcast_k),
            waiting.eq(named & ~told),
            next_one.eq(waiting & -waiting),
            destination.eq(self.address ^ reduce(or_, (Mux(next_one[v], v, 0) for v in range(nodes)))),
            source.heading.eq(step != Step.DATA),
            source.ready.eq(inject.ready),
            inject.valid.eq(source.valid),
            inject.last.eq((step == Step.DATA) & source.last),
            inject.error.eq(0),
            node.eject.kind.eq(Kind.ONE),
        ]
        spread = Mux(everyone | (k > config.max_dest), nodes - 1, 0)
        with m.Switch(step):
            with m.Case(Step.K):
                m.d.comb += inject.data.eq(k)
            with m.Case(Step.LIST):
                m.d.comb += inject.data.eq(destination)
            with m.Case(Step.CONTROL):
                m.d.comb += inject.data.eq(spread if config.fault_tolerant else self.address)
            with m.Case(Step.SOURCE):
                m.d.comb += inject.data.eq(self.address)
            with m.Default():
                m.d.comb += inject.data.eq(source.data)
        with m.If(source.valid & source.ready), m.Switch(step):
            with m.Case(Step.K):
                m.d.sync += [told.eq(0), step.eq(Mux(everyone, Step.CONTROL, Step.LIST))]
            with m.Case(Step.LIST):
                m.d.sync += told.eq(told | next_one)
                with m.If(waiting == next_one):
                    m.d.sync += step.eq(Step.CONTROL)
            with m.Case(Step.CONTROL):
                m.d.sync += step.eq(Step.SOURCE if config.source_field else Step.DATA)
            with m.Case(Step.SOURCE):
                m.d.sync += step.eq(Step.DATA)
            with m.Default(), m.If(source.last):
                m.d.sync += step.eq(Step.K)
        return m


def signature(config: Config) -> wiring.Signature:
    """Return the ports of a load router.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """
    return load_ports(load_shape(config), router.signature(config))
