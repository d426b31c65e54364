"""Tally: what all nodes send and get, counted, and held once a second."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.board.contract.line import VALUE_BITS
from cubecast.golden.common.contract.load import KIND_BITS, WORDS_BITS, Kind
from cubecast.golden.crosspoint.contract.load import load_shape

__all__ = ["Tally"]


class Tally(wiring.Component):
    """Count packets, words and errors of a load network.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.

    Ports
    -----
    load : in, 7
        The load in percent.
    idle, sent_begins, sent_whom, sent_block, came_done, came_words, came_bad, report_valid : in
        Those of the load network, an item for each node.
    tick : out
        In the first cycle of an interval, but not the first one; a register, as all outputs.
    seconds, offered, packets, words, under_way, errors : out, 32
        Of the intervals that have ended: how many there were; the load at the end of the last one; packets and words
        that came in it; copies sent and not come, and errors, since the reset.
    failed : out
        There was an error.
    """

    def __init__(self, config: BoardConfig):
        self.config = config
        shape = load_shape(config.router)
        each = {"idle": 1, "sent_begins": 1, "sent_whom": KIND_BITS, "sent_block": shape.block}
        each |= {"came_done": 1, "came_words": WORDS_BITS, "came_bad": 1, "report_valid": 1}
        held = ("seconds", "offered", "packets", "words", "under_way", "errors")
        super().__init__(
            {
                "load": In(7),
                **{name: In(bits * config.nodes) for name, bits in each.items()},
                "tick": Out(1),
                **{name: Out(VALUE_BITS) for name in held},
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        """Sum over the nodes in two steps, then over time."""
        m = Module()
        due, got, words, bad = self._sums(m)
        cycle, ends, quiet, moved, lost = (
            Signal(range(self.config.second_cycles)),
            Signal(),
            Signal(),
            Signal(),
            Signal(),
        )
        packets, carried = Signal(VALUE_BITS), Signal(VALUE_BITS)
        away, errors = Signal(VALUE_BITS), Signal(VALUE_BITS)
        resting = Signal()
        m.d.comb += [
            ends.eq(cycle == self.config.second_cycles - 1),
            moved.eq((due != 0) | (got != 0)),
            lost.eq(ends & quiet & ~moved & resting & (away != 0)),
        ]
        m.d.sync += [
            resting.eq(self.idle.all()),
            cycle.eq(Mux(ends, 0, cycle + 1)),
            self.tick.eq(ends),
            quiet.eq((quiet | ends) & ~moved),
            packets.eq(Mux(ends, 0, packets) + got),
            carried.eq(Mux(ends, 0, carried) + words),
            away.eq(away + due - got),
            self.failed.eq(self.failed | (bad != 0) | lost),
        ]
        with m.If(~errors[-1]):
            m.d.sync += errors.eq(errors + bad + lost)
        with m.If(ends):
            m.d.sync += [
                self.seconds.eq(self.seconds + 1),
                self.offered.eq(self.load),
                self.packets.eq(packets),
                self.words.eq(carried),
                self.under_way.eq(away),
                self.errors.eq(errors),
            ]
        return m

    def _sums(self, m):
        """Return the copies that are due for what begins, the packets and words that came, and the errors."""
        shape, nodes = load_shape(self.config.router), self.config.nodes
        due, came = [], []
        for v in range(nodes):
            copies, words = Signal(range(nodes + 1), name=f"copies_{v}"), Signal(WORDS_BITS, name=f"words_{v}")
            begins, done = self.sent_begins[v], self.came_done[v]
            with m.Switch(self.sent_whom.word_select(v, KIND_BITS)):
                with m.Case(Kind.ALL):
                    m.d.sync += copies.eq(Mux(begins, nodes - 1, 0))
                with m.Case(Kind.LIST):
                    listed = self.sent_block.word_select(v, shape.block)
                    m.d.sync += copies.eq(Mux(begins, sum(listed[i] for i in range(shape.block)), 0))
                with m.Default():
                    m.d.sync += copies.eq(begins)
            m.d.sync += words.eq(Mux(done, self.came_words.word_select(v, WORDS_BITS), 0))
            due.append(copies)
            came.append(words)
        arrived, wrong, told = Signal(nodes), Signal(nodes), Signal(nodes)
        m.d.sync += [arrived.eq(self.came_done), wrong.eq(self.came_done & self.came_bad), told.eq(self.report_valid)]
        sums = []
        for name, parts in {"due": due, "got": arrived, "words": came, "bad": Cat(wrong, told)}.items():
            whole = _tree([*parts])
            total = Signal(len(whole), name=name)
            m.d.sync += total.eq(whole)
            sums.append(total)
        return sums


def _tree(parts):
    """Return the sum of values, added in pairs."""
    while len(parts) > 1:
        parts = [sum(parts[i + 1 : i + 2], parts[i]) for i in range(0, len(parts), 2)]
    return parts[0]
