"""Board network: a network of load nodes that runs by itself, a button, lights, and a line of text each second."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import LOADS, BoardConfig
from cubecast.golden.board.contract.seeds import SEEDS, seed_of
from cubecast.golden.common.contract.load import Policy, settings
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.rtl.board.panel import Panel
from cubecast.rtl.board.reporter import Reporter
from cubecast.rtl.board.tally import Tally
from cubecast.rtl.board.uart_sender import UartSender
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint.load_network import LoadNetwork

__all__ = ["BoardNetwork"]


class BoardNetwork(wiring.Component):
    """Network that generates, checks and counts its own traffic, and tells it over one wire.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.

    Ports
    -----
    button : in
        1 while the button is pressed that steps the load; of any clock.
    tx : out
        UART, 1 between bytes.
    alive : out
        Changes with every line.
    failed : out
        There was an error.
    step : out, 3
        Which of the loads.
    """

    def __init__(self, config: BoardConfig):
        self.config = config
        outputs = {"tx": Out(1, init=1), "alive": Out(1), "failed": Out(1), "step": Out(range(len(LOADS)))}
        super().__init__({"button": In(1), **outputs})

    def elaborate(self, platform):
        """Place all and connect them; the load nodes take their seeds in the first cycle."""
        m = Module()
        config, nodes = self.config, self.config.nodes
        network = place(m, "network", LoadNetwork, config.router)
        press = place(m, "panel", Panel, config)
        counts = place(m, "tally", Tally, config)
        line = place(m, "reporter", Reporter, config)
        sender = place(m, "uart_sender", UartSender, config)
        running = Signal()
        m.d.sync += running.eq(1)
        rate = Signal.like(press.rate)
        m.d.sync += rate.eq(press.rate)
        equal = {
            "rate": rate,
            "length": config.router.packet_limit,
            "spread": 1,
            "broadcast": config.broadcast,
            "listed": config.listed,
            "members": config.members,
            "policy": Policy.RANDOM,
            # Where there are fault vectors: nobody writes them, and all others are reached.
            **dict.fromkeys(("reached", "free", "spanned"), ~1),
        }
        for name, bits in settings(load_shape(config.router)).items():
            for v in range(nodes):
                value = seed_of(name, v) if name in SEEDS else equal.get(name, 0)
                m.d.comb += getattr(network, name).word_select(v, bits).eq(value)
        m.d.comb += [
            network.load.eq(Mux(running, 0, ~0)),
            network.enable.eq(Mux(running, ~0, 0)),
            press.button.eq(self.button),
            counts.load.eq(press.load),
            line.tick.eq(counts.tick),
            line.load.eq(counts.offered),
            sender.i__valid.eq(line.o__valid),
            sender.i__data.eq(line.o__data),
            line.o__ready.eq(sender.i__ready),
            self.tx.eq(sender.tx),
            self.alive.eq(counts.seconds[0]),
            self.failed.eq(counts.failed),
            self.step.eq(press.step),
        ]
        for name in ("idle", "sent_begins", "sent_whom", "sent_block", "came_done", "came_words", "came_bad"):
            m.d.comb += getattr(counts, name).eq(getattr(network, name))
        m.d.comb += counts.report_valid.eq(network.report_valid)
        for name in ("seconds", "packets", "words", "under_way", "errors"):
            m.d.comb += getattr(line, name).eq(getattr(counts, name))
        return m
