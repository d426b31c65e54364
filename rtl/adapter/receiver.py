"""Receiver: packets of the router, for the node without what the adapters have added, or to be relayed."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, tag_places
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.stream import Receive
from cubecast.rtl.common.report import Report
from cubecast.rtl.crosspoint.link import Eject

__all__ = ["Receiver"]

WAIT_BITS = 16
"""Width of the count of cycles that a packet to be relayed has waited for room."""


class State(Enum, shape=3):
    """What the next word of the router is."""

    HEAD = 0
    TAG = 1
    DATA = 2
    RELAY = 3
    SKIP = 4


class Receiver(wiring.Component):
    """Say of every word for the node which message it is of. No latency.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    eject__*
        Packets of the router.
    receive__*
        Words for the node.
    room, push, data, last, error : in, out, out, out, out, 1 and 1 and w and 1 and 1
        Packets for the relay store.
    address : in, n
        Strap: the node's address.
    report__valid, report__reason, report__destination, report__ready
        Packets that the relay store had no room for.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(
            {
                "eject": In(Eject(config.router)),
                "receive": Out(Receive(config)),
                "room": In(1),
                "push": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "address": In(config.dim),
                "report": Out(Report(config.dim)),
            }
        )

    def elaborate(self, platform):
        """Build the state of the packet that comes in."""
        m = Module()
        config, eject, receive = self.config, self.eject, self.receive
        state, final = Signal(State), Signal()
        tag = {name: eject.data[place.low :][: place.width] for name, place in tag_places(config).items()}
        is_tag, away = Signal(), Signal()
        m.d.comb += [
            is_tag.eq((state == State.TAG) | ((state == State.HEAD) & (eject.kind != Kind.BITMAP))),
            away.eq((state == State.HEAD) & (eject.kind == Kind.UNICAST) & (tag["destination"] != self.address)),
            *(getattr(self, name).eq(getattr(eject, name)) for name in ("data", "last", "error")),
            receive.data.eq(eject.data),
            receive.error.eq(eject.last & eject.error),
            receive.last.eq(eject.last & (final | eject.error)),
            # Until something says otherwise: of all states DATA and the tag of a packet to be relayed can refuse.
            eject.ready.eq(1),
        ]
        m.d.comb += self.report.reason.eq(AdapterReason.RELAY_FULL)
        with m.If(self.report.valid & self.report.ready):
            m.d.sync += self.report.valid.eq(0)
        with m.If(eject.valid):
            with m.If(is_tag):
                relays = away & ~eject.last if config.knows_faults else C(0)
                with m.If(relays):
                    self._relay(m, state, tag["destination"])
                with m.Else():
                    m.d.sync += [
                        receive.first.eq(tag["first"]),
                        final.eq(tag["final"]),
                        receive.source.eq(tag["source"]),
                        receive.path.eq(tag["path"]),
                        receive.ordinal.eq(tag["ordinal"]),
                        state.eq(Mux(eject.last, State.HEAD, Mux(away, State.SKIP, State.DATA))),
                    ]
            with m.Elif(state == State.HEAD):
                m.d.sync += state.eq(Mux(eject.last, State.HEAD, State.TAG))
            with m.Elif(state == State.DATA), m.If(receive.ready):
                m.d.sync += receive.first.eq(0)
                with m.If(eject.last):
                    m.d.sync += state.eq(State.HEAD)
            with m.Else():
                m.d.comb += self.push.eq(state == State.RELAY)
                with m.If(eject.last):
                    m.d.sync += state.eq(State.HEAD)
        with m.If(state == State.DATA):
            m.d.comb += [receive.valid.eq(eject.valid), eject.ready.eq(receive.ready)]
        return m

    def _relay(self, m, state, destination):
        """Store the packet, or, when it has waited for room for too long, swallow and report it."""
        report, waited = self.report, Signal(WAIT_BITS)
        expired = waited == self.config.relay_wait
        m.d.comb += [self.eject.ready.eq(self.room | (expired & ~report.valid)), self.push.eq(self.room)]
        with m.If(self.room):
            m.d.sync += [waited.eq(0), state.eq(State.RELAY)]
        with m.Elif(~expired):
            m.d.sync += waited.eq(waited + 1)
        with m.Elif(~report.valid):
            m.d.sync += [waited.eq(0), state.eq(State.SKIP), report.valid.eq(1), report.destination.eq(destination)]
