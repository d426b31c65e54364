"""What load routers of all systems have to promise about the wires between router, load node and their ports."""

import importlib

from amaranth.hdl import Assert, Cat, Cover, Module
from amaranth.lib import wiring

from cubecast.rtl.common import load_router
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["LoadRouterSpec"]

EJECTED = ("valid", "data", "last", "error", "ready")
INJECTED = ("valid", "ready", "data", "last", "kind", "r1", "r2")


class LoadRouterSpec(wiring.Component):
    """Each port is that of the router, or of the load node; the load node gets what the router ejects.

    Both are emptied. Where the router takes the packets of a load node as they are, they are joined too.

    Parameters
    ----------
    unit : Component
        The load router.
    joined : bool
        Whether packets go into the router as they are.
    error : str
        What the router ejects that is an error to the load node; another than ``error`` must be refuted.
    """

    def __init__(self, unit, joined=False, error="error"):
        self.dut, self.joined, self.error = unit, joined, error
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        dut = self.dut
        with emptying(load_router, importlib.import_module(type(dut).__module__)):
            m.submodules.dut = fragment = opened(dut)
        freed(m, dut)
        router, node = unit(fragment, "router"), unit(fragment, "load_node")
        for name, member in dut.signature.members.items():
            inner = node if name in node.signature.members else router
            one, other = getattr(dut, name), getattr(inner, name)
            if member.is_port:
                m.d.comb += Assert(one == other)
                continue
            for mine, its in zip(one, other, strict=True) if member.dimensions else [(one, other)]:
                m.d.comb += equal(mine, its)
        m.d.comb += Assert(router.address == dut.address)
        for name in EJECTED:
            source = self.error if name == "error" else name
            m.d.comb += Assert(getattr(node.eject, name) == getattr(router.eject, source))
        if self.joined:
            m.d.comb += [Assert(getattr(router.inject, name) == getattr(node.inject, name)) for name in INJECTED]
            m.d.comb += [Assert(~router.inject.error), Assert(node.eject.kind == router.eject.kind)]
        m.d.comb += Cover(Cat(dut.report.valid, dut.sent.valid, router.eject.valid, node.eject.ready).all())
        return m
