"""Reduction router: a crosspoint router and the join unit beside it."""

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

__all__ = ["ReductionRouter", "signature"]

INSIDE = ("reduce_in", "reduce_ready", "reduce")
"""Ports of the crosspoint router that lead to the unit."""


class ReductionRouter(wiring.Component):
    """Router of a node with its join unit.

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
        Registers of the unit.
    alarm : out
        Something is wrong, see the unit's register STATUS.
    operator_1__valid, ..._a, ..._b, ..._rop, ..._y, operator_2__... : out, 1 and w and w and 4; y in, w
        With ``operator_latency``: operands for the operators of the node, and what these make of them.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place router and unit and connect them."""
        m = Module()
        router = place(m, "router", CrosspointRouter, self.config.router, reduce=True)
        unit = place(m, "unit", ReductionUnit, self.config)
        for name in ("inject", "control"):
            connect(m, flipped(getattr(self, name)), getattr(router, name))
        connect(m, router.eject, flipped(self.eject))
        for arrival, link in zip(router.reduce_in, unit.link, strict=True):
            connect(m, arrival, link)
        for output, request in zip(unit.output, router.reduce, strict=True):
            connect(m, output, request)
        connect(m, flipped(self.own), unit.own)
        connect(m, unit.result, flipped(self.result))
        connect(m, flipped(self.reduction), unit.control)
        for name in operators(self.config):
            connect(m, getattr(unit, name), flipped(getattr(self, name)))
        bring_out(m, self, router)
        m.d.comb += [
            router.reduce_ready.eq(unit.ready_r),
            self.alarm.eq(unit.alarm),
        ]
        return m


def signature(config: ReductionConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """
    members = of_router(config.router, reduce=True).members
    return wiring.Signature(
        {
            **{name: port for name, port in members.items() if name not in INSIDE},
            "own": In(Own(config)),
            "result": Out(Result(config)),
            "reduction": In(RegisterPort(ADDRESS_BITS)),
            "alarm": Out(1),
            **operators(config),
        }
    )
