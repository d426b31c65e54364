"""Lockstep: a DUT and its golden twin take the same inputs, and all outputs are compared in every clock.

A unit's testbench is one :class:`Bench`; :func:`lockstep` builds the DUT, runs it beside the twin and returns a
:class:`Report` or raises :class:`Mismatch`. The part that runs inside the simulator is ``cubecast.tb.harness.session``.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

from cubecast.tb.harness.builds import build
from cubecast.tb.harness.cache import cache_dir, digest
from cubecast.tb.harness.coverage import chosen, keep, known
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.harness.simulators import SimulatorError, run
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.harness.waves import vcd_to_fst

__all__ = ["RESET_CLOCKS", "Bench", "Mismatch", "Report", "load", "lockstep"]

SYSTEMS = ("common", "multicast", "packet", "collective")
"""Folders with benches of units."""

RESET_CLOCKS = 2
"""Clocks at the start of a run in which a DUT that has ``rst`` is held in reset, all other inputs 0."""

Values = dict[str, int]
Stimulus = Callable[..., Generator[Mapping[str, int], dict[str, Any], None]]
Events = Callable[[Any, dict[str, Any], dict[str, Any]], Iterable[str]]
Watch = Callable[[Values, dict[str, Any], Any], Iterable[str]]


class Mismatch(AssertionError):
    """The run failed: outputs differ, an event did not happen, or one side broke. The text is the whole report.

    Parameters
    ----------
    report : str
        The text.
    collected
        What the bench's ``collect`` returned at the point of failure, or None.
    """

    def __init__(self, report: str, collected: Any = None) -> None:
        super().__init__(report)
        self.collected = collected


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bench:
    """What a unit's testbench consists of; kept in its module as ``BENCH``.

    Parameters
    ----------
    name : str
        Name of the unit; ``rtl/<name>.py``, ``golden/<name>.py`` and ``tb/<name>.py``.
    component, twin : str
        ``"package.module:Class"``; constructed as ``Class(config, **extra)``. The component is imported only to
        make Verilog, never inside the simulator.
    stimulus : generator function
        ``stimulus(random, config, **options)`` draws from ``random`` only. It yields a dict of the inputs that
        change in this clock and is sent the outputs of that clock (None: not compared). When it returns, the run
        ends. It may drive ``rst`` at any time; the harness has already reset the DUT when it starts.
    events : tuple of str, or function
        What must happen at least once in a run; ``events(config, extra, options)`` if that depends on the run.
    watch : function
        ``watch(inputs, outputs, twin)`` returns the names of what happened in this clock. It is called after
        ``twin.step``: ``outputs`` are those of the clock, ``twin`` already holds the state of the next one.
    collect : function, optional
        ``collect(twin)`` at the end of the run, a failed one too; plain values, handed back as ``Report.collected``
        or ``Mismatch.collected``.
    extra : dict
        Keyword arguments of component and twin that a run has unless it says otherwise, plain values.
    config : str
        Class of the configuration, with ``to_json()`` and ``from_json()``.
    """

    name: str
    component: str
    twin: str
    stimulus: Stimulus
    events: tuple[str, ...] | Events = ()
    watch: Watch | None = None
    collect: Callable[[Any], Any] | None = None
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    config: str = "cubecast.golden.multicast.contract.config:Config"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """A run that passed.

    Parameters
    ----------
    events : Counter
        How often each event happened.
    clocks : int
        Clocks compared, those of the reset included.
    finished : bool
        Whether the stimulus ended by itself before the limit of clocks.
    seconds : float
        Wall time of the simulation without the build.
    loop_seconds : float
        Wall time of the clocks alone.
    collected
        What the bench's ``collect`` returned.
    command : str
        The command that replays the run.
    """

    bench: str
    simulator: str
    seed: int
    events: Counter[str]
    clocks: int
    finished: bool
    seconds: float
    loop_seconds: float
    collected: Any
    command: str

    def __str__(self) -> str:
        """Return one line per run, and the events below."""
        rate = self.clocks / self.loop_seconds if self.loop_seconds else 0.0
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.events.items()))
        head = f"{self.bench}: {self.clocks} clocks agree on {self.simulator}, seed {self.seed}, {rate:,.0f} clocks/s"
        return head + (f"\n  events: {counts}" if counts else "")


def load(name: str) -> Bench:
    """Return a bench: ``"packet.cam"`` or ``"cam"`` for ``cubecast.tb.packet.cam``, or ``"package.module:ATTRIBUTE"``.

    Raises
    ------
    ValueError
        There is no such bench.
    """
    place, _, attribute = name.partition(":")
    module = place if ":" in name or place.startswith("cubecast.") else _module_of(place)
    try:
        found = getattr(importlib.import_module(module), attribute or "BENCH", None)
    except ModuleNotFoundError as error:
        if error.name and not module.startswith(error.name):
            raise
        found = None
    if not isinstance(found, Bench):
        raise ValueError(f"bench must name a module with a BENCH, such as 'arbiter' or 'pkg.mod:BENCH', not {name!r}")
    return found


def _module_of(unit: str) -> str:
    """Return the module of a unit's bench, ``"packet.cam"``, or ``"cam"`` in the first system that has one."""
    room = Path(__file__).resolve().parents[1]
    for place in (unit, *(f"{system}.{unit}" for system in SYSTEMS)):
        if (room / f"{place.replace('.', '/')}.py").is_file():
            return f"cubecast.tb.{place}"
    return unit


def _name_of(bench: Bench) -> str:
    """Return the name under which :func:`load` finds this bench again."""
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
            folder.mkdir(exist_ok=True)
            kept = folder / f"{digest(text)}.json"
            kept.write_text(text)
            text = f"@{kept}"
        words += [f"--{option}", text]
    return shlex.join(words)


def lockstep(
    bench: Bench,
    config: Any,
    *,
    simulator: str = "verilator",
    clocks: int = 2000,
    seed: int = 1,
    extra: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    waves: str | Path | None = None,
    require_events: bool = True,
    speed: str = "build",
    timeout: float = 600,
) -> Report:
    """Run a DUT beside its golden twin and compare all outputs in every clock.

    In each clock the inputs change after the rising edge, all outputs are compared at the falling edge, and both
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
    clocks : int
        Limit of clocks, the reset included.
    seed : int
        Seed of the one ``random.Random`` that the stimulus draws from.
    extra : dict
        Keyword arguments of component and twin, plain values, over those of the bench.
    options : dict
        Keyword arguments of the stimulus, plain values.
    waves : path
        Write an FST file here.
    require_events : bool
        False: a run may pass without all events.
    speed : str
        ``"build"`` (compile quickly) or ``"run"`` (simulate quickly).
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
    """
    if type(clocks) is not int or clocks < 1:
        raise ValueError(f"clocks must be an integer of at least 1, not {clocks!r}")
    if type(seed) is not int:
        raise ValueError(f"seed must be an integer, not {seed!r}")
    extra, options = {**bench.extra, **(extra or {})}, dict(options or {})
    name = _name_of(bench)
    covered = chosen()
    if covered:
        simulator = "verilator"
    text = verilog_of(bench.component, config, extra, sources=bool(covered))
    top = "top"
    ports = ports_of(text, top)
    built = build(text, top, simulator, trace=waves is not None, speed=speed, coverage=bool(covered))
    settings = {"config": config.to_json(), "extra": extra, "options": options, "simulator": simulator}
    command = _command(name, settings | {"seed": seed, "clocks": clocks})
    if not require_events:
        command += " --any-events"
    if covered and (report := known(covered, bench.name, command)):
        return Report(**report)
    job = {
        "bench": name,
        "config": config.to_json(),
        "extra": extra,
        "options": options,
        "simulator": simulator,
        "seed": seed,
        "clocks": clocks,
        "require_events": require_events,
        "ports": ports._asdict(),
        "command": command,
    }
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        (folder / "job.json").write_text(json.dumps(job))
        ran = run(
            built,
            top,
            simulator,
            "cubecast.tb.harness.session",
            folder=folder,
            seed=seed,
            env={"CUBECAST_JOB": str(folder / "job.json")},
            waves=waves is not None,
            timeout=timeout,
        )
        if waves is not None:
            _keep_waves(folder, Path(waves))
        outcome = folder / "outcome.json"
        if not outcome.exists():
            tail = "\n".join(ran.log.splitlines()[-40:])
            raise SimulatorError(f"{simulator} ended with status {ran.returncode} and no outcome:\n{tail}")
        result = json.loads(outcome.read_text())
        if result["report"]:
            raise Mismatch(result["report"], result["collected"])
        passed = Report(
            bench=bench.name,
            simulator=simulator,
            seed=seed,
            events=Counter(result["events"]),
            clocks=result["clocks"],
            finished=result["finished"],
            seconds=ran.seconds,
            loop_seconds=result["seconds"],
            collected=result["collected"],
            command=command,
        )
        if covered:
            keep(covered, folder / "coverage.dat", built / f"{top}.v", vars(passed))
    return passed


def _keep_waves(folder: Path, waves: Path) -> None:
    """Move the waves of a run to where the caller wants them, as FST."""
    waves.parent.mkdir(parents=True, exist_ok=True)
    if (folder / "waves.vcd").exists():
        vcd_to_fst(folder / "waves.vcd", waves)
    elif (folder / "waves.fst").exists():
        shutil.move(folder / "waves.fst", waves)
