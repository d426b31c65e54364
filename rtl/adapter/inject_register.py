"""Inject register: a packet's words on their way from the emitter to the router."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.crosspoint.link import Inject

__all__ = ["InjectRegister"]


class InjectRegister(wiring.Component):
    """Register between what forms a word and what the router makes of its header; a word a cycle, one cycle late.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    i__*
        Words of the emitter; ``i__ready``: the register is empty, or its word is taken.
    o__*
        The same for the router; registers.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__({"i": In(Inject(config.router)), "o": Out(Inject(config.router))})

    def elaborate(self, platform):
        """Load the register when it is free."""
        m = Module()
        m.d.comb += self.i.ready.eq(~self.o.valid | self.o.ready)
        with m.If(self.i.ready):
            m.d.sync += [
                getattr(self.o, name).eq(getattr(self.i, name)) for name in self.i.signature.members if name != "ready"
            ]
        return m
