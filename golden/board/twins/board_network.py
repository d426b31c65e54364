"""Board network: the load network, what counts in it, and what is told of it."""

from __future__ import annotations

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.board.contract.seeds import SEEDS, seed_of
from cubecast.golden.board.twins.panel import Panel
from cubecast.golden.board.twins.reporter import Reporter
from cubecast.golden.board.twins.tally import Tally
from cubecast.golden.board.twins.uart_sender import UartSender
from cubecast.golden.common.contract.load import Policy, settings
from cubecast.golden.common.twins.ports import Inputs, Outputs, join
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.golden.crosspoint.twins.load_network import LoadNetwork

__all__ = ["BoardNetwork"]


class BoardNetwork:
    """Twin of the board.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Start in reset."""
        self.config = config
        self.network = LoadNetwork(config.router)
        self.panel, self.tally = Panel(config), Tally(config)
        self.reporter, self.sender = Reporter(config), UartSender(config)
        self._bits = settings(load_shape(config.router))
        self._others = (1 << config.nodes) - 2
        self.running = False
        self.rate = 0

    def _settings(self) -> dict[str, int]:
        """Return the settings of all load nodes."""
        config = self.config
        equal = {
            "rate": self.rate,
            "length": config.router.packet_limit,
            "spread": 1,
            "broadcast": config.broadcast,
            "listed": config.listed,
            "members": config.members,
            "policy": int(Policy.RANDOM),
        }
        equal |= dict.fromkeys(("reached", "free", "spanned"), self._others)
        return {
            name: join((seed_of(name, v) if name in SEEDS else equal.get(name, 0) for v in range(config.nodes)), bits)
            for name, bits in self._bits.items()
        }

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        rst, everyone = inputs.get("rst", 0), (1 << self.config.nodes) - 1
        tally, reporter, sender = self.tally, self.reporter, self.sender
        outputs: Outputs = {
            "tx": sender.tx,
            "alive": tally.shown["seconds"] & 1,
            "failed": tally.failed,
            "step": self.panel.place,
        }
        ways = {"load": 0 if self.running else everyone, "enable": everyone if self.running else 0}
        told = self.network.step({**self._settings(), **ways, "rst": rst})
        shown = {**tally.shown, "load": tally.shown["offered"]}
        byte, free, tick = reporter.byte, sender.ready, tally.tick
        sender.edge(byte)
        reporter.edge(tick, shown, int(free))
        tally.step({**{name: value or 0 for name, value in told.items()}, "load": self.panel.load})
        self.rate = self.panel.rate
        self.panel.edge(inputs.get("button", 0))
        self.running = True
        if rst:
            for unit in (self.panel, tally, reporter, sender):
                unit.reset()
            self.running, self.rate = False, 0
        return outputs
