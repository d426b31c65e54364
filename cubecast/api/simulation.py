"""Messages on the RTL network, in lockstep with the golden network."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.golden.common.algorithms.address import check_items
from cubecast.golden.common.algorithms.faults import check_faults
from cubecast.golden.common.contract.parameters import integer, plain, store_plain
from cubecast.options.files import output_file, path_of
from cubecast.options.usage import UsageError, check_seed, checked, shown
from cubecast.systems import SYSTEMS, System, config_name, system_of
from cubecast.systems.messages import Event
from cubecast.systems.report import answer
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.lockstep import Mismatch, lockstep
from cubecast.tb.harness.simulators import SIMULATORS, simulators

__all__ = [
    "MOST_CYCLES",
    "Delivery",
    "Link",
    "Message",
    "Played",
    "Simulation",
    "check_run",
    "check_waves",
    "play",
    "simulate",
]

MOST_CYCLES = 10**7
"""Most cycles that a simulation may be given."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Message:
    """A message to be sent; exactly one of ``destinations``, ``broadcast``, ``raw`` and ``subcube``.

    Parameters
    ----------
    source : int
        Node that sends it.
    destinations : sequence of int
        Nodes that get it.
    broadcast : bool
        All others get it.
    raw : sequence of int
        All its words as they are, header included, well-formed or not.
    subcube : mapping
        ``{"base": .., "mask": ..}``: all nodes that differ from the base in bits of the mask only; crosspoint router.
    data : sequence of int
        Payload words, not with ``raw``.
    cycle : int
        Earliest cycle of its first word.
    """

    source: int
    destinations: Sequence[int] | None = None
    broadcast: bool = False
    raw: Sequence[int] | None = None
    subcube: Mapping[str, int] | None = None
    data: Sequence[int] = ()
    cycle: int = 0

    def __post_init__(self) -> None:
        """Keep what is given, which may be a generator; it is checked when it is sent, as in a file of messages."""
        store_plain(self)

    def entry(self) -> dict[str, Any]:
        """Return it as in a file of messages."""
        always = ("source", "cycle")
        return {name: value for name, value in vars(self).items() if name in always or value != getattr(Message, name)}


@dataclasses.dataclass(frozen=True)
class Delivery:
    """A message at a node: its place among the messages, cycles of its first and last word, words, whether cut off."""

    message: int
    node: int
    first_cycle: int
    last_cycle: int
    data: tuple[int, ...]
    error: bool


@dataclasses.dataclass(frozen=True)
class Link:
    """One direction of a link: its ends, words and messages (or packets) that crossed it, cycles that one waited."""

    start: int
    end: int
    words: int
    messages: int
    waited: int


@dataclasses.dataclass(frozen=True)
class Simulation:
    """What came of messages on the RTL network.

    Parameters
    ----------
    cycles : int
        Cycles that the run took; 0 is the first in which a message may start.
    matched : bool
        Whether RTL and golden network agreed in all outputs of every cycle.
    starts : tuple of int or None
        By message: the cycle in which its first word was taken from the processor, None if none was.
    deliveries : tuple of Delivery
        What came where.
    links : tuple of Link
        Every link, in each direction.
    errors : tuple of dict
        ``reason``, ``node`` and ``message`` of each, and whom it concerns.
    inside : tuple of str
        What the routers are still busy with, or have lost.
    problem : str
        The first difference of the two sides, if there is one.
    """

    cycles: int
    matched: bool
    starts: tuple[int | None, ...]
    deliveries: tuple[Delivery, ...]
    links: tuple[Link, ...]
    errors: tuple[dict[str, Any], ...]
    inside: tuple[str, ...] = ()
    problem: str = ""

    @property
    def good(self) -> bool:
        """Whether both sides agreed, everything was delivered, and nothing is left inside."""
        return self.matched and not self.errors and not self.inside

    def latency(self, message: int) -> int:
        """Return the cycles from the first word of a message at its source to its last word at the last node.

        Raises
        ------
        ValueError
            It came nowhere.
        """
        lasts = [delivery.last_cycle for delivery in self.deliveries if delivery.message == message]
        start = self.starts[message] if 0 <= message < len(self.starts) else None
        if start is None or not lasts:
            raise ValueError(f"message must be one that was delivered, not {message}")
        return max(lasts) - start


@dataclasses.dataclass(frozen=True)
class Played:
    """What came of messages, as plain values.

    Parameters
    ----------
    found : dict
        The result of :func:`cubecast.systems.report.answer`.
    seen : dict or None
        What the playback recorded; None if nothing is known.
    mismatch : str
        How the two sides differ, if they do.
    inside : tuple of str
        What the routers are still busy with, or have lost.
    """

    found: dict[str, Any]
    seen: dict[str, Any] | None
    mismatch: str
    inside: tuple[str, ...]


def check_run(simulator: str, seed: int, stall: int, most: int) -> None:
    """Raise :class:`UsageError` for a simulator, a seed, a percentage of stalls or a limit of cycles that cannot be."""
    check_seed(seed)
    checked(integer, "stall", stall, 0, 90)
    checked(integer, "max-cycles", most, 1, MOST_CYCLES)
    if simulator not in simulators():
        present = ", ".join(simulators()) or "none"
        raise UsageError(f"simulator must be one that is installed ({present}), not {simulator!r}")


def check_waves(waves: Path, inputs: Sequence[Path] = ()) -> None:
    """Raise :class:`UsageError` unless waves can be written there, beside the files that are read."""
    if waves.suffix.lower() == ".vcd":
        raise UsageError(f"waves must be the name of an FST file, as run.fst, not {shown(str(waves))}")
    output_file(waves, "waves", inputs)


def play(
    config: Any,
    messages: Sequence[Any],
    events: Sequence[Event],
    faults: frozenset[int],
    *,
    simulator: str,
    seed: int,
    stall: int,
    most: int,
    waves: Path | None = None,
    netlist: str | None = None,
    start: int | None = None,
    **options: Any,
) -> Played:
    """Send messages through the RTL network.

    Parameters
    ----------
    config : configuration
        Parameters of the routers; they say which system it is.
    messages, events : sequence
        What the system's reader of messages returns.
    faults : frozenset of int
        Faulty nodes.
    simulator, seed, stall, most, waves
        As of :func:`simulate`; ``most`` is its ``max_cycles``.
    netlist, start
        As of :func:`cubecast.tb.harness.lockstep.lockstep`.
    **options
        More options of the playback.

    Raises
    ------
    UsageError
        A message or an event is later than the run may take.
    SimulatorError
        The simulator did not build or run the design.
    """
    for entry in sorted((*messages, *events), key=lambda entry: entry.index):
        if entry.cycle >= most:
            allowed = f"an integer from 0 to {most - 1} (--max-cycles)"
            raise UsageError(f"messages[{entry.index}].cycle must be {allowed}, not {entry.cycle}")
    system = system_of(config)
    mismatch = ""
    try:
        seen = lockstep(
            _bench(system),
            config,
            simulator=simulator,
            cycles=most + 1000,
            seed=seed,
            options={
                "messages": [message.option() for message in messages],
                "faults": sorted(faults),
                "events": [{"cycle": e.cycle, "node": e.node, "vector": e.vector} for e in events],
                "stall": stall / 100,
                "most": most,
                **options,
            },
            waves=waves,
            netlist=netlist,
            start=start,
            timeout=max(600, most / 10),
        ).collected
    except Mismatch as error:
        mismatch, seen = str(error), error.collected
    found = answer(config, messages, seen, faults, matched=not mismatch)
    inside = () if seen is None else tuple(system.report.inside(config, messages, seen))
    return Played(found, seen, mismatch, inside)


def _bench(system: System) -> Bench:
    """Return the testbench that plays messages."""
    module, _, name = system.playback.partition(":")
    bench: Bench = getattr(importlib.import_module(module), name)
    return bench


def simulate(
    config: Any,
    messages: Iterable[Message | Mapping[str, Any]],
    *,
    faults: Iterable[int] = (),
    simulator: str = SIMULATORS[0],
    seed: int = 1,
    stall: int = 0,
    max_cycles: int = 100_000,
    waves: str | Path | None = None,
    policy: str | None = None,
) -> Simulation:
    """Send messages through the RTL network of a configuration, all outputs compared with the golden network's.

    Parameters
    ----------
    config : MulticastConfig, PacketConfig or CrosspointConfig
        Parameters of the routers.
    messages : iterable of Message or mapping
        What is sent, a generator if you like. A mapping has the fields of a file of messages, as ``cubecast simulate
        --help`` tells them; one with ``fault`` changes a node's fault vector while messages are under way.
    faults : iterable of int
        Nodes that are faulty from the start.
    simulator : str
        ``verilator`` or ``icarus``.
    seed : int
        Of all random choices.
    stall : int
        Percentage of cycles in which a receiver is not ready, 0 to 90.
    max_cycles : int
        Cycles to run at most.
    waves : path
        Write waves here, an FST file.
    policy : str
        Ways of unicasts on the crosspoint router: ``e-cube``, ``either``, ``random`` or ``valiant``.

    Returns
    -------
    Simulation
        Deliveries, links and errors.

    Raises
    ------
    ValueError
        A parameter or a message is not what it should be.
    ToolError
        The simulator is missing, or fails.

    Examples
    --------
    >>> config = MulticastConfig(dim=3)
    >>> found = simulate(config, [Message(source=0, destinations=[1, 6, 7], data=[10, 11])])
    >>> found.good, sorted(delivery.node for delivery in found.deliveries)
    (True, [1, 6, 7])
    """
    system = system_of(config)
    if not system.playback:
        routers = ", ".join(config_name(each.config) for each in SYSTEMS.values() if each.playback)
        raise UsageError(f"config must be one of {routers}, not {config_name(type(config))}")
    seed, stall, max_cycles = (plain(value) for value in (seed, stall, max_cycles))
    check_run(simulator, seed, stall, max_cycles)
    into = None if waves is None else path_of("waves", waves, "file")
    if into is not None:
        check_waves(into)
    playing: dict[str, Any] = {} if policy is None else {"policy": policy}
    for name in playing:
        if name not in {parameter.name for parameter in system.playing}:
            raise UsageError(f"{name} must not be given with the {system.name} router")
    if playing:
        checked(system.messages.check, config, **playing)
    dead: frozenset[int] = checked(check_faults, faults, config.dim)
    if dead and not config.fault_tolerant:
        raise UsageError(f"faults must not be given without a fault vector, not {sorted(dead)}")
    given = check_items("messages", messages, "messages")
    entries = [each.entry() if isinstance(each, Message) else plain(each) for each in given]
    sent, events = system.messages.parse(entries, config, dead)
    played = play(
        config,
        sent,
        events,
        dead,
        simulator=simulator,
        seed=seed,
        stall=stall,
        most=max_cycles,
        waves=into,
        **playing,
    )
    found, counted = played.found, system.report.COUNTED
    return Simulation(
        found["cycles"],
        found["golden"] == "match",
        tuple(each["start_cycle"] for each in found["messages"]),
        tuple(Delivery(**{**each, "data": tuple(each["data"])}) for each in found["deliveries"]),
        tuple(Link(*(each[name] for name in ("from", "to", "words", counted, "waited"))) for each in found["links"]),
        tuple(found["errors"]),
        played.inside,
        played.mismatch,
    )
