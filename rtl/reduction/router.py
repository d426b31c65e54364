"""Reduction router: a crosspoint router and the join units beside it."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.router_ports import bring_out
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.rtl.crosspoint.router import signature as of_router
from cubecast.rtl.reduction.link import Own, Result, operators
from cubecast.rtl.reduction.unit import ReductionUnit

__all__ = ["ReductionRouter", "of_node", "signature"]

INSIDE = ("reduce_in", "reduce", "reduce_ready")
"""Ports of the crosspoint router that lead to a unit; those of a further one have its ending."""


class ReductionRouter(wiring.Component):
    """Router of a node with its join units, one for each context.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__*, link_out__j__*
        Links, as those of the router, with ``push_r``, ``rop`` and ``ready_r``.
    inject__*, eject__*, control__*, report__*, multiple_faults
        Those of the router.
    own__valid, own__data, own__rop, own__last, own__ready : 1, w, 4, 1 bits in; ready out
        Words of the node that are to be joined.
    result__valid, result__data, result__last, result__error, result__ready : 1, w, 1, 1 bits out; ready in
        Results for the node.
    reduction__address, reduction__write, reduction__write_data, reduction__read_data : 4, 1, 32, 32
        Registers of the first unit.
    alarm : out
        Something is wrong, see the unit's register STATUS.
    operator_1__valid, ..._a, ..._b, ..._rop, ..._y, operator_2__... : out, 1 and w and w and 4; y in, w
        With ``operator_latency``: operands for the operators of the node, and what these make of them.
    own_1__*, result_1__*, reduction_1__*, alarm_1, operator_1_1__*, operator_2_1__*
        With two contexts: the same of the second unit.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place router and units and connect them."""
        m = Module()
        config = self.config
        router = place(m, "router", CrosspointRouter, config.router, reduce=config.contexts)
        for name in ("inject", "control"):
            connect(m, flipped(getattr(self, name)), getattr(router, name))
        connect(m, router.eject, flipped(self.eject))
        for ending in config.endings:
            self._join(m, router, place(m, f"unit{ending}", ReductionUnit, config), ending)
        bring_out(m, self, router)
        return m

    def _join(self, m, router, unit, ending):
        """Connect a unit with the router and with the node."""
        arrivals, requests, ready = (getattr(router, f"{name}{ending}") for name in INSIDE)
        if self.config.router.loses_words:
            m.d.comb += unit.cut.eq(router.cut)
        for arrival, link in zip(arrivals, unit.link, strict=True):
            connect(m, arrival, link)
        for output, request in zip(unit.output, requests, strict=True):
            connect(m, output, request)
        m.d.comb += [ready.eq(unit.ready_r), getattr(self, f"alarm{ending}").eq(unit.alarm)]
        for name, port in {"own": unit.own, "reduction": unit.control}.items():
            connect(m, flipped(getattr(self, f"{name}{ending}")), port)
        for name in ("result", *operators(self.config)):
            connect(m, getattr(unit, name), flipped(getattr(self, f"{name}{ending}")))


def signature(config: ReductionConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """
    members = of_router(config.router, reduce=config.contexts).members
    inside = {f"{name}{ending}" for name in INSIDE for ending in config.endings}
    found = {name: port for name, port in members.items() if name not in inside | {"cut"}}
    return wiring.Signature(found | of_node(config))


def of_node(config: ReductionConfig) -> dict[str, wiring.Member]:
    """Return the ports at which the units meet the node, by their names.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """
    unit = {
        "own": In(Own(config)),
        "result": Out(Result(config)),
        "reduction": In(RegisterPort(ADDRESS_BITS)),
        "alarm": Out(1),
        **operators(config),
    }
    return {f"{name}{ending}": member for ending in config.endings for name, member in unit.items()}
