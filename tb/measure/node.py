"""Node interface: cycles of sending, receiving, matching and completing on the RTL in lockstep; area and clock rate."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.bench import RESET_CYCLES, Bench
from cubecast.tb.harness.lockstep import Run, lockstep_all
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.synthesis import Job, Progress, area, measure, place_and_route
from cubecast.tb.node import playback
from cubecast.tb.node.program_run import ProgramRun

__all__ = [
    "BENCH",
    "CONFIG",
    "TITLE",
    "Measured",
    "figures",
    "headline",
    "matched",
    "on_twin",
    "rows",
    "run",
    "table",
    "verdict",
]

TITLE = "Node interface"

CONFIG = NodeConfig(router=PacketConfig(dim=3))
"""The network that is measured: the default, of 8 nodes."""

LATENCIES = (1, 4)
"""Cycles L of the memory, from a read to its first word, and from a write to its acknowledgement."""

ENTRIES = (0, 1, 8, 32, 128)
"""Posted receives that a message finds; it matches the one posted last."""

QUICK_ENTRIES = 8
"""The most of them in a quick run."""

INTERFACE = "cubecast.rtl.node.node_interface:NodeInterface"

DIMENSIONS = (3, 6, 10)
"""Dimensions n of the cubes whose interfaces are synthesised; the first one is placed."""

DEVICE, GRADES = "45k", (6, 8)
"""Device that it is placed on, and its speed grades."""

ROUTER, SEED = "router2", 2
"""Of nextpnr: its own router takes the same connections of this design out again and again; seed of the placer, which
puts the pin of the clock where no way leads to all of the device with seed 1."""

RATE = 60
"""Clock rate in MHz wanted in the slowest grade."""

KEPT = {
    unit: f"node_{unit}"
    for unit in (
        "matcher",
        "receive_engine",
        "send_scheduler",
        "send_engine",
        "control_unit",
        "buffer_pool",
        "event_log",
        "arrival_tracker",
        "reply_store",
        "report_store",
        "memory_ports",
        "instruction_queue",
        "registers",
    )
}
"""Units that are also synthesised once each, by themselves."""

LARGE = ("send_scheduler", "control_unit", "registers", "receive_engine", "memory_ports", "matcher", "arrival_tracker")
"""Those that have a column of their own."""

AIMS = {3: (6_000, "8"), 6: (8_000, ""), 10: (10_000, "40")}
"""LUT4 and block memories that an interface should have at most, by n."""

MOST = 40_000
"""Cycles of a run at most."""

SMALL, WHOLE, BIG = 4, 22, 4096
"""Bytes of messages; 22 are what the first packet has room for."""

PACKET, OF_IT = 17, 28
"""Cycles that a full packet takes of a link, and bytes of data in it."""

Programs = Mapping[int, Sequence[Mapping[str, Any]]]
Seen = Mapping[str, Any]


class Measured(playback.Playback):
    """Twin of the network of nodes that records when what happens in and between the interfaces.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the network.
    probe : bool
        Always true.
    """

    def __init__(self, config: NodeConfig, probe: bool = True) -> None:
        """Start with nothing recorded."""
        super().__init__(config, probe)
        self.seen: list[tuple[int, int, str, int]] = []
        self.word = [0] * config.nodes
        self.envelope = 1 + config.prefix_words

    def attach(self, run: ProgramRun) -> None:
        """Look at the interfaces in each cycle before they take their edges."""
        super().attach(run)
        for node, member in enumerate(self.network.nodes):
            edge = partial(self._edge, node, member.interface, member.interface.edge)
            member.interface.edge = edge  # type: ignore[method-assign]

    def _say(self, node: int, what: str, value: int = 0) -> None:
        """Record what happens at a node in this cycle."""
        assert self.run is not None
        self.seen.append((self.run.clock, node, what, value))

    def _edge(
        self, node: int, interface: Any, edge: Any, inputs: Mapping[str, int], outputs: Mapping[str, Any]
    ) -> None:
        """Record what happens in an interface, and take its edge."""
        matcher = interface.shown["matcher"][1]
        for what, value in (("settled", "how"), ("verdict", "placed")):
            if matcher[what]:
                self._say(node, what, matcher[value])
        if inputs.get("eject__valid") and outputs["eject__ready"]:
            last = inputs.get("eject__last", 0)
            if self.word[node] == self.envelope:
                self._say(node, "envelope")
            if last:
                self._say(node, "last")
            self.word[node] = 0 if last else self.word[node] + 1
        edge(inputs, outputs)

    def step(self, inputs: Mapping[str, int]) -> playback.Outputs:
        """Record the heads on the links; return this cycle's outputs and take the edge."""
        outputs = super().step(inputs)
        if self.run is not None:
            for j in range(self.run.config.dim):
                for node in bits(outputs[f"link_{j}_valid"] & outputs[f"link_{j}_head"]):
                    self._say(node, "head", j)
        return outputs

    def result(self) -> dict[str, Any] | None:
        """Return what was recorded, and what the programs say."""
        told = super().result()
        return None if told is None else told | {"seen": self.seen}


def stimulus(random: Random, config: NodeConfig, **options: Any) -> Generator[dict[str, int], Any, None]:
    """Run programs, see :func:`cubecast.tb.node.playback.stimulus`."""
    yield from playback.stimulus(random, config, **options)


BENCH = Bench(
    unit="node.node_network:NodeNetwork",
    twin="cubecast.tb.measure.node:Measured",
    stimulus=stimulus,
    collect=Measured.result,
    extra={"probe": True},
    first=playback.START,
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """A figure: what is measured, on which programs, and how it is found in what was seen.

    Parameters
    ----------
    start, end : str
        From when to when.
    programs : dict
        Programs of the nodes.
    found : function
        Takes what was seen and returns the cycles, or a part in percent.
    aim : function
        Takes L.
    """

    start: str
    end: str
    programs: Programs
    found: Callable[[Seen], float]
    aim: Callable[[int], float]


def _times(seen: Seen, node: int, what: str) -> list[int]:
    """Return the cycles in which something happened at a node."""
    return [cycle for cycle, at, said, _ in seen["seen"] if (at, said) == (node, what)]


def _after(times: Sequence[int], cycle: int) -> int:
    """Return the cycles from one to the first of others that is not before it."""
    return min(time for time in times if time >= cycle) - cycle


def _block(seen: Seen, node: int, name: str) -> Mapping[str, Any]:
    """Return what is told of the block of an instruction."""
    found: Mapping[str, Any] = next(block for block in seen["nodes"][node]["blocks"] if block["name"] == name)
    return found


def _send(to: int, kind: int, size: int, name: str = "a") -> dict[str, Any]:
    """Return the step that sends a message."""
    return {"do": "send", "name": name, "to": to, "type": kind, "bytes": size, "fill": 1}


def _receive(kind: int, size: int, name: str = "r") -> dict[str, Any]:
    """Return the step that receives a message of node 0."""
    return {"do": "receive", "name": name, "from": 0, "type": kind, "room": size}


def _one(size: int) -> dict[int, list[dict[str, Any]]]:
    """Return the programs of one message of node 0 to node 1, which waits for it."""
    return {0: [{"do": "compute", "clocks": 200}, _send(1, 0, size)], 1: [_receive(0, size)]}


def _bucket(kind: int) -> int:
    """Return the queue of receives of a type from node 0."""
    bits_of_it = CONFIG.hash_bits - 1
    return (kind ^ kind >> bits_of_it) & (1 << bits_of_it) - 1


def _types(entries: int, spread: bool) -> list[int]:
    """Return types of receives, whose queues are all or one."""
    return list(itertools.islice((kind for kind in itertools.count() if spread or not _bucket(kind)), entries))


def matched(entries: int, spread: bool) -> Programs:
    """Return the programs of a message that matches the last of some receives."""
    posted = _types(entries, spread)
    receives = [_receive(kind, SMALL, f"r{kind}") for kind in posted]
    sent = _send(1, posted[-1] if posted else 0, SMALL)
    return {0: [{"do": "compute", "clocks": 400 + 50 * entries}, sent], 1: receives}


def _several(to: Sequence[int]) -> Programs:
    """Return the programs of messages of one packet of node 0, all of which are received."""
    sends = [_send(node, place, WHOLE, f"a{place}") for place, node in enumerate(to)]
    programs: dict[int, list[dict[str, Any]]] = {0: [{"do": "compute", "clocks": 400}, *sends]}
    for place, node in enumerate(to):
        programs.setdefault(node, []).append(_receive(place, WHOLE, f"r{place}"))
    return programs


def _gap(seen: Seen) -> int:
    """Return the cycles between the last two messages of node 0."""
    before, last = _times(seen, 0, "head")[-2:]
    return last - before


def _send_aim(size: int, latency: int) -> int:
    """Return the cycles in which the first packet of a message should be on its way."""
    return 24 + latency + -(-size // CONFIG.word_bytes)


def _share(seen: Seen) -> float:
    """Return the data rate of a message of node 0 to node 1, in percent of a link's.

    It ends with the last word that node 1 takes: the link is through before, as routers have room for packets.
    """
    cycles = _times(seen, 1, "last")[-1] - _times(seen, 0, "head")[0] + 1
    return round(100 * BIG * PACKET / OF_IT / cycles, 1)


def rows() -> list[Row]:
    """Return all figures."""
    everyone = {node: [_receive(0, WHOLE)] for node in range(1, CONFIG.nodes)}
    broadcast = {"do": "broadcast", "name": "a", "type": 0, "bytes": WHOLE, "fill": 1}
    one = _one(WHOLE)
    # Behind a reset the matcher has to look who waits for the buffers of the pool.
    one[1].insert(0, {"do": "compute", "clocks": 50})
    return [
        *(
            Row(
                start=f"doorbell of a send of {size} bytes taken",
                end="head on the link",
                programs=_one(size),
                found=lambda seen: _after(_times(seen, 0, "head"), _block(seen, 0, "a")["posted"]),
                aim=partial(_send_aim, size),
            )
            for size in (SMALL, WHOLE)
        ),
        Row(
            start="doorbell of a receive taken",
            end="it stands in its queue",
            programs=one,
            found=lambda seen: _after(_times(seen, 1, "settled"), _block(seen, 1, "r")["posted"]),
            aim=lambda latency: 16 + latency,
        ),
        Row(
            start="last word taken from eject",
            end="FLAG 3 in memory",
            programs=one,
            found=lambda seen: _block(seen, 1, "r")["done"] - _times(seen, 1, "last")[0],
            aim=lambda latency: 6 + 2 * latency,
        ),
        Row(
            start="last word taken from eject",
            end="DONE on the link",
            programs=one,
            found=lambda seen: _after(_times(seen, 1, "head"), _times(seen, 1, "last")[0]),
            aim=lambda latency: 12 + 2 * latency,
        ),
        Row(
            start=f"head of a message of {WHOLE} bytes on the link",
            end="next one to the same neighbour",
            programs=_several((1, 1, 1, 1)),
            found=_gap,
            aim=lambda _: 90,
        ),
        Row(
            start=f"head of a message of {WHOLE} bytes on the link",
            end="next one, to another node",
            programs=_several((1, 2, 4)),
            found=_gap,
            aim=lambda _: 30,
        ),
        Row(
            start=f"{BIG} bytes to a neighbour",
            end="last word taken, % of a link's data rate",
            programs=_one(BIG),
            found=_share,
            aim=lambda _: 90,
        ),
        Row(
            start=f"doorbell of a broadcast of {WHOLE} bytes taken, n = {CONFIG.dim}",
            end="FLAG 3 of the sender",
            programs={0: [{"do": "compute", "clocks": 200}, broadcast], **everyone},
            found=lambda seen: _block(seen, 0, "a")["done"] - _block(seen, 0, "a")["posted"],
            aim=lambda _: 120,
        ),
    ]


def _options(programs: Programs, latency: int) -> dict[str, Any]:
    """Return what the stimulus of a run takes."""
    nodes = {str(node): list(steps) for node, steps in programs.items()}
    return {"programs": {"nodes": nodes}, "latency": latency, "most": MOST}


def on_twin(programs: Programs, latency: int) -> Seen:
    """Return what is seen when programs run on the twin alone."""
    twin, cycles = Measured(CONFIG), BENCH.stimulus(Random(1), CONFIG, **_options(programs, latency))
    for _ in range(RESET_CYCLES):
        twin.step({"rst": 1})
    inputs = dict(next(cycles))
    while True:
        try:
            inputs |= cycles.send(twin.step(inputs))
        except StopIteration:
            break
    found = twin.result()
    assert found is not None
    return found


def on_hardware(runs: Sequence[tuple[Programs, int]]) -> list[Seen]:
    """Return what is seen when programs run on the RTL in lockstep with the twin, each with its L."""
    asked = [Run(bench=BENCH, config=CONFIG, cycles=MOST, options=_options(*each)) for each in runs]
    return [report.collected for report in lockstep_all(asked)]


def figures(quick: bool, see: Callable[[Sequence[tuple[Programs, int]]], list[Seen]]) -> dict[str, Any]:
    """Return ``rows`` and ``verdicts``: cycles by what was measured, and by the entries that a message visits.

    Parameters
    ----------
    quick : bool
        Only with the shorter latency, and not with the most entries.
    see : function
        Takes programs, each with L, and returns what was seen.
    """
    latencies = LATENCIES[: 1 if quick else None]
    asked = [(row, latency) for row in rows() for latency in latencies]
    seen = see([(row.programs, latency) for row, latency in asked])
    found = [
        {"from": row.start, "to": row.end, "L": latency, "found": row.found(each), "aim": row.aim(latency)}
        for (row, latency), each in zip(asked, seen, strict=True)
    ]
    entries = [entries for entries in ENTRIES if not quick or entries <= QUICK_ENTRIES]
    posted = [(k, spread, latency) for k in entries for spread in (False, True) for latency in latencies]
    seen = see([(matched(k, spread), latency) for k, spread, latency in posted])
    verdicts = [verdict(*each, found) for each, found in zip(posted, seen, strict=True)]
    return {"rows": found, "verdicts": verdicts}


def verdict(posted: int, spread: bool, latency: int, seen: Seen) -> dict[str, Any]:
    """Return the cycles of a verdict."""
    queues = [_bucket(kind) for kind in _types(posted, spread)]
    visited = queues.count(queues[-1]) if queues else 0
    found = _after(_times(seen, 1, "verdict"), _times(seen, 1, "envelope")[0])
    aim = 12 + 2 * latency + visited * (latency + 4)
    return {"posted": posted, "spread": spread, "visited": visited, "L": latency, "found": found, "aim": aim}


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Run programs on the RTL, synthesise and place; return ``rows``, ``verdicts``, ``area`` and ``rates``.

    Parameters
    ----------
    quick : bool
        Only the least of each, and nothing placed.
    progress : function
        Takes a line that says what is done now.
    """
    progress(f"programs on the network of n = {CONFIG.dim}")
    found = figures(quick, on_hardware)
    texts = {
        n: verilog_of(INTERFACE, NodeConfig(router=PacketConfig(dim=n))) for n in DIMENSIONS[: 1 if quick else None]
    }
    grades = () if quick else GRADES
    made = measure([*_areas(texts), *(_place(texts[DIMENSIONS[0]], grade) for grade in grades)], progress)
    sizes = [_sizes(n, *made[2 * i : 2 * i + 2]) for i, n in enumerate(texts)]
    rates = [
        {"n": DIMENSIONS[0], "grade": grade, **each} for grade, each in zip(grades, made[2 * len(texts) :], strict=True)
    ]
    return {**found, "area": sizes, "rates": rates}


def _areas(texts: Mapping[int, str]) -> Iterator[Job]:
    """Yield two syntheses of each interface: as one, and with its units by themselves."""
    for n, verilog in texts.items():
        yield f"node interface of n = {n}", partial(area, verilog, "top")
        yield f"units of the node interface of n = {n}", partial(area, verilog, "top", KEPT)


def _place(verilog: str, grade: int) -> Job:
    """Return the placing of an interface."""
    return (
        f"node interface of n = {DIMENSIONS[0]}, grade {grade}",
        partial(place_and_route, verilog, "top", device=DEVICE, grade=grade, seed=SEED, router=ROUTER),
    )


def _sizes(n: int, whole: Mapping[str, Any], apart: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of one interface."""
    keys = ("luts", "ffs", "ram", "blocks")
    parts = {name: apart["modules"][name]["luts"] for name in LARGE}
    return {"n": n, "parts": parts, **{key: whole["total"][key] for key in keys}}


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables."""
    rows = [[row[key] for key in ("from", "to", "L", "found", "aim")] for row in result["rows"]]
    lines = markdown(["from", "to", "L", "cycles", "aim"], rows)
    verdicts = [
        [row["posted"], "spread" if row["spread"] else "one bucket", row["visited"], row["L"], row["found"], row["aim"]]
        for row in result["verdicts"]
    ]
    lines += [
        "",
        *markdown(["receives posted", "in", "visited", "L", "cycles to the verdict", "aim"], verdicts),
    ]
    sizes = []
    for row in result["area"]:
        luts, blocks = AIMS[row["n"]]
        sizes.append(
            [row["n"], *row["parts"].values(), row["luts"], luts, row["ffs"], row["ram"], row["blocks"], blocks]
        )
    head = ["n", *(f"{name}: LUT4" for name in LARGE), "interface: LUT4", "aim", "FF", "RAM 16x4", "DP16KD", "aim"]
    lines += ["", *markdown(head, sizes)]
    if result["rates"]:
        head = ["n", "device", "grade", "MHz", "aim", "slowest path from", "to", "levels", "logic ns", "routing ns"]
        rates = []
        for row in result["rates"]:
            path = [f"`{row['start']}`", f"`{row['end']}`", row["levels"], row["logic"], row["routing"]]
            rates.append([row["n"], DEVICE, row["grade"], row["mhz"], RATE if row["grade"] == GRADES[0] else "", *path])
        lines += ["", *markdown(head, rates)]
    return lines


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: those of the smallest cube."""
    found = {"node interface LUT4, n = 3": f"{result['area'][0]['luts']:,}"}
    return found | {f"node interface MHz, grade {row['grade']}": f"{row['mhz']}" for row in result["rates"]}
