"""Local port: gives the router's local port to the host or to the collectives."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.multicast.link import Words

__all__ = ["LocalPort"]


class LocalPort(wiring.Component):
    """Connect the router's local port to one of two sides; each direction changes sides between messages only.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of a word.

    Ports
    -----
    enable : in
        The port is to belong to the collectives.
    host_inject__*, unit_inject__* : in
        Messages of the host, and of the collectives; ``ready`` is 0 for the side that has not the port.
    inject__* : out
        To the router.
    eject__* : in
        Deliveries of the router.
    host_eject__*, unit_eject__* : out
        To the host, and to the collectives; ``valid`` is 0 for the side that has not the port.

    Source: Lan 1988, section 6.3 (the local port); that it has two users is this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        words = Words(config.router)
        super().__init__(
            {
                "enable": In(1),
                "host_inject": In(words),
                "unit_inject": In(words),
                "inject": Out(words),
                "eject": In(words),
                "host_eject": Out(words),
                "unit_eject": Out(words),
            }
        )

    def elaborate(self, platform):
        """Wire the side that has each direction through."""
        m = Module()
        inject_unit = self._owner(m, self.inject, "inject")
        eject_unit = self._owner(m, self.eject, "eject")
        host, unit = self.host_inject, self.unit_inject
        m.d.comb += [
            self.inject.valid.eq(Mux(inject_unit, unit.valid, host.valid)),
            self.inject.data.eq(Mux(inject_unit, unit.data, host.data)),
            self.inject.last.eq(Mux(inject_unit, unit.last, host.last)),
            self.inject.error.eq(Mux(inject_unit, unit.error, host.error)),
            host.ready.eq(self.inject.ready & ~inject_unit),
            unit.ready.eq(self.inject.ready & inject_unit),
            self.host_eject.valid.eq(self.eject.valid & ~eject_unit),
            self.unit_eject.valid.eq(self.eject.valid & eject_unit),
            self.eject.ready.eq(Mux(eject_unit, self.unit_eject.ready, self.host_eject.ready)),
        ]
        for side in (self.host_eject, self.unit_eject):
            m.d.comb += [side.data.eq(self.eject.data), side.last.eq(self.eject.last), side.error.eq(self.eject.error)]
        return m

    def _owner(self, m, words, name):
        """Return the register that says whether a direction belongs to the collectives."""
        unit = Signal(name=f"{name}_unit")
        inside = Signal(name=f"{name}_open")
        moved = Signal(name=f"{name}_moved")
        m.d.comb += moved.eq(words.valid & words.ready)
        with m.If(moved):
            m.d.sync += inside.eq(~words.last)
        with m.If(Mux(moved, words.last, ~inside)):
            m.d.sync += unit.eq(self.enable)
        return unit
