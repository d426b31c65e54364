"""Run: messages between the processors of a cube, from the parameters to what came of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.tb.engine import programs
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["Messages", "run"]

LONGEST = 600
"""Bytes that a message has at most."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Messages:
    """What is sent.

    Parameters
    ----------
    messages : int
        Sends, broadcasts and sends to neighbours of all nodes together, 1 to 1,000,000,000.
    stall : float
        Share of the cycles in which a memory takes or answers nothing, 0 to 0.9.
    longest : int
        Bytes of the longest, 0 to 600.
    steady : bool
        Nodes always send and receive as fast as they can; without, they change their pace now and then.
    seed : int
        Of everything random, 0 to 2**64 - 1.
    patience : int
        Cycles without a message that comes after which the network is at a standstill.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    messages: int = 10_000
    stall: float = 0.1
    longest: int = LONGEST
    steady: bool = False
    seed: int = 1
    patience: int = 200_000

    def __post_init__(self) -> None:
        """Check everything."""
        limits = (("messages", 1, 10**9), ("longest", 0, LONGEST), ("seed", 0, 2**64 - 1), ("patience", 1, 10**9))
        for name, low, high in limits:
            integer(name, getattr(self, name), low, high)
        if not 0 <= self.stall <= 0.9:
            raise ValueError(f"stall must be a number from 0 to 0.9, not {self.stall!r}")


def run(config: NodeConfig, messages: Messages, *, verilog: str | None = None, fast: bool = True) -> dict[str, Any]:
    """Let the nodes of a cube send messages to each other; return what came of it as plain values, ``outcome`` first.

    ``outcome`` is ``drained`` if every message came once to each of its destinations, whole, to a receive that it fits,
    in the order of its stream, nothing beside it was written, and all buffers are free at the end. Else it is ``wrong``
    or ``standstill``, and ``text`` says what and when.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the network.
    messages : Messages
        What is sent.
    verilog : str
        Modules of another network in place of the one of ``config``.
    fast : bool
        Build a program that runs fast; without, share the build of the lockstep runs of the network.

    Raises
    ------
    SimulatorError
        A tool is missing or fails, or the program does.
    """
    source = programs.Source(
        area="messages",
        name=f"{config.dim}-{config.router.link}-{config.router.routing}",
        main=Path(__file__).with_name("messages.cpp"),
        constants={
            "DIM": config.dim,
            "BUFFERS": config.buffers,
            "BUFFER_BYTES": config.buffer_bytes,
            "LARGEST": LONGEST,
        },
    )
    text = verilog or verilog_of("cubecast.rtl.node.node_network:NodeNetwork", config)
    program = programs.verilated(source, text, optimise="-O1") if fast else programs.attached(source, text)
    return programs.campaign(program, dataclasses.asdict(messages))
