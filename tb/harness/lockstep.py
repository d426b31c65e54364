"""Lockstep: a DUT and its golden twin take the same inputs, and all outputs are compared in every cycle.

A unit's testbench is one :class:`cubecast.tb.harness.bench.Bench`; :func:`lockstep` builds the DUT, runs it beside the
twin and returns a :class:`Report` or raises :class:`Mismatch`. The part that runs inside the simulator is
``cubecast.tb.harness.session``.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.options.files import output_file, output_folder
from cubecast.options.progress import Progress
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.builds import build
from cubecast.tb.harness.cache import cache_dir, digest, put
from cubecast.tb.harness.coverage import chosen, keep, known
from cubecast.tb.harness.modules import beside, lines_of, ports_of
from cubecast.tb.harness.netlists import netlisted
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.simulators import run as start
from cubecast.tb.harness.unset import MOST_START, unset
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.harness.waves import Waves, keep_waves

__all__ = ["Mismatch", "Report", "Run", "lockstep", "lockstep_all"]


class Mismatch(AssertionError):
    """The run failed: outputs differ, an event did not happen, or one side broke. The text is the whole report.

    Parameters
    ----------
    report : str
        The text.
    collected
        What the testbench's ``collect`` returned at the point of failure, or None.
    """

    def __init__(self, report: str, collected: Any = None) -> None:
        super().__init__(report)
        self.collected = collected


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """A run that passed.

    Parameters
    ----------
    events : Counter
        How often each event happened.
    cycles : int
        Cycles compared, those of the reset included.
    finished : bool
        Whether the stimulus ended by itself before the limit of cycles.
    seconds : float
        Wall time of the simulation without the build.
    loop_seconds : float
        Wall time of the cycles alone, of all runs of the process together.
    collected
        What the testbench's ``collect`` returned.
    command : str
        The command that replays the run.
    """

    bench: str
    simulator: str
    seed: int
    events: Counter[str]
    cycles: int
    finished: bool
    seconds: float
    loop_seconds: float
    collected: Any
    command: str

    def __str__(self) -> str:
        """Return one line per run, and the events below."""
        rate = self.cycles / self.loop_seconds if self.loop_seconds else 0.0
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.events.items()))
        head = f"{self.bench}: {self.cycles} cycles agree on {self.simulator}, seed {self.seed}, {rate:,.0f} cycles/s"
        return head + (f"\n  events: {counts}" if counts else "")


MOST_CYCLES = 10**9
"""Most cycles of a run: a day of the smallest unit."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """A run that is asked for; the fields are the parameters of :func:`lockstep`, and three more.

    Parameters
    ----------
    margin : float
        The run ends when it has this many times the cycles in which all its events happened, if that is before
        ``cycles``; 0: it goes on.
    least : float
        The part of its cycles that it has at least, however soon all its events have happened.
    patience : int
        A run in which an event is missing after ``cycles`` goes on until all have happened, for up to this many times
        as many. The command that replays it has all of them.
    """

    bench: Bench
    config: Any
    cycles: int = 2000
    seed: int = 1
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    require_events: bool = True
    margin: float = 0
    least: float = 0.25
    patience: int = 1
    netlist: str | None = None
    start: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers, and let the testbench's own arguments be those that are not given."""
        if type(self.cycles) is not int or not 1 <= self.cycles <= MOST_CYCLES:
            raise ValueError(f"cycles must be an integer from 1 to {MOST_CYCLES}, not {self.cycles!r}")
        if type(self.patience) is not int or self.patience < 1:
            raise ValueError(f"patience must be an integer of at least 1, not {self.patience!r}")
        if type(self.seed) is not int:
            raise ValueError(f"seed must be an integer, not {self.seed!r}")
        if self.start is not None and (type(self.start) is not int or not 1 <= self.start <= MOST_START):
            raise ValueError(f"start must be an integer from 1 to {MOST_START}, not {self.start!r}")
        _check_names("options", self.options, self.bench.stimulus, 2)
        extra = {**self.bench.extra, **self.extra}
        if self.extra:
            for side in (self.bench.twin, self.bench.component):
                module, _, attribute = side.partition(":")
                _check_names("extra", extra, getattr(importlib.import_module(module), attribute), 1)
        object.__setattr__(self, "extra", extra)

    def job(self, simulator: str) -> dict[str, Any]:
        """Return what the session is told, as plain values."""
        name = _name_of(self.bench)
        values = {"config": self.config.to_json(), "extra": dict(self.extra), "options": dict(self.options)}
        values |= {"simulator": simulator, "seed": self.seed, "cycles": self.cycles}
        values |= {"netlist": self.netlist, "start": self.start}
        longest = self.cycles * self.patience
        command = _command(name, values | {"cycles": longest})
        if not self.require_events:
            command += " --any-events"
        asked = {"require_events": self.require_events, "margin": self.margin, "least": self.least, "longest": longest}
        return {"bench": name, **values, **asked, "command": command}


KINDS: dict[type, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool,)),
    int: ("an integer", (int,)),
    float: ("a number", (float, int)),
    str: ("a text", (str,)),
    tuple: ("a list", (tuple, list)),
}
"""Type of an argument's own value to what another one must be, in words and as types."""


def _check_names(what: str, given: Mapping[str, Any], taker: Callable[..., Any], own: int) -> None:
    """Raise ``ValueError`` unless ``taker`` has these arguments, and needs no others, behind its own first ones.

    What has a plain value unless it is given one must get a value of the same kind.
    """
    taken = list(inspect.signature(taker).parameters.values())[own:]
    if any(each.kind is each.VAR_KEYWORD for each in taken):
        return
    names = [each.name for each in taken]
    for name in given:
        if name not in names:
            allowed = f"no names but {', '.join(names)}" if names else "no names"
            raise ValueError(f"{what} must have {allowed}, not {name!r}")
    for each in taken:
        if each.default is each.empty and each.name not in given:
            raise ValueError(f"{each.name} must be given in {what}, not left out: it has no default")
        kind, types = KINDS.get(type(each.default), ("", ()))
        if types and type(given.get(each.name, each.default)) not in types:
            raise ValueError(f"{each.name} in {what} must be {kind}, not {given[each.name]!r}")


def _name_of(bench: Bench) -> str:
    """Return the name under which :func:`cubecast.tb.harness.bench.load` finds this testbench again."""
    module = bench.stimulus.__module__
    for attribute, value in vars(sys.modules[module]).items():
        if value is bench:
            if attribute == "BENCH" and module.startswith("cubecast.tb."):
                return module.removeprefix("cubecast.tb.")
            return f"{module}:{attribute}"
    raise ValueError(f"bench must be a global of its stimulus's module {module}, so that a run can be replayed")


def _command(name: str, settings: Mapping[str, Any]) -> str:
    """Return the shell command that replays a run."""
    words = ["python", "-m", "cubecast.tb", name]
    for option, value in settings.items():
        if value in ({}, None):
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        if len(text) > 2000:
            folder = cache_dir() / "replay"
            kept = folder / f"{digest(text)}.json"
            put(kept, text.encode())
            text = f"@{kept}"
        words += [f"--{option}", text]
    return shlex.join(words)


def lockstep(
    bench: Bench,
    config: Any,
    *,
    simulator: str = "verilator",
    cycles: int = 2000,
    seed: int = 1,
    extra: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    waves: str | Path | None = None,
    require_events: bool = True,
    speed: str = "build",
    netlist: str | None = None,
    start: int | None = None,
    timeout: float = 600,
) -> Report:
    """Run a DUT beside its golden twin and compare all outputs in every cycle.

    In each cycle the inputs change after the rising edge, all outputs are compared when they have settled, and both
    sides take the next rising edge. A DUT without a clock is compared after each change of its inputs.

    With ``CUBECAST_COVERAGE`` set to a folder, every run is made on Verilator with counters, once, and kept there.

    Parameters
    ----------
    bench : Bench
        The unit's testbench, a global of its module.
    config : Config
        First argument of component and twin.
    simulator : str
        ``"verilator"`` or ``"icarus"``.
    cycles : int
        Limit of cycles, the reset included.
    seed : int
        Seed of the one ``random.Random`` that the stimulus draws from.
    extra : dict
        Keyword arguments of component and twin, plain values, over those of the testbench.
    options : dict
        Keyword arguments of the stimulus, plain values.
    waves : path
        Write an FST file here, and beside it what GTKWave and Surfer are to show (``.gtkw`` and ``.sucl`` behind its
        name), unless a user's own is there.
    require_events : bool
        False: a run may pass without all events.
    speed : str
        ``"build"`` (compile quickly) or ``"run"`` (simulate quickly).
    netlist : str
        Simulate what Yosys makes of each router for this family, one of
        :data:`cubecast.tb.harness.netlists.FAMILIES`; of the whole design where it holds no router.
    start : int
        Let registers and memories begin with random values of this seed instead of their initial ones, and what is
        assigned X be random too (Verilator only); outputs are compared from the second cycle of the reset on.
    timeout : float
        Seconds of wall time for the simulation.

    Returns
    -------
    Report
        Counts and times of the run.

    Raises
    ------
    Mismatch
        Outputs differ, an event did not happen, or the twin or the stimulus raised an exception.
    SimulatorError
        The simulator is missing, or did not build or run the design.
    UsageError
        The waves cannot be written there, or the netlist has cells without a model.
    ToolError
        They could not be written.
    """
    run = Run(
        bench=bench,
        config=config,
        cycles=cycles,
        seed=seed,
        extra=extra or {},
        options=options or {},
        require_events=require_events,
        netlist=netlist,
        start=start,
    )
    if waves is not None:
        output_folder(Path(waves).parent)
        if Path(waves).parent.is_dir():
            output_file(Path(waves), "waves")
    (report,) = _simulated([run], simulator, waves=waves, speed=speed, timeout=timeout)
    return report


BUNDLE = 16_000
"""Lines of Verilog, every instance counted, up to which designs are compiled side by side."""


def lockstep_all(runs: Sequence[Run], simulator: str = "verilator", *, timeout: float = 600) -> list[Report]:
    """Make several runs, as many as fit in one compiled design and one process, all in the same cycles.

    Compilers, simulators and Python take longer to start than a small unit runs.

    Parameters
    ----------
    runs : sequence of Run
        What is to be run.
    simulator, timeout
        As of :func:`lockstep`.

    Returns
    -------
    list of Report
        One per run, in their order.

    Raises
    ------
    Mismatch
        At least one run failed: the reports of all that did, each with the command that replays it alone.
    SimulatorError
        As of :func:`lockstep`.
    """
    reports: list[Report] = []
    failures: list[Mismatch] = []
    for bundle in _bundles(runs):
        try:
            reports += _simulated(bundle, simulator, timeout=timeout)
        except Mismatch as mismatch:
            failures.append(mismatch)
    if failures:
        raise Mismatch("\n\n".join(map(str, failures)), [failure.collected for failure in failures])
    return reports


def _bundles(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in groups of designs that are compiled together."""
    bundles: list[list[Run]] = []
    left = 0
    for run in runs:
        lines = lines_of(_verilog(run), TOP)
        alone = run.netlist is not None or run.start is not None
        if not bundles or alone or lines > left:
            bundles.append([])
            left = BUNDLE
        bundles[-1].append(run)
        left = 0 if alone else left - lines
    return bundles


TOP = "top"
"""Name of the top module of every design."""

SPEAKER = "cubecast"
"""Who tells on standard error how far a run is, as of :mod:`cubecast.tb.harness.building`."""


def _verilog(run: Run, *, sources: bool = False) -> str:
    """Return the Verilog of a run's unit."""
    bench = run.bench
    return verilog_of(bench.component, run.config, run.extra, sources=sources, presets=bench.presets)


def _text(run: Run, *, sources: bool) -> str:
    """Return the Verilog that a run simulates."""
    text = _verilog(run, sources=sources)
    text = text if run.netlist is None else netlisted(text, TOP, run.netlist)
    return text if run.start is None else unset(text)


def _simulated(
    runs: Sequence[Run],
    simulator: str,
    *,
    waves: str | Path | None = None,
    speed: str = "build",
    timeout: float,
) -> list[Report]:
    """Make some runs in one process; return their reports, or raise :class:`Mismatch` for those that failed."""
    # A netlist has no lines that anybody wrote.
    covered = None if any(run.netlist or run.start for run in runs) else chosen()
    if covered:
        simulator = "verilator"
    with Progress(SPEAKER, "making the Verilog"):
        texts = [_text(run, sources=bool(covered)) for run in runs]
    alone = len(runs) == 1
    start_with = runs[0].start
    # Equal designs, run with several seeds, are as many instances: each run has its own.
    text = texts[0] if alone else beside({f"u{place}": text for place, text in enumerate(texts)}, TOP)
    kind = {"trace": waves is not None, "coverage": bool(covered), "unset": start_with is not None}
    built = build(text, TOP, simulator, speed=speed, **kind)
    jobs = [run.job(simulator) for run in runs]
    if covered and (kept := known(covered, jobs)):
        return [Report(**report) for report in kept]
    for place, (job, one) in enumerate(zip(jobs, texts, strict=True)):
        job |= {"ports": ports_of(one, TOP)._asdict(), "prefix": "" if alone else f"u{place}__"}
        job |= {"waves": waves is not None}
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        (folder / "job.json").write_text(json.dumps(jobs))
        with Progress(SPEAKER, "simulating"):
            ran = start(
                built,
                TOP,
                simulator,
                "cubecast.tb.harness.session",
                folder=folder,
                seed=runs[0].seed,
                env={"CUBECAST_JOB": str(folder / "job.json")},
                waves=waves is not None,
                start=start_with,
                timeout=timeout,
            )
        outcome = folder / "outcome.json"
        if not outcome.exists():
            tail = "\n".join(ran.log.splitlines()[-40:])
            commands = "\n".join(f"replay: {job['command']}" for job in jobs)
            raise SimulatorError(f"{simulator} ended with status {ran.returncode} and no outcome:\n{tail}\n{commands}")
        if waves is not None:
            run = Waves(text, TOP, runs[0].bench.first, ports_of(text, TOP).clocked)
            keep_waves(folder / "waves.vcd", Path(waves), run)
        results = json.loads(outcome.read_text())
        if failed := [result for result in results if result["report"]]:
            collected = [result["collected"] for result in failed]
            raise Mismatch("\n\n".join(result["report"] for result in failed), collected[0] if alone else collected)
        passed = [
            Report(
                bench=job["bench"],
                simulator=simulator,
                seed=run.seed,
                events=Counter(result["events"]),
                cycles=result["cycles"],
                finished=result["finished"],
                seconds=ran.seconds,
                loop_seconds=result["seconds"],
                collected=result["collected"],
                command=job["command"],
            )
            for run, job, result in zip(runs, jobs, results, strict=True)
        ]
        if covered:
            names = [job["bench"] for job in jobs]
            keep(covered, folder / "coverage.dat", built / f"{TOP}.v", names, [vars(report) for report in passed])
    return passed
