"""What the board network has to promise about the wires between its network, its counts and what tells them."""

from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.board.contract.seeds import SEEDS, seed_of
from cubecast.golden.common.contract.load import Policy, settings
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.rtl.board import board_network
from tests.harness.inside import emptying, freed, opened, unit

__all__ = ["BoardNetworkSpec"]

COUNTED = ("idle", "sent_begins", "sent_whom", "sent_block", "came_done", "came_words", "came_bad", "report_valid")
TOLD = {name: name for name in ("tick", "seconds", "packets", "words", "under_way", "errors")} | {"load": "offered"}
"""Numbers of the line, and which of the tally they are."""


class BoardNetworkSpec(wiring.Component):
    """Every count and number is what it is called, and every node is set as the board says.

    All units inside are emptied.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    swapped : bool
        Take packets for words, which must be refuted.
    """

    def __init__(self, config, swapped=False):
        self.config, self.swapped = config, swapped
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        self.dut = board = board_network.BoardNetwork(self.config)
        with emptying(board_network):
            m.submodules.dut = fragment = opened(board)
        freed(m, board)
        names = ("network", "panel", "tally", "reporter", "uart_sender")
        network, panel, tally, reporter, sender = (unit(fragment, name) for name in names)
        told = TOLD | ({"packets": "words"} if self.swapped else {})
        m.d.comb += [
            *(Assert(getattr(tally, name) == getattr(network, name)) for name in COUNTED),
            *(Assert(getattr(reporter, name) == getattr(tally, its)) for name, its in told.items()),
            Assert(Cat(sender.i__valid, sender.i__data) == Cat(reporter.o__valid, reporter.o__data)),
            Assert(reporter.o__ready == sender.i__ready),
            Assert(panel.button == board.button),
            Assert(tally.load == panel.load),
            Assert(Cat(board.tx, board.failed, board.step) == Cat(sender.tx, tally.failed, panel.step)),
            Assert(board.alive == tally.seconds[0]),
            Cover(tally.seconds.all() & board.failed & board.tx),
        ]
        self._set(m, network, panel.rate)
        return m

    def _set(self, m, network, rate):
        """Compare the settings of all nodes, which are taken in the first cycle."""
        config, nodes = self.config, self.config.nodes
        begun, late = Signal(), Signal.like(rate)
        m.d.sync += [begun.eq(1), late.eq(rate)]
        every = (1 << nodes) - 1
        m.d.comb += [Assert(network.load == Mux(begun, 0, every)), Assert(network.enable == Mux(begun, every, 0))]
        equal = {
            "rate": late,
            "length": config.router.packet_limit,
            "spread": 1,
            "broadcast": config.broadcast,
            "listed": config.listed,
            "members": config.members,
            "policy": Policy.RANDOM,
            **dict.fromkeys(("reached", "free", "spanned"), (1 << nodes) - 2),
        }
        for name, bits in settings(load_shape(config.router)).items():
            for v in range(nodes):
                value = seed_of(name, v) if name in SEEDS else equal.get(name, 0)
                wanted = Signal(bits, name=f"wanted_{name}_{v}")
                m.d.comb += [wanted.eq(value), Assert(getattr(network, name).word_select(v, bits) == wanted)]
