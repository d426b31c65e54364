"""Memory ports: the word ports of node memory, shared by the units that read and write."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.units import CLIENTS
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.select import selected
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import BEATS_BITS, WORD_BITS, Read, Write

__all__ = ["READS", "WRITES", "MemoryPorts"]

READS = 4
"""Reads that may be under way."""

WRITES = 8
"""Writes that may be under way."""


class MemoryPorts(wiring.Component):
    """Pass requests on, in turns, and tell whose word or acknowledgement comes; the memory answers in order.

    A request goes through a register; words and acknowledgements come in the cycle in which the memory gives them.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    reader__k__valid, reader__k__address, reader__k__beats, reader__k__ready : 1, 30, 4, 1
        Requests to read; of control unit, matcher, sending side, and scheduler.
    read__valid, read__address, read__beats, read__ready : 1, 30, 4, 1
        Requests to the memory.
    data__valid, data__word, data__error : in, 1 and 32 and 1
        Words from the memory.
    served, word, word_error : out, 4 and 32 and 1
        Whose word comes, and the word.
    writer__k__valid, writer__k__address, writer__k__data, writer__k__strobe, writer__k__ready : 1, 30, 32, 4, 1
        Words to be written; of receiving side, control unit, matcher, and scheduler.
    write__valid, write__address, write__data, write__strobe, write__ready : 1, 30, 32, 4, 1
        Words to the memory.
    done, done_error : in
        A word has been written, or could not be.
    written, write_error : out, 4 and 1
        Whose it is.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(
            {
                "reader": In(Read()).array(CLIENTS),
                "read": Out(Read()),
                "data": In(wiring.Signature({"valid": Out(1), "word": Out(WORD_BITS), "error": Out(1)})),
                "served": Out(CLIENTS),
                "word": Out(WORD_BITS),
                "word_error": Out(1),
                "writer": In(Write()).array(CLIENTS),
                "write": Out(Write()),
                "done": In(1),
                "done_error": In(1),
                "written": Out(CLIENTS),
                "write_error": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build both directions; of a read the words that are left are counted."""
        m = Module()
        memories = self.config.router.memories
        reads = Fifo(m, "reads", memories, shape=CLIENTS + BEATS_BITS, depth=READS)
        writes = Fifo(m, "writes", memories, shape=CLIENTS, depth=WRITES)
        reading = self._shared(m, "read_arbiter", self.reader, self.read, ("address", "beats"), reads, READS)
        self._shared(m, "write_arbiter", self.writer, self.write, ("address", "data", "strobe"), writes, WRITES)
        beats, count = Signal(BEATS_BITS), Signal(BEATS_BITS)
        comes, final = Signal(), Signal()
        m.d.comb += [
            reads.data[CLIENTS:].eq(reading["beats"]),
            beats.eq(reads.head[CLIENTS:]),
            comes.eq(self.data.valid & (reads.level != 0)),
            final.eq(count == beats),
            reads.pop.eq(comes & final),
            self.served.eq(Mux(comes, reads.head[:CLIENTS], 0)),
            self.word.eq(self.data.word),
            self.word_error.eq(self.data.error),
            writes.pop.eq(self.done & (writes.level != 0)),
            self.written.eq(Mux(writes.pop, writes.head, 0)),
            self.write_error.eq(self.done_error),
        ]
        with m.If(comes):
            m.d.sync += count.eq(Mux(final, 0, count + 1))
        return m

    def _shared(self, m, name, clients, port, fields, owners, most):
        """Let clients take turns at a port; return the payload of the one whose turn it is."""
        arbiter = place(m, name, Arbiter, Requests(count=CLIENTS))
        free = Signal(name=f"{name}_free")
        chosen = {field: selected(arbiter.grant, [getattr(each, field) for each in clients]) for field in fields}
        m.d.comb += [
            free.eq((~port.valid | port.ready) & (owners.level != most)),
            arbiter.request.eq(Cat(each.valid for each in clients)),
            arbiter.advance.eq(free),
            owners.push.eq(free & arbiter.grant.any()),
            owners.data[:CLIENTS].eq(arbiter.grant),
        ]
        for each, granted in zip(clients, arbiter.grant, strict=True):
            m.d.comb += each.ready.eq(free & granted)
        with m.If(owners.push):
            m.d.sync += [port.valid.eq(1), *(getattr(port, field).eq(value) for field, value in chosen.items())]
        with m.Elif(port.ready):
            m.d.sync += port.valid.eq(0)
        return chosen
