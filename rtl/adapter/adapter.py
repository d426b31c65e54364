"""Network adapter: between the messages of a node and the packets of its crosspoint router."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS
from cubecast.golden.common.contract.units import Requests
from cubecast.rtl.adapter.chunker import Chunker
from cubecast.rtl.adapter.emitter import Emitter
from cubecast.rtl.adapter.inject_register import InjectRegister
from cubecast.rtl.adapter.planner import Planner
from cubecast.rtl.adapter.reassembler import Reassembler
from cubecast.rtl.adapter.receiver import Receiver
from cubecast.rtl.adapter.registers import AdapterRegisters
from cubecast.rtl.adapter.relay_store import RelayStore
from cubecast.rtl.adapter.stream import Receive, Send
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.report import Report
from cubecast.rtl.crosspoint.link import Eject, Inject

__all__ = ["Adapter", "signature"]


class Adapter(wiring.Component):
    """Cut messages into packets with routes, and say of every word that comes which message it is of.

    A message of one packet whose m words of data follow its header, taken in cycle t, is injected in cycles t + m + 3
    to t + 2 m + 3. What comes goes to the node in the same cycle, with ``reassemble`` when its message is there.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    send__valid, send__data, send__last, send__error, send__ready
        Messages of the node.
    receive__valid, receive__data, receive__last, receive__error, receive__first, receive__source, receive__path,
    receive__ordinal, receive__ready
        Words for it; with ``reassemble`` also receive__more.
    inject__*, eject__*
        Packets to and from the router.
    cut : in, n
        Links of the router that are out of use.
    control__address, control__write, control__write_data, control__read_data : 5, 1, 32, 32
        Registers.
    report__valid, report__reason, report__destination, report__ready
        Reports about what was not sent.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place the units and connect them."""
        m = Module()
        config = self.config
        registers = place(m, "registers", AdapterRegisters, config)
        chunker = place(m, "chunker", Chunker, config)
        planner = place(m, "planner", Planner, config)
        emitter = place(m, "emitter", Emitter, config)
        waiting = place(m, "inject_register", InjectRegister, config)
        receiver = place(m, "receiver", Receiver, config)
        connect(m, flipped(self.control), registers.control)
        connect(m, flipped(self.send), chunker.send)
        connect(m, chunker.chunk, planner.chunk)
        connect(m, planner.order, emitter.order)
        connect(m, emitter.inject, waiting.i)
        connect(m, waiting.o, flipped(self.inject))
        connect(m, flipped(self.eject), receiver.eject)
        if config.reassemble:
            reassembler = place(m, "reassembler", Reassembler, config)
            connect(m, receiver.receive, reassembler.came)
            connect(m, reassembler.receive, flipped(self.receive))
        else:
            connect(m, receiver.receive, flipped(self.receive))
        if config.fault_entries:
            for listed, seen in zip(registers.fault, planner.fault, strict=True):
                connect(m, listed, seen)
        m.d.comb += [unit.address.eq(self.address) for unit in (registers, chunker, planner, emitter, receiver)]
        m.d.comb += [
            chunker.known.eq(planner.known),
            chunker.row_index.eq(planner.row_index),
            chunker.chunk_taken.eq(planner.chunk_taken),
            chunker.word_row.eq(emitter.word_row),
            chunker.freed.eq(emitter.freed),
            chunker.freed_bank.eq(emitter.freed_bank),
            planner.row.eq(chunker.row),
            planner.policy.eq(registers.policy),
            planner.draw.eq(registers.draw),
            planner.cut.eq(self.cut),
            emitter.word.eq(chunker.word),
        ]
        if config.knows_faults:
            store = place(m, "relay_store", RelayStore, config)
            for name in ("data", "last", "error"):
                m.d.comb += [
                    getattr(store, name).eq(getattr(receiver, name)),
                    getattr(emitter.relay, name).eq(getattr(store.relay, name)),
                ]
            m.d.comb += [
                store.push.eq(receiver.push),
                planner.relay.valid.eq(store.relay.valid),
                planner.relay.destination.eq(store.relay.destination),
                receiver.room.eq(store.room),
                store.taken.eq(planner.relay_taken),
                store.pop.eq(emitter.relay_pop),
            ]
        self._reports(m, [chunker.report, planner.report, receiver.report])
        return m

    def _reports(self, m, streams):
        """Let the reports of the units pass in turns."""
        arbiter = place(m, "arbiter", Arbiter, Requests(count=len(streams)))
        m.d.comb += [
            arbiter.request.eq(Cat(stream.valid for stream in streams)),
            arbiter.advance.eq(self.report.ready),
            self.report.valid.eq(arbiter.request.any()),
        ]
        for grant, stream in zip(arbiter.grant, streams, strict=True):
            m.d.comb += stream.ready.eq(grant & self.report.ready)
            with m.If(grant):
                m.d.comb += [self.report.reason.eq(stream.reason), self.report.destination.eq(stream.destination)]


def signature(config: AdapterConfig) -> wiring.Signature:
    """Return the ports of an adapter with these parameters.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """
    return wiring.Signature(
        {
            "address": In(config.dim),
            "send": In(Send(config)),
            "receive": Out(Receive(config, framed=config.reassemble > 0)),
            "inject": Out(Inject(config.router)),
            "eject": In(Eject(config.router)),
            "cut": In(config.dim),
            "control": In(RegisterPort(ADDRESS_BITS)),
            "report": Out(Report(config.dim)),
        }
    )
