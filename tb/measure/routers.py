"""Whole routers: what they take of three FPGA families, and the clock rate that they reach on ECP5 and iCE40."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cubecast import systems
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.options.usage import UsageError
from cubecast.systems.system import DEFAULT
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.designs import ROUTER
from cubecast.tb.measure.synthesis import (
    DEVICES,
    FAMILIES,
    Harness,
    Job,
    NotKept,
    Progress,
    cells,
    measure,
    placements,
)
from cubecast.tb.measure.unicast import unicast_router

__all__ = ["DESIGNS", "TITLE", "Design", "headline", "named", "run", "table"]

TITLE = "Whole routers"

UNITS: dict[str, tuple[str, Any]] = {
    "multicast": (ROUTER, Config),
    "packet": ("cubecast.rtl.packet.router:PacketRouter", PacketConfig),
    "crosspoint": ("cubecast.rtl.crosspoint.router:CrosspointRouter", CrosspointConfig),
    "collective": ("cubecast.rtl.collective.unit:CollectiveUnit", CollectiveConfig),
    "reduction": ("cubecast.rtl.reduction.router:ReductionRouter", ReductionConfig),
    "join_unit": ("cubecast.rtl.reduction.unit:ReductionUnit", ReductionConfig),
    "crosspoint_nodes": ("cubecast.rtl.adapter.network:AdapterNetwork", AdapterConfig),
    "crosspoint_loads": ("cubecast.rtl.crosspoint.load_network:LoadNetwork", CrosspointConfig),
}
"""System to what is measured of it, and its parameters; or a network of 2^n nodes: routers with network adapters, or
with load nodes."""

INSIDE: dict[Any, tuple[str, Any]] = {
    CollectiveConfig: ("router", Config),
    AdapterConfig: ("router", CrosspointConfig),
    ReductionConfig: ("router", CrosspointConfig),
}
"""Parameters that have those of a router inside: their name there, and what they are."""

GRADE = 6
"""Speed grade of an ECP5, the slowest."""

NONE = "none"
"""Name that stands for no design."""

SEEDS = (1, 2)
"""Seeds of the placer; the lower rate is in the table of all runs."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design:
    """What is measured of one router.

    Parameters
    ----------
    system : str
        One of :data:`UNITS`.
    dim : int
        n.
    preset : str
        Preset of the system.
    given : tuple
        Names and values of parameters that win over the preset.
    families : tuple
        FPGA families that it is synthesised for.
    devices : tuple
        Devices that it is placed on.
    harness : Harness
        What stands around it there, and what of it is left out.
    carry : bool
        Whether it may take carry cells there.
    wide : bool
        Whether cells of families may be functions of several LUTs.
    unicast : bool
        Whether it is the multicast router of this size whose units can send to one destination only.
    aim : int
        Clock rate wanted, in MHz; 0: none is stated.
    """

    system: str
    dim: int
    preset: str = DEFAULT
    given: tuple[tuple[str, Any], ...] = ()
    families: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    harness: Harness = dataclasses.field(default_factory=Harness)
    carry: bool = True
    wide: bool = True
    unicast: bool = False
    aim: int = 0

    @property
    def name(self) -> str:
        """What ``--routers`` calls it: the system, n, and what is not the default."""
        words = [self.system, str(self.dim)] + [self.preset] * (self.preset != DEFAULT)
        words += [f"{key}={_plain(value)}" for key, value in self.given]
        words += ["unicast"] * self.unicast + ["looped"] * self.harness.looped + ["bare"] * self.harness.bare
        return "-".join(words + ["plain"] * (not self.carry) + ["narrow"] * (not self.wide))

    @property
    def options(self) -> str:
        """What is not the default, for a table."""
        words = [self.preset] + [key if value is True else f"{key} = {_plain(value)}" for key, value in self.given]
        words += ["one destination"] * self.unicast
        words += ["without carry cells"] * (not self.carry) + ["without wide LUTs"] * (not self.wide)
        return ", ".join(words).replace("_", " ")

    def verilog(self) -> str:
        """Return its text."""
        unit, config = UNITS[self.system]
        given = dict(self.given)
        values = ({} if self.preset == DEFAULT else self._preset(given)) | given
        if config in INSIDE:
            name, kind = INSIDE[config]
            router = {key: values.pop(key) for key in list(values) if key in kind.__dataclass_fields__}
            return verilog_of(unit, config(**{name: kind(dim=self.dim, **router)}, **values))
        if self.unicast:
            return unicast_router(config(dim=self.dim, **values))
        return verilog_of(unit, config(dim=self.dim, **values))

    def _preset(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the preset."""
        return dict(systems.SYSTEMS[self.system].presets[self.preset](self.dim, given))


def _plain(value: int | str) -> int | str:
    """Return a value as it is said on the command line."""
    return value if isinstance(value, str) else int(value)


ALL = tuple(FAMILIES)

BLOCK = (("memories", "block"),)
"""Memories as block RAM."""

BARE = (("counters", 0), ("log_depth", 0))
"""No counters and no log."""

LOOPED = Harness(looped=True)
"""A router with its links leading back to itself."""

ALONE = Harness(looped=True, bare=True)
"""A router without control port, its links leading back to itself."""

EIGHT = (("max_dest", 8),)
"""Lists of up to eight."""

RUNS = {1: (("runs", 1),), 2: ()}

DESIGNS = (
    Design(system="multicast", dim=2, preset="small", families=ALL, devices=("25k", "hx8k")),
    Design(system="multicast", dim=3, preset="small", families=ALL, devices=("25k", "hx8k")),
    Design(system="multicast", dim=4, preset="small", families=ALL, devices=("25k", "hx8k")),
    Design(system="multicast", dim=2, families=ALL, devices=("25k",)),
    Design(system="multicast", dim=3, families=ALL, devices=("85k",), aim=80),
    Design(system="multicast", dim=4, families=ALL, devices=("85k",)),
    *(
        Design(system="multicast", dim=6, given=(*EIGHT, ("streamers", 1), *shared), families=("ecp5",), wide=wide)
        for shared in ((), (("multicasters", "channel"),))
        for wide in (True, False)
    ),
    *(
        Design(system="multicast", dim=6, given=EIGHT, families=("ecp5",), unicast=True, wide=wide)
        for wide in (True, False)
    ),
    Design(system="multicast", dim=2, preset="full", families=ALL, devices=("25k",)),
    Design(system="multicast", dim=3, preset="full", families=ALL, devices=("85k",)),
    Design(system="multicast", dim=2, preset="small", given=BLOCK, families=ALL, devices=("hx8k",)),
    Design(system="multicast", dim=3, preset="small", given=BLOCK, families=ALL, devices=("25k", "hx8k")),
    Design(system="multicast", dim=4, preset="small", given=BLOCK, families=ALL, devices=("hx8k",)),
    Design(system="multicast", dim=2, given=BLOCK, families=ALL, devices=("25k", "hx8k")),
    Design(system="packet", dim=3, given=BLOCK, families=ALL, devices=("hx8k",)),
    Design(system="collective", dim=3, given=BLOCK, families=ALL, devices=("hx8k",)),
    Design(system="packet", dim=3, preset="small", families=ALL, devices=("25k", "hx8k")),
    Design(system="packet", dim=3, families=ALL, devices=("25k",)),
    Design(system="packet", dim=4, families=ALL, devices=("25k",)),
    Design(system="packet", dim=3, preset="full", families=ALL, devices=("25k",)),
    Design(system="collective", dim=3, preset="small", families=ALL, devices=("25k", "hx8k")),
    Design(system="collective", dim=3, families=ALL, devices=("25k",)),
    Design(system="collective", dim=3, preset="full", families=ALL, devices=("25k",)),
    Design(system="crosspoint", dim=3, preset="small", families=ALL, devices=("25k", "hx8k"), harness=LOOPED),
    Design(system="crosspoint", dim=3, families=ALL, devices=("25k", "hx8k"), harness=LOOPED),
    Design(system="crosspoint", dim=4, families=ALL, devices=("25k", "hx8k"), harness=LOOPED),
    Design(system="crosspoint", dim=6, families=ALL, devices=("25k",), harness=LOOPED),
    *(
        Design(system="crosspoint", dim=dim, given=RUNS[runs], devices=("25k",), harness=ALONE, aim=aim)
        for dim, runs, aim in ((3, 1, 0), (3, 2, 110), (4, 1, 0), (4, 2, 105), (6, 1, 98), (6, 2, 88))
    ),
    *(
        Design(system="crosspoint", dim=dim, given=RUNS[runs], devices=("25k",), harness=ALONE, carry=False, aim=aim)
        for dim, runs, aim in ((3, 2, 110), (4, 2, 105), (6, 1, 98), (6, 2, 88))
    ),
    *(
        Design(system="crosspoint", dim=dim, given=(*RUNS[runs], ("multicast", False)), devices=("25k",), harness=ALONE)
        for dim in (3, 4, 6)
        for runs in (1, 2)
    ),
    *(
        Design(
            system="crosspoint",
            dim=dim,
            given=(("output_register", True), *given),
            devices=("25k",),
            harness=ALONE,
            carry=carry,
            aim=aim,
        )
        for dim, aim in ((4, 130), (6, 115))
        for given, carry in (((), True), ((), False), ((("eject_depth", 32),), True))
    ),
    *(
        Design(
            system="crosspoint", dim=6, given=(*RUNS[runs], ("link_regs", 1)), devices=("25k",), harness=ALONE, aim=aim
        )
        for runs, aim in ((1, 98), (2, 88))
    ),
    *(
        Design(system="crosspoint_nodes", dim=3, given=(*BARE, *given), families=("ecp5",), devices=("45k",), aim=80)
        for given in ((), (("link_regs", 1),))
    ),
    Design(
        system="crosspoint_nodes",
        dim=3,
        given=(*BARE, ("runs", 1), ("fault_entries", 0), ("policies", "e-cube")),
        families=("ecp5",),
        devices=("25k",),
        aim=80,
    ),
    Design(
        system="crosspoint_nodes",
        dim=4,
        given=(*BARE, ("runs", 1), ("eject_depth", 32), ("fault_entries", 0)),
        families=("ecp5",),
        devices=("85k",),
        aim=80,
    ),
    *(
        Design(system="reduction", dim=dim, given=(*BARE, *RUNS[1], *given), devices=("25k",), harness=ALONE, aim=aim)
        for dim, given, aim in ((4, (), 0), (6, (), 90), (6, (("contexts", 2),), 0))
    ),
    *(Design(system="join_unit", dim=6, given=(*given, *RUNS[1]), families=("ecp5",)) for given in (BARE[:1], ())),
    Design(system="crosspoint_loads", dim=3, given=BARE, families=("ecp5",), devices=("45k",), aim=80),
)
"""What is measured."""


def named(text: str) -> tuple[Design, ...]:
    """Return the designs of a list of names.

    Parameters
    ----------
    text : str
        Names, with commas between them; one that is no whole name is the beginning of several, up to a ``-``.
        ``none`` stands for no design: only what is kept is shown.

    Raises
    ------
    UsageError
        There is no such design.
    """
    found: list[Design] = []
    for name in text.split(",") if text != NONE else ():
        exactly = [design for design in DESIGNS if design.name == name]
        mine = exactly or [design for design in DESIGNS if design.name.startswith(f"{name}-")]
        if not mine:
            allowed = ",".join(design.name for design in DESIGNS)
            raise UsageError(f"routers must be {NONE} or some of {allowed}, or how they begin, not {name!r}")
        found += mine
    return tuple(design for design in DESIGNS if design in found)


def run(
    quick: bool, progress: Progress, asked: Sequence[Design] = DESIGNS, earlier: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Synthesise for each family, place and route; return ``rows`` and ``rates``, one per router, and what ``failed``.

    What a tool refuses, a design that does not fit for example, is told, and left out of the figures. Every figure is
    kept as soon as it is there, so that a run that was stopped goes on where it was; what was not asked for is in the
    result as far as it is kept.

    Parameters
    ----------
    quick : bool
        Only the smallest router, not placed.
    progress : function
        Takes a line that says what is done now.
    asked : sequence of Design
        What is measured if it is not kept.
    earlier : sequence of mapping
        Records of earlier runs. What is not kept of the hardware as it is, is in the result as it was recorded last.
        Each figure says its ``revision``: what was kept before it had one, that of the record, or else it is left out.
    """
    cells_before, rates_before = _recorded(earlier)
    measured = DESIGNS[:1] if quick else tuple(asked)
    rows, rates, failed = [], [], list[str]()

    def tried(job: Job) -> Job:
        """Return a job that ends well, whatever the tools say."""

        def attempt() -> dict[str, Any]:
            try:
                return job[1]()
            except SimulatorError as error:
                failed.append(f"{job[0]}: {error}")
                return {}

        return job[0], attempt

    measure([tried(job) for design in measured for job in _jobs(design, placed=not quick)], progress)
    for design in measured if quick else DESIGNS:
        about = {"system": design.system, "n": design.dim, "options": design.options, "name": design.name}
        found = {
            family: cells_before.get((design.name, family), {})
            | (_kept(functools.partial(_cells, design, family)) or {})
            for family in design.families
        }
        dated = {family: figures for family, figures in found.items() if "revision" in figures}
        if dated:
            rows.append({**about, **dated})
        about |= {"looped": design.harness.looped, "bare": design.harness.bare}
        for device in () if quick else design.devices:
            kept = [_kept(functools.partial(_placed, design, device, (seed,))) for seed in SEEDS]
            before = rates_before.get((design.name, device), [])
            runs = [{**_revision(before), **figures["runs"][0]} for figures in kept if figures] or before
            if runs and all("revision" in figures for figures in runs):
                where = {"device": device, "grade": GRADE if DEVICES[device].family == "ecp5" else 0}
                where["aim"] = design.aim if where["grade"] else 0
                rates.append({**about, **where, "runs": runs})
    return {"rows": rows, "rates": rates, "failed": failed}


def _revision(runs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return of which revision runs of the placer are."""
    return {"revision": runs[0]["revision"]} if runs else {}


def _recorded(earlier: Sequence[Mapping[str, Any]]) -> tuple[dict[Any, dict[str, Any]], dict[Any, list[Any]]]:
    """Return what was recorded last: cells by router and family, and runs of the placer by router and device."""
    found: dict[Any, dict[str, Any]] = {}
    rates: dict[Any, list[Any]] = {}
    for record in earlier:
        section, about = record["sections"].get("routers", {}), {"revision": record["revision"]}
        for row in section.get("rows", []):
            found |= {(row.get("name"), family): about | row[family] for family in FAMILIES if family in row}
        for row in section.get("rates", []):
            rates[row.get("name"), row["device"]] = [about | figures for figures in row.get("runs", [])]
    return found, rates


def _jobs(design: Design, placed: bool) -> list[Job]:
    """Return what has to be done for a design."""
    jobs: list[Job] = [
        (f"{design.name}, {family}", functools.partial(_cells, design, family, kept=False))
        for family in design.families
    ]
    for device in design.devices if placed else ():
        jobs.append((f"{design.name}, placed, {device}", functools.partial(_placed, design, device, SEEDS, kept=False)))
    return jobs


def _cells(design: Design, family: str, *, kept: bool = True) -> dict[str, Any]:
    """Return what a router takes of a family."""
    return cells(design.verilog(), "top", family, wide=design.wide, kept=kept)


def _placed(design: Design, device: str, seeds: Sequence[int], *, kept: bool = True) -> dict[str, Any]:
    """Return the figures of the placed router as ``runs``, one per seed."""
    where: dict[str, Any] = {"device": device, "grade": GRADE, "around": design.harness, "carry": design.carry}
    return {"runs": placements(design.verilog(), "top", seeds=seeds, kept=kept, **where)}


def _kept(look: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """Return a result that is kept, None if it is not."""
    try:
        return look()
    except NotKept:
        return None


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table of cells and that of clock rates."""
    columns: dict[str, tuple[str, ...]] = {"ecp5": ("luts", "ffs", "ram", "blocks"), "ice40": ("luts", "ffs", "blocks")}
    columns |= {"xilinx": ("luts", "ffs", "ram", "blocks")}
    head = ["router", "n", "options", "ECP5: LUT4", "FF", "RAM 16x4", "DP16KD", "iCE40: LUT4", "FF", "RAM 4k"]
    head += ["Xilinx 7: LUT", "FF", "distributed RAM cells", "RAMB", "revision"]
    lines = markdown(
        head,
        [
            [
                *(row[key] for key in ("system", "n", "options")),
                *(row.get(family, {}).get(key, "") for family, keys in columns.items() for key in keys),
                _revisions(row[family] for family in columns if family in row),
            ]
            for row in result["rows"]
        ],
    )
    if result["rates"]:
        head = ["router", "n", "options", "links", "control port", "device", "LUTs used", "FF", "MHz, each seed", "aim"]
        head += ["slowest path from", "to", "levels", "logic ns", "routing ns", "revision"]
        lines += ["", *markdown(head, [_rate(row) for row in result["rates"]])]
    return lines


def _rate(row: Mapping[str, Any]) -> list[Any]:
    """Return a line of the table of clock rates; the path is that of the slowest seed."""
    slowest = min(row["runs"], key=lambda found: found["mhz"])
    links, control = "looped" if row["looped"] else "registers", "none" if row["bare"] else "yes"
    rates = ", ".join(f"{found['mhz']}" for found in row["runs"])
    device = f"{row['device']}, grade {row['grade']}" if row["grade"] else row["device"]
    about = [row["system"], row["n"], row["options"], links, control, device]
    path = [f"`{slowest['start']}`", f"`{slowest['end']}`", *(slowest[key] for key in ("levels", "logic", "routing"))]
    return [*about, slowest["comb"], slowest.get("ffs", ""), rates, row["aim"] or "", *path, _revisions(row["runs"])]


def _revisions(found: Iterable[Mapping[str, Any]]) -> str:
    """Return of which revisions figures are."""
    return ", ".join(dict.fromkeys(figures["revision"] for figures in found))


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs."""
    rates = {row["name"]: min(found["mhz"] for found in row["runs"]) for row in result["rates"] if row["grade"]}
    return {"router MHz, n = 3": f"{rates['multicast-3']}"} if "multicast-3" in rates else {}
