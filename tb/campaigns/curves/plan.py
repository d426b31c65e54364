"""Plan: the points that the documented figures are of, and their tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cubecast.golden.common.algorithms.load import Lists, Traffic
from cubecast.golden.crosspoint.algorithms.routes import POLICIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config as MulticastConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.systems import system_of
from cubecast.systems.load import SATURATED, ZERO_LOAD, Window
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.revision import points_by_revision

__all__ = ["PLAN", "Planned", "curves", "routers", "tables"]

DIM = 6

WINDOW = Window(warmup=2000, found=True, cycles=4000, tail=1000)

LONG = Window(warmup=2000, found=True, cycles=16_000, tail=1000)

SHORT = Window(warmup=300, found=False, cycles=600, tail=100)
"""Of the golden networks, which are slow."""

ADVERSE_DIM, ADVERSE_LENGTH = 3, 5
"""Small cube, and words of a message, where adverse patterns are compared."""

ADVERSE = ("complement", "reverse", "shuffle", "tornado", "uniform")
"""Patterns in the small one: a transposition needs an even dimension."""

RATES = (0.3, 0.5, 0.7, 0.8, 0.9, SATURATED)

LENGTHS = (1, 5, 20)

DEEP, SHALLOW = 512, 16
"""Words of an ejection queue: in block RAM, and in LUT RAM."""

SLOW_RATES = {"": 0.25, "complement": 0.1}
"""Offered loads in the 6-cube, by pattern, of routers where more would not drain; it is more than they deliver."""

PERMUTATIONS = ("complement", "transpose", "reverse", "shuffle", "tornado", "uniform")

MIXES: dict[str, dict[str, Any]] = {
    "broadcasts alone": {"broadcast": 1.0},
    "2 % broadcasts": {"broadcast": 0.02},
    "10 % broadcasts": {"broadcast": 0.1},
    "lists of 4": {"lists": Lists(share=1.0, members=4)},
    "lists of 10": {"lists": Lists(share=1.0, members=10)},
}

COMPARED = (0.1, 0.3, 0.5, SATURATED)
"""Offered loads at which routers of all kinds are compared."""

COMPARED_MIXES = ("2 % broadcasts", "broadcasts alone", "lists of 4")

DRAWN = 5
"""Words of the messages whose curves are drawn for all routers."""

AIMS = {(1, DEEP): 0.98, (5, DEEP): 0.95, (20, DEEP): 0.87, (1, SHALLOW): 0.94, (5, SHALLOW): 0.84, (20, SHALLOW): 0.7}
"""By words of a message and of an ejection queue: what is to be delivered at saturation."""

ZERO_AIMS = {1: 6.1, 20: 25.7}
"""By words of a message: latency at zero load."""

BOOKSIM = {1: "0.852 / 0.958 / 0.849", 20: "0.533 / 0.734 / 0.751"}
"""What BookSim 2.0 accepts at saturation, with the files of :mod:`cubecast.tb.campaigns.curves.booksim`: 1, 4 and 8
virtual channels of 8 flits."""

BOOKSIM_ROUTERS = "1 / 4 / 8 virtual channels"

ZERO_BOOKSIM = {1: 14.0, 20: 33.3}
"""Its latency at zero load, with a virtual channel."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Planned:
    """A point to be measured.

    Parameters
    ----------
    series : str
        The table that it belongs to.
    label : dict
        What tells it apart there.
    config : configuration
        Parameters of the routers.
    traffic : Traffic
        What is sent.
    window : Window
        For how long.
    offered : float
        Offered load.
    engine : str
        What is run.
    """

    series: str
    label: Mapping[str, Any]
    config: Any
    traffic: Traffic
    window: Window
    offered: float
    engine: str = "rtl"

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of :func:`cubecast.tb.campaigns.curves.run.point`, as plain values."""
        return {
            "system": system_of(self.config).name,
            "config": dataclasses.asdict(self.config),
            "traffic": dataclasses.asdict(self.traffic),
            "window": dataclasses.asdict(self.window),
            "engine": self.engine,
            "offered": self.offered,
        }


def _routers(runs: int, depth: int) -> CrosspointConfig:
    """Return the parameters of the routers, those that ``cubecast load`` takes."""
    return CrosspointConfig(dim=DIM, runs=runs, eject_depth=depth, log_depth=0)


def _traffic(**values: Any) -> Traffic:
    """Return traffic on the cube that is measured."""
    return Traffic(**{"dim": DIM, "policy": POLICIES[0], **values})


def _kinds() -> Iterator[tuple[str, Any, str, tuple[float, ...]]]:
    """Yield the routers that are compared in the 6-cube, as :func:`_ways` does, and offered loads up to saturation.

    The longest message is sent as one. What is offered far beyond saturation would not drain.
    """
    plain: dict[str, Any] = {"dim": DIM, "log_depth": 0, "counters": 32}
    for tree, rates in (("ordered", COMPARED[:2]), ("greedy", COMPARED)):
        yield f"multicast, {tree}", MulticastConfig(**plain, policy=tree, max_data=LENGTHS[-1]), "", rates
    for routing in ("fixed", "quasi-adaptive"):
        yield f"packet, {routing}", PacketConfig(**plain, routing=routing), "", COMPARED
    yield f"crosspoint, {POLICIES[0]}", CrosspointConfig(**plain, runs=1, eject_depth=DEEP), POLICIES[0], COMPARED


def _ways() -> Iterator[tuple[str, Any, str]]:
    """Yield the routers compared in the small cube: what they are called, parameters, how a source chooses the way."""
    plain: dict[str, Any] = {"dim": ADVERSE_DIM, "log_depth": 0, "counters": 32}
    for tree in ("ordered", "greedy"):
        yield f"multicast, {tree}", MulticastConfig(**plain, policy=tree), ""
    for routing in ("fixed", "quasi-adaptive"):
        yield f"packet, {routing}", PacketConfig(**plain, routing=routing), ""
    for policy in POLICIES:
        runs = 1 if policy == POLICIES[0] else 2
        yield f"crosspoint, {policy}", CrosspointConfig(**plain, runs=runs), policy


def _large_ways() -> Iterator[tuple[str, Any, str, bool]]:
    """Yield the routers compared in the 6-cube by adverse patterns, as :func:`_ways` does, and which are slow."""
    for name, config, policy, rates in _kinds():
        yield name, config, policy, SATURATED not in rates
    for policy in POLICIES[1:]:
        yield f"crosspoint, {policy}", dataclasses.replace(config, runs=2), policy, False


def _plan() -> Iterator[Planned]:
    """Yield all points."""
    for length in LENGTHS:
        for depth in (DEEP, SHALLOW):
            for rate in RATES:
                yield Planned(
                    series="uniform",
                    label={"words": length, "eject": depth},
                    config=_routers(1, depth),
                    traffic=_traffic(length=length),
                    window=WINDOW,
                    offered=rate,
                )
        yield Planned(
            series="zero_load",
            label={"words": length},
            config=_routers(1, DEEP),
            traffic=_traffic(length=length),
            window=LONG,
            offered=ZERO_LOAD,
        )
    for policy in POLICIES:
        for pattern in PERMUTATIONS:
            yield Planned(
                series="permutations",
                label={"policy": policy, "pattern": pattern},
                config=_routers(1 if policy == POLICIES[0] else 2, DEEP),
                traffic=_traffic(pattern=pattern, policy=policy),
                window=WINDOW,
                offered=SATURATED,
            )
    for name, mix in MIXES.items():
        for length in LENGTHS[:2]:
            for depth in (SHALLOW, DEEP):
                yield Planned(
                    series="mixed",
                    label={"traffic": name, "words": length, "eject": depth},
                    config=_routers(1, depth),
                    traffic=_traffic(length=length, **mix),
                    window=WINDOW,
                    offered=SATURATED,
                )
    for name, config, policy, rates in _kinds():
        for length in LENGTHS:
            plain = Traffic(dim=DIM, length=length, policy=policy)
            for rate in rates:
                label = {"router": name, "words": length}
                yield Planned(series="routers", label=label, config=config, traffic=plain, window=WINDOW, offered=rate)
            yield Planned(
                series="routers_zero", label=label, config=config, traffic=plain, window=LONG, offered=ZERO_LOAD
            )
        for kind in COMPARED_MIXES:
            for length in LENGTHS[:2]:
                yield Planned(
                    series="routers_mixed",
                    label={"router": name, "traffic": kind, "words": length},
                    config=config,
                    traffic=Traffic(dim=DIM, length=length, policy=policy, **MIXES[kind]),
                    window=WINDOW,
                    offered=rates[-1],
                )
    for name, config, policy in _ways():
        for pattern in ADVERSE:
            yield Planned(
                series="adverse",
                label={"router": name, "pattern": pattern},
                config=config,
                traffic=Traffic(dim=ADVERSE_DIM, pattern=pattern, length=ADVERSE_LENGTH, policy=policy),
                window=SHORT,
                offered=SATURATED,
                engine="golden",
            )
    for name, config, policy, slow in _large_ways():
        for pattern in PERMUTATIONS:
            yield Planned(
                series="adverse_large",
                label={"router": name, "pattern": pattern},
                config=config,
                traffic=_traffic(pattern=pattern, length=ADVERSE_LENGTH, policy=policy),
                window=WINDOW,
                offered=SLOW_RATES.get(pattern, SLOW_RATES[""]) if slow else SATURATED,
            )


PLAN = tuple(_plan())
"""All points, in the order of the tables."""

Line = Mapping[str, Any]


def curves(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the curves that are drawn: uniform traffic by length and ejection queue."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        if line["series"] == "uniform":
            found.setdefault(f"{_words(line['words'])}, ejection queues of {line['eject']}", []).append(line)
    return found


def routers(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the curves that are drawn of all routers."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        if line["series"] == "routers" and line["words"] == DRAWN:
            found.setdefault(line["router"], []).append(line)
    return found


def tables(lines: Iterable[Line]) -> dict[str, list[str]]:
    """Return the tables of the page by name."""
    all_lines = [*lines]

    def of(series: str) -> list[Line]:
        """Return the lines of a series."""
        return [line for line in all_lines if line["series"] == series]

    uniform = [
        [
            _words(line["words"]),
            line["eject"],
            *(f"{line[name]:.3f}" for name in ("offered", "delivered")),
            *_latency(line),
            f"{line['worst_node']:.3f}",
            *(f"{line['link_use'][name]:.3f}" for name in ("mean", "max")),
        ]
        for line in of("uniform")
    ]
    head = ["message", "ejection queue", "offered", "delivered", "mean", "+-", "p50", "p95", "p99", "max"]
    zero = [
        [
            _words(line["words"]),
            *_latency(line),
            *(given.get(line["words"], "-") for given in (ZERO_AIMS, ZERO_BOOKSIM)),
        ]
        for line in of("zero_load")
    ]
    saturated = [
        [
            _words(line["words"]),
            line["eject"],
            f"{line['delivered']:.3f}",
            str(AIMS[line["words"], line["eject"]]),
            f"{line['worst_node']:.3f}",
            BOOKSIM.get(line["words"], "-"),
        ]
        for line in of("uniform")
        if line["rate"] == SATURATED
    ]
    found = {
        "saturation": markdown(
            [head[0], head[1], "delivered", "aim", "worst node", "BookSim"], saturated, [False, *[True] * 5]
        ),
        "uniform": markdown([*head, "worst node", "link use", "busiest"], uniform, [False, *[True] * 12]),
        "zero_load": markdown([head[0], *head[4:], "aim", "BookSim"], zero, [False, *[True] * 8]),
        "permutations": _crossed(of("permutations"), ("policy",), ("pattern",)),
        "mixed": _crossed(of("mixed"), ("traffic",), ("words", "eject")),
        "adverse": _crossed(of("adverse"), ("router",), ("pattern",)),
        "adverse_large": _crossed(of("adverse_large"), ("router",), ("pattern",)),
        "routers": _compared(of("routers")),
        "routers_zero": _empty(of("routers_zero")),
        "routers_mixed": _crossed(of("routers_mixed"), ("router",), ("traffic", "words")),
    }
    made = {name: table for name, table in found.items() if of("uniform" if name == "saturation" else name)}
    return {"revisions": points_by_revision(all_lines), **made}


def _by_router(lines: list[Line]) -> dict[str, dict[int, Line]]:
    """Return lines by router and words of a message; of several loads that of the greatest, which comes last."""
    found: dict[str, dict[int, Line]] = {}
    for line in lines:
        found.setdefault(line["router"], {})[line["words"]] = line
    return found


def _compared(lines: list[Line]) -> list[str]:
    """Return the table of routers at saturation."""
    head = ["router", *(text for length in LENGTHS for text in (_words(length), "flits")), "worst and best node"]
    rows = []
    for name, by_length in _by_router(lines).items():
        cells = [f"{of:.3f}" for each in by_length.values() for of in (each["delivered"], each["flits"]["delivered"])]
        long = by_length[LENGTHS[-1]]
        rows.append([name, *cells, f"{long['worst_node']:.3f}, {long['best_node']:.3f}"])
    given = [text for length in LENGTHS for text in ("-", BOOKSIM.get(length, "-"))]
    return markdown(head, [*rows, [f"BookSim, {BOOKSIM_ROUTERS}", *given, "-"]], [False, *[True] * (len(head) - 1)])


def _empty(lines: list[Line]) -> list[str]:
    """Return the table of latencies of routers at zero load."""
    head = ["router", *(text for length in LENGTHS for text in (_words(length), "p99"))]
    rows = [
        [
            name,
            *(
                f"{each['latency'][what]:,.{digits}f}"
                for each in by_length.values()
                for what, digits in (("mean", 1), ("p99", 0))
            ),
        ]
        for name, by_length in _by_router(lines).items()
    ]
    given = [text for length in LENGTHS for text in (str(ZERO_BOOKSIM.get(length, "-")), "-")]
    return markdown(head, [*rows, ["BookSim, 1 virtual channel", *given]], [False, *[True] * (len(head) - 1)])


def _latency(line: Line) -> list[str]:
    """Return the cells of a latency; none where the queues of the sources grow."""
    if line["delivered"] < 0.97 * line["offered"]:
        return ["-"] * 6
    names = ("mean", "interval", "p50", "p95", "p99", "max")
    return [f"{value:,.2f}" if isinstance(value := line["latency"][name], float) else f"{value:,}" for name in names]


def _words(count: int) -> str:
    """Return a number of words in words."""
    return f"{count} word{'s' * (count > 1)}"


def _crossed(lines: list[Line], down: tuple[str, ...], across: tuple[str, ...]) -> list[str]:
    """Return a table of what is delivered, with one kind of label down and others across."""

    def name(line: Line, labels: tuple[str, ...]) -> str:
        """Return what stands at the side."""
        shown = {"words": lambda value: _words(value), "eject": lambda value: f"queue {value}"}
        return ", ".join(shown.get(label, str)(line[label]) for label in labels)

    columns = list(dict.fromkeys(name(line, across) for line in lines))
    cells = {(name(line, down), name(line, across)): f"{line['delivered']:.3f}" for line in lines}
    rows = [[row, *(cells.get((row, column), "-") for column in columns)] for row in dict.fromkeys(k for k, _ in cells)]
    return markdown([" and ".join(down), *columns], rows, [False, *[True] * len(columns)])
