"""Run: messages between the processors of a cube, from the parameters to what came of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import c_header
from cubecast.options.usage import UsageError
from cubecast.tb.campaigns.engines import Simulated
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import LARGEST

__all__ = ["Messages", "run"]

SIMULATED = Simulated(
    node="cubecast.rtl.node.packet_node:PacketNode", network="cubecast.rtl.node.node_network:NodeNetwork"
)
"""What is simulated."""

LONGEST = 600
"""Bytes that a message has at most."""

CUBES = tuple(1 << bits for bits in range(LARGEST - 1))
"""How many networks there may be beside each other; those of four nodes are the smallest."""


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
    cubes : int
        Networks beside each other, which share the messages: a power of two. The engine ``"parallel"`` takes up to 64
        nodes, eight cubes of eight in one word; the other engines take one network.
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
    cubes: int = 1
    patience: int = 200_000

    def __post_init__(self) -> None:
        """Check everything."""
        limits = (("messages", 1, 10**9), ("longest", 0, LONGEST), ("seed", 0, 2**64 - 1), ("patience", 1, 10**9))
        for name, low, high in limits:
            integer(name, getattr(self, name), low, high)
        if self.cubes not in CUBES:
            raise ValueError(f"cubes must be one of {', '.join(map(str, CUBES))}, not {self.cubes!r}")
        if not 0 <= self.stall <= 0.9:
            raise ValueError(f"stall must be a number from 0 to 0.9, not {self.stall!r}")


def run(
    config: NodeConfig, messages: Messages, *, verilog: str | None = None, engine: str = "parallel"
) -> dict[str, Any]:
    """Let the nodes of a cube send messages to each other; return what came of it as plain values, ``outcome`` first.

    ``outcome`` is ``drained`` if every message came once to each of its destinations, whole, to a receive that it fits,
    in the order of its stream, nothing beside it was written, and all buffers are free at the end. Else it is ``wrong``
    or ``standstill``, and ``text`` says what and when; the nodes of all cubes are numbered through.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the network.
    messages : Messages
        What is sent.
    verilog : str
        Modules of another network in place of the one of ``config``, or of another node with the engine ``"parallel"``.
    engine : str
        One of :data:`cubecast.tb.campaigns.engines.ENGINES`.

    Raises
    ------
    UsageError
        The engine does not take so many nodes, or cubes.
    SimulatorError
        A tool is missing or fails, or the program does.
    """
    values = dataclasses.asdict(messages)
    together = config.dim + values.pop("cubes").bit_length() - 1
    most = 1 << max(0, LARGEST - config.dim) if engine == "parallel" else 1
    if messages.cubes > most:
        raise UsageError(
            f"cubes must be at most {most} with dim = {config.dim} and the engine {engine!r}, not {messages.cubes}"
        )
    source = programs.Source(
        area="messages",
        name=f"{engine}-{config.dim}-{config.router.link}-{config.router.routing}",
        main=Path(__file__).with_name("messages.cpp"),
        constants={
            "DIM": together,
            "CUBE_DIM": config.dim,
            "BUFFERS": config.buffers,
            "BUFFER_BYTES": config.buffer_bytes,
            "LARGEST": LONGEST,
        },
        headers={"cubecast_node.h": c_header(config)},
    )
    return programs.campaign(SIMULATED.program(source, config, engine, verilog=verilog), values)
