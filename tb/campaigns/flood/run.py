"""Run: one flood, from the parameters to what came of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.campaigns.engines import Simulated
from cubecast.tb.engine import programs

__all__ = ["Flood", "run"]

SIMULATED = Simulated(
    node="cubecast.rtl.packet.router:PacketRouter", network="cubecast.rtl.packet.network:PacketNetwork"
)
"""What is simulated."""

SHORT = 200_000
"""Cycles up to which a run takes less time than its program would to be optimised."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Flood:
    """What is sent.

    Parameters
    ----------
    cycles : int
        Cycles in which all nodes have more to send than the network takes, 1 to 1,000,000,000; then it drains.
    most : int
        Packets of the longest messages, 1 to 1000.
    broadcast : float
        Share of broadcasts among the messages, 0 to 1.
    stalls : bool
        Whether the receivers stop now and then.
    fixed : bool
        The nodes take the lowest useful dimension even where the network would let them choose.
    seed : int
        Of everything random, 0 to 2**64 - 1.
    patience : int
        Cycles without any word injected or delivered after which the network is at a standstill.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    cycles: int = 50_000
    most: int = 5
    broadcast: float = 0.05
    stalls: bool = True
    fixed: bool = False
    seed: int = 1
    patience: int = 10_000

    def __post_init__(self) -> None:
        """Check everything."""
        limits = (("cycles", 1, 10**9), ("most", 1, 1000), ("seed", 0, 2**64 - 1), ("patience", 1, 10**9))
        for name, low, high in limits:
            integer(name, getattr(self, name), low, high)
        if not 0 <= self.broadcast <= 1:
            raise ValueError(f"broadcast must be a number from 0 to 1, not {self.broadcast!r}")


def run(config: PacketConfig, flood: Flood, *, verilog: str | None = None, engine: str = "parallel") -> dict[str, Any]:
    """Flood a network; return what came of it as plain values, ``outcome`` first.

    ``outcome`` is ``drained`` if every packet came once to where it was to come, with its words, in the order of its
    slot, and nothing was reported. Else it is ``wrong`` or ``standstill``, and ``text`` says what and when. Latencies
    are in cycles, from the cycle in which a packet was queued at its node.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    flood : Flood
        What is sent.
    verilog : str
        Modules of another router in place of the one of ``config``; of another network with an engine for these.
    engine : str
        One of :data:`cubecast.tb.campaigns.engines.ENGINES`.

    Raises
    ------
    UsageError
        The engine does not take so many nodes.
    SimulatorError
        A tool is missing or fails, or the program does.
    """
    source = programs.Source(
        area="flood",
        name=f"{engine}-{config.dim}-{config.link}-{config.routing}",
        main=Path(__file__).with_name("flood.cpp"),
        constants={
            "DIM": config.dim,
            "WIDTH": config.width,
            "MAX_WORDS": config.max_words,
            "FIXED": int(config.routing == "fixed"),
        },
    )
    program = SIMULATED.program(source, config, engine, verilog=verilog, short=flood.cycles <= SHORT)
    return programs.campaign(program, dataclasses.asdict(flood))
