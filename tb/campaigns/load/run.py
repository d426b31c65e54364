"""Run: a packet network under load, from the parameters to a line of figures per point."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.common.contract.registers import cpp_header
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.registers import REGISTERS
from cubecast.tb.engine import programs
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["Load", "LostError", "collisions", "points", "rate_of"]

CHANCES = 1 << 16
"""A rate is in so many parts of a burst per cycle."""


class LostError(RuntimeError):
    """Messages were lost in the network."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Load:
    """What is sent, and for how long.

    Parameters
    ----------
    packets : int
        Packets of a message, 1 to 255.
    burst : int
        Messages that a node generates one right after the other, 1 to 255.
    words : int
        Words of a packet after its head, 3 to 63.
    warm : int
        Cycles with traffic before anything is counted, 1 to 100,000,000.
    cycles : int
        Cycles in which it is counted, 100 to 100,000,000.
    drain : int
        Cycles that messages generated in them are waited for after them, 0 to 100,000,000.
    seed : int
        Of the random numbers of the nodes, 0 to 2**32 - 1.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    packets: int = 1
    burst: int = 1
    words: int = 15
    warm: int = 4_000
    cycles: int = 16_000
    drain: int = 16_000
    seed: int = 1

    def __post_init__(self) -> None:
        """Check everything."""
        limits = (
            ("packets", 1, 255),
            ("burst", 1, 255),
            ("words", 3, 63),
            ("warm", 1, 10**8),
            ("cycles", 100, 10**8),
            ("drain", 0, 10**8),
            ("seed", 0, 2**32 - 1),
        )
        for name, low, high in limits:
            integer(name, getattr(self, name), low, high)

    @property
    def message_words(self) -> int:
        """Words of a message, the heads of its packets included."""
        return self.packets * (self.words + 1)


def rate_of(config: PacketConfig, load: Load, offered: float) -> int:
    """Return the rate nearest to this offered load in words per node and cycle; at least 1, at most 65,535.

    A burst of b messages takes 65536 / rate cycles to begin, on average, and N / (N - 1) cycles per message, because a
    node that draws itself draws again.
    """
    period = load.burst * load.message_words / offered
    waits = period - load.burst * config.nodes / (config.nodes - 1)
    return max(1, min(CHANCES - 1, round(CHANCES / waits))) if waits > 1 else CHANCES - 1


def points(
    config: PacketConfig, load: Load, rates: Sequence[int], *, verilog: str | None = None, speed: str = "run"
) -> Iterator[dict[str, Any]]:
    """Run a load network at these rates, from reset each time; yield the figures of a point as soon as they are there.

    Words are counted with the head of their packet: a packet of 15 words is 16. ``offered`` is what the nodes generate
    and ``accepted`` what they take, in words per node and cycle of the window. Latencies are in cycles, from the
    generation of a message to the last word of its first packet (``first``) and of its last one (``message``), over all
    messages generated in the window and queued; ``largest`` is the largest of the latter. They are waited for after
    the window; if ``drain`` cycles are not enough, they are None. ``lost`` is the share of messages that found their
    send queue full, ``collisions`` that of those queued that found a message in it;
    ``utilisation`` is the share of cycles in which a link carries a word or a bit, of all links and of the ``busiest``
    (a head that a serial link's receiver refuses counts as if it were a whole word); ``waited`` that in which a packet
    waits for a link.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    load : Load
        What is sent.
    rates : sequence of int
        Bursts per node in 65,536 cycles, 1 to 65,535.
    verilog : str
        Modules of another network in place of the one of ``config``.
    speed : str
        ``"run"``: for long runs; ``"build"``: compile quickly.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    LostError
        A message was lost in the network.
    """
    if load.words > config.max_words:
        raise ValueError(f"words must be an integer from 3 to {config.max_words} (max_words), not {load.words}")
    for rate, raw in zip(rates, _lines(config, dataclasses.asdict(load), "rate", rates, verilog, speed), strict=True):
        yield _point(config, load, rate, raw)


def collisions(
    config: PacketConfig, load: Load, pairs: int, *, verilog: str | None = None, speed: str = "run"
) -> dict[str, int]:
    """Let every node generate two messages in an empty network, again and again, until there were so many pairs.

    Return how many there were, and in how many of them the second message went to the send queue of the first.
    Parameters are those of :func:`points`.
    """
    values = dataclasses.asdict(load) | {"burst": 2}
    (raw,) = _lines(config, values, "pairs", [pairs], verilog, speed)
    return {name: int(raw[name]) for name in ("pairs", "collisions")}


def _lines(
    config: PacketConfig,
    values: dict[str, int],
    name: str,
    numbers: Sequence[int],
    verilog: str | None,
    speed: str,
) -> Iterator[dict[str, Any]]:
    """Run the program with these values and then ``name`` = each of the numbers; yield what it says to each."""
    source = programs.Source(
        area="load",
        name=f"{config.dim}-{config.link}-{config.routing}-{config.rows}-{config.max_words}",
        main=Path(__file__).with_name("load.cpp"),
        constants={"DIM": config.dim},
        headers={"registers.h": cpp_header({"router": REGISTERS})},
    )
    text = verilog or verilog_of("cubecast.rtl.packet.load_network:LoadNetwork", config)
    program = programs.verilated(source, text, optimise="-O2" if speed == "run" else "-O1", packed=False)
    yield from programs.lines(program, values, *((name, number) for number in numbers))


def _point(config: PacketConfig, load: Load, rate: int, raw: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a point, of what the program counted."""
    queued, drained = raw["generated"] - raw["lost"], raw["drained"]
    if drained and not raw["first_count"] == raw["message_count"] == queued:
        raise LostError(f"of {queued} messages {raw['message_count']} arrived: {json.dumps(raw)}")
    node_cycles = config.nodes * raw["clocks"]
    busy = raw["link_words"]
    if config.link == "serial":
        # Two bits begin each head and each word.
        busy = (config.width + 2) * (busy - raw["link_packets"]) + (config.head_bits + 2) * raw["link_packets"]
    return {
        "rate": rate,
        "clocks": raw["clocks"],
        "messages": raw["generated"],
        "offered": round(raw["generated"] * load.message_words / node_cycles, 5),
        "accepted": round(raw["accepted_words"] / node_cycles, 5),
        "first": round(raw["first_sum"] / queued, 2) if drained and queued else None,
        "message": round(raw["message_sum"] / queued, 2) if drained and queued else None,
        "largest": raw["message_max"] if drained else None,
        "lost": round(raw["lost"] / raw["generated"], 5) if raw["generated"] else None,
        "collisions": round(raw["collisions"] / queued, 5) if queued else None,
        "utilisation": round(busy / (config.dim * node_cycles), 5),
        "busiest": round(busy / raw["link_words"] * raw["busiest_link_words"] / raw["clocks"], 5) if busy else 0.0,
        "waited": round(raw["waited"] / (config.dim * node_cycles), 5),
    }
