"""Collectives: cycles of all-reduces, barriers and rings beside the same done by messages; area and clock rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from cubecast.golden.collective.algorithms.group_ring import GroupRing, gray_ring, group_ring
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables
from cubecast.golden.collective.algorithms.result_spread import BROADCAST
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.collective import playback as collective_playback
from cubecast.tb.collective.playback import Playback, group
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure import processors
from cubecast.tb.measure.area import KEPT
from cubecast.tb.measure.designs import ROUTER
from cubecast.tb.measure.synthesis import Job, Progress, area, measure, place_and_route

__all__ = ["SIZES", "TITLE", "all_reduces", "bound", "headline", "rings", "run", "simulate", "table"]

TITLE = "Collectives"

DIMENSIONS = (3, 4, 5, 6)
"""Dimensions n of the cubes in which all-reduces are run."""

ON_RTL = 4
"""Largest n whose network is the RTL, in lockstep with its golden twin; that of larger ones is the twin alone."""

SIZES = (0, 1, 16, 256)
"""Words of the vectors; 0: a barrier."""

SEGMENT = 16
"""Words of a piece that one message carries."""

HOP, BROADCAST_HOP = 3, 2
"""Cycles of the router from link to link, of a message to one node and of a broadcast: see section latency."""

IDEAL, SOFTWARE = (0, 1), (100, 3)
"""Cycles of a processor that gathers: for a message, and for each of its words."""

RING_WORDS = 16
"""Words of the messages that a group exchanges."""

GROUPS = ((4, 8), (6, 16), (6, 64))
"""Groups: n, and their members."""

MOST = 100_000
"""Cycles that a run takes at most."""

UNIT = "cubecast.rtl.collective.unit:CollectiveUnit"
PORT = "cubecast.rtl.collective.local_port:LocalPort"

AREAS = ((3, 6, 64), (6, 8, 64), (6, 8, 1024))
"""Nodes that are synthesised: n, m, and the longest vector."""

PLACED = 6
"""Dimension of the cube whose unit is placed."""

SLOWEST, FASTEST = 6, 8
"""Speed grades of the ECP5."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Simulate, synthesise and place; return plain values.

    Parameters
    ----------
    quick : bool
        Only the smallest cube and group, in the golden twin, short vectors, and nothing placed.
    progress : function
        Takes a line that says what is done now.
    """
    reduced = []
    for n in DIMENSIONS[: 1 if quick else None]:
        progress(f"all-reduces of n = {n}")
        reduced += all_reduces(n, [size for size in SIZES if size <= 16] if quick else SIZES, rtl=not quick)
    rows = []
    for n, members in GROUPS[: 1 if quick else None]:
        progress(f"rings of {members} of {1 << n} nodes")
        rows.append(rings(n, members, rtl=not quick))
    found = AREAS[: 1 if quick else None]
    jobs = [job for each in found for job in _areas(*each)]
    grades = () if quick else (SLOWEST, FASTEST)
    results = measure([*jobs, *map(_place, grades)], progress)
    areas = [_area(*each, results[3 * i : 3 * i + 3]) for i, each in enumerate(found)]
    rates = [{"grade": grade, **rate} for grade, rate in zip(grades, results[len(jobs) :], strict=True)]
    return {"all_reduces": reduced, "rings": rows, "areas": areas, "rates": rates}


def all_reduces(n: int, sizes: Sequence[int], *, rtl: bool) -> list[dict[str, Any]]:
    """Return the cycles of all-reduces of vectors of these sizes, in hardware and by messages.

    Parameters
    ----------
    n : int
        Dimension of the cube.
    sizes : sequence of int
        Words of the vectors; 0: a barrier.
    rtl : bool
        Whether networks of up to :data:`ON_RTL` dimensions are the RTL.
    """
    rtl = rtl and n <= ON_RTL
    config = _config(n)
    plan = plan_merge(n)
    groups = []
    for size in sizes:
        vectors = {node: [node + 1 << place % 8 for place in range(size)] for node in range(config.nodes)}
        groups.append(group(merge_tables(plan, config, size, BROADCAST), [vectors]))
    own = simulate(collective_playback.BENCH, config, {"groups": groups, "most": MOST}, rtl=rtl)
    methods = {"unicasts": ("unicasts", (0, 0)), "ideal": ("gather", IDEAL), "software": ("gather", SOFTWARE)}
    tasks = [{"task": task, "cost": cost, "words": size} for task, cost in methods.values() for size in sizes]
    others = simulate(processors.BENCH, config, {"tasks": tasks, "most": MOST}, rtl=rtl)
    rows = []
    for i, (size, done) in enumerate(zip(sizes, own, strict=True)):
        total = config.nodes * (config.nodes + 1) // 2
        wanted = [[total << place % 8 for place in range(size)]] if size else []
        assert all(vectors == wanted for vectors in done["vectors"]), done["vectors"]
        cycles = {name: others[len(sizes) * j + i]["clocks"] for j, name in enumerate(methods)}
        row = {"n": n, "words": size, "rtl": rtl, "bound": bound(n, size), "hardware": max(done["registers"]["CLOCKS"])}
        rows.append(row | cycles)
    return rows


def bound(n: int, words: int) -> int:
    """Return the cycles of n hops to the sink, each of a whole vector, one word per cycle, and of a broadcast back."""
    return n * (HOP + words) + n * BROADCAST_HOP + words


def rings(n: int, members: int, *, rtl: bool) -> dict[str, Any]:
    """Return cycles and waiting of an all-to-all in rings and by multicasts.

    Parameters
    ----------
    n : int
        Dimension of the cube.
    members : int
        Size of the group, which is drawn at random.
    rtl : bool
        Whether networks of up to :data:`ON_RTL` dimensions are the RTL.
    """
    rtl = rtl and n <= ON_RTL
    config = _config(n)
    nodes = sorted(Random(members).sample(range(config.nodes), members))
    kinds = {
        "ring": group_ring(n, nodes, "ascending"),
        "sequence": gray_ring(n, nodes, "ascending"),
        "gray": gray_ring(n, range(config.nodes)),
    }
    groups = [_circulation(ring, config, nodes) for ring in kinds.values()]
    own = simulate(collective_playback.BENCH, config, {"groups": groups, "most": MOST}, rtl=rtl)
    for done in own:
        for node in nodes:
            wanted = [[other, *_words(other)] for other in nodes if other != node]
            assert sorted(done["vectors"][node]) == wanted, (node, done["vectors"][node])
    ways = {"turns": True, "once": False}
    shared = {"task": "multicasts", "cost": (0, 0), "words": RING_WORDS, "members": nodes}
    tasks = [shared | {"turns": turns} for turns in ways.values()]
    others = simulate(processors.BENCH, config, {"tasks": tasks, "most": MOST}, rtl=rtl)
    found = {name: _moved(done, max(done["registers"]["CLOCKS"])) for name, done in zip(kinds, own, strict=True)}
    found |= {name: _moved(done, done["clocks"]) for name, done in zip(ways, others, strict=True)}
    return {"n": n, "members": members, "rtl": rtl, "least": (members - 1) * RING_WORDS, "ways": found}


def _circulation(ring: GroupRing, config: CollectiveConfig, nodes: Sequence[int]) -> dict[str, Any]:
    """Return the group of a run in which the nodes' messages go round a ring."""
    tables = ring_tables(ring, config, RING_WORDS, nodes)
    return group(tables, [{node: _words(node) for node in nodes}])


def _words(node: int) -> list[int]:
    """Return the message of a member."""
    return [node << 8 | place for place in range(RING_WORDS)]


def _moved(done: Mapping[str, Any], cycles: int) -> dict[str, int]:
    """Return cycles, words and waiting of one all-to-all, those of the ejection ports left out."""
    sums = {name: sum(sum(ports[:-1]) for ports in done[name]) for name in ("words", "waited")}
    return {"clocks": cycles, **sums}


def _config(n: int) -> CollectiveConfig:
    """Return the parameters of the networks that are simulated."""
    return CollectiveConfig(router=Config(dim=n, max_data=SEGMENT + 2), max_vector=max(SIZES))


def simulate(bench: Bench, config: CollectiveConfig, options: Mapping[str, Any], *, rtl: bool) -> list[dict[str, Any]]:
    """Return the record of a run, on the RTL in lockstep with its twin or on the twin alone.

    Parameters
    ----------
    bench : Bench
        A testbench whose twin is a :class:`~cubecast.tb.collective.playback.Playback`.
    config : CollectiveConfig
        Parameters of the network.
    options : mapping
        Keyword arguments of the stimulus.
    rtl : bool
        Whether the RTL is simulated.
    """
    if rtl:
        found: list[dict[str, Any]] = lockstep(bench, config, cycles=10 * MOST, options=options, timeout=3600).collected
        return found
    twin = Playback(config, probe=False)
    twin.step({"rst": 1})
    steps = bench.stimulus(Random(1), config, **options)
    inputs = {"rst": 0} | dict(next(steps))
    try:
        while True:
            inputs |= steps.send(twin.step(inputs))
    except StopIteration:
        return twin.result()


def _node(n: int, most: int, vector: int) -> CollectiveConfig:
    """Return the parameters of a node that is synthesised."""
    return CollectiveConfig(router=Config(dim=n, max_dest=most), max_vector=vector)


def _areas(n: int, most: int, vector: int) -> list[Job]:
    """Return the syntheses of a collective unit, a local port and a router."""
    config = _node(n, most, vector)
    designs: dict[str, tuple[str, dict[str, str]]] = {
        "collective unit": (verilog_of(UNIT, config), {}),
        "local port": (verilog_of(PORT, config), {}),
        "router": (verilog_of(ROUTER, config.router), KEPT),
    }
    return [
        (f"{name} of n = {n}, vectors of {vector}", partial(area, verilog, "top", kept))
        for name, (verilog, kept) in designs.items()
    ]


def _place(grade: int) -> Job:
    """Return the placing of a collective unit."""
    n, most, vector = next(each for each in AREAS if each[0] == PLACED)
    verilog = verilog_of(UNIT, _node(n, most, vector))
    where = f"collective unit of n = {n}, grade {grade}"
    return where, lambda: place_and_route(verilog, "top", grade=grade)


def _area(n: int, most: int, vector: int, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of one node."""
    keys = ("luts", "ffs", "ram", "blocks")
    parts = {
        name: {key: result["total"][key] for key in keys}
        for name, result in zip(("unit", "port", "router"), results, strict=True)
    }
    return {"n": n, "m": most, "vector": vector, **parts}


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables."""
    message, word = SOFTWARE
    head = ["n", "words", "bound", "in hardware", "times the bound", "unicasts", "gather, ideal processors"]
    head += [f"gather, {message} cycles per message and {word} per word", "simulated"]
    rows: list[Sequence[object]] = []
    for row in result["all_reduces"]:
        rows.append([row["n"], row["words"] or "0 (barrier)", row["bound"], row["hardware"]])
        rows[-1] = [*rows[-1], f"{row['hardware'] / row['bound']:.2f}", row["unicasts"], row["ideal"], row["software"]]
        rows[-1] = [*rows[-1], _simulated(row)]
    lines = markdown(head, rows)
    names = {
        "ring": "ring",
        "sequence": "ring in the sequence of the Gray code",
        "gray": "along the Gray code of the cube",
        "turns": "multicasts in turn",
        "once": "multicasts at once",
    }
    head = ["members", "way", "cycles", "words over links", "cycles waited for links", "times (m - 1) L", "simulated"]
    rows = []
    for row in result["rings"]:
        for name, found in row["ways"].items():
            rows.append([f"{row['members']} of {1 << row['n']}", names[name], found["clocks"], found["words"]])
            share = f"{found['clocks'] / row['least']:.2f}"
            rows[-1] = [*rows[-1], found["waited"], share, _simulated(row)]
    lines += ["", *markdown(head, rows)]
    head = ["n", "V", "collective unit: LUT4", "FF", "RAM 16x4", "local port: LUT4", "m of the router", "router: LUT4"]
    head += ["FF", "RAM 16x4", "added, LUT4", "added, memory as LUTs"]
    rows = []
    for row in result["areas"]:
        unit, port, router = (row[name] for name in ("unit", "port", "router"))
        rows.append([row["n"], row["vector"], *(unit[key] for key in ("luts", "ffs", "ram")), port["luts"], row["m"]])
        rows[-1] = [*rows[-1], *(router[key] for key in ("luts", "ffs", "ram"))]
        added, whole = unit["luts"] + port["luts"], router["luts"]
        rows[-1] = [*rows[-1], f"+{added / whole:.0%}".replace("%", " %")]
        added, whole = added + 4 * unit["ram"], whole + 4 * router["ram"]
        rows[-1] = [*rows[-1], f"+{added / whole:.0%}".replace("%", " %")]
    lines += ["", *markdown(head, rows)]
    if result["rates"]:
        head = ["design", "n", "grade", "MHz", "slowest path from", "to", "levels", "logic ns", "routing ns"]
        rows = []
        for rate in result["rates"]:
            rows.append(
                ["collective unit", PLACED, rate["grade"], rate["mhz"], f"`{rate['start']}`", f"`{rate['end']}`"]
            )
            rows[-1] = [*rows[-1], *(rate[key] for key in ("levels", "logic", "routing"))]
        lines += ["", *markdown(head, rows)]
    return lines


def _simulated(row: Mapping[str, Any]) -> str:
    """Return what was simulated."""
    return "RTL" if row["rtl"] else "golden twin"


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: an all-reduce of 16 words, and the unit that is placed."""
    found = {}
    for row in result["all_reduces"]:
        if (row["n"], row["words"]) == (PLACED, 16):
            found["all-reduce of 64 nodes, cycles"] = f"{row['hardware']:,}"
    for rate in result["rates"]:
        if rate["grade"] == SLOWEST:
            found["collective unit MHz, grade 6"] = f"{rate['mhz']}"
    return found
