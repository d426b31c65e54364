"""Latency and throughput of a network against its load."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from cubecast.golden.common.algorithms.address import check_items
from cubecast.golden.common.algorithms.load import TRACE, Traffic
from cubecast.golden.common.algorithms.load import Traced as Arrival
from cubecast.golden.common.contract.parameters import integer, plain
from cubecast.golden.reduction.algorithms.load import Reductions, joined
from cubecast.golden.reduction.algorithms.tree import plan_group
from cubecast.options.files import output_folder, path_of
from cubecast.options.usage import ToolError, UsageError, check_seed, checked, shown
from cubecast.systems import SYSTEMS, System, config_name, system_of
from cubecast.systems.load import ENGINES, SATURATED, STEP, Window
from cubecast.systems.reduction import SYSTEM as REDUCTION

__all__ = [
    "CYCLES",
    "DEFAULT_RATES",
    "FIXED",
    "KEPT",
    "LOADED",
    "MOST_CYCLES",
    "MOST_JOBS",
    "MOST_RATE",
    "Arrival",
    "Load",
    "Point",
    "Reductions",
    "Traffic",
    "are_rates",
    "check_load",
    "load",
    "loaded",
    "measure",
    "traced_window",
    "window_of",
]

LOADED: dict[str, System] = {
    system.name: system for system in SYSTEMS.values() if system.loads is not None and not system.loads.joins
}
"""Systems with a network under load, by name."""

DEFAULT_RATES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
"""Offered loads, in words per node and cycle."""

MOST_RATE, MOST_CYCLES, MOST_JOBS = 64.0, 10_000_000, 1024

CYCLES = 4000
"""Cycles of the window."""

KEPT = "points.jsonl"
"""The restart file, which a study has, too, beside the results of a load."""

FIXED = {"log_depth": 0, "counters": 32}
"""Parameters of every configuration that is measured: no log, and counters that do not wrap in a window."""


@dataclasses.dataclass(frozen=True)
class Point:
    """What was measured at one offered load; words are per node and cycle, latencies in cycles.

    Parameters
    ----------
    rate : float or None
        Load asked for; None with given arrivals.
    offered, accepted, delivered : float
        Words that arrived, that routers took, and that came.
    flits : dict
        ``accepted`` by the routers, and ``delivered``: with the words of the routers' own.
    messages : int
        Messages in the window.
    unreachable : int
        Destinations of theirs that faults keep from being reached.
    latency : dict
        ``mean``, ``interval`` (half of the 95 % confidence interval), ``p50``, ``p95``, ``p99``, ``max``; all but the
        interval under ``queue``, until the first word is taken, and ``network``, from then on; all this of some
        messages alone under ``unicast`` and ``multicast``. None where there are no messages.
    steady : bool
        Whether the mean had settled.
    warmup : int
        Cycles before the window.
    worst_node, mean_node, best_node : float
        Words that a sending node gives its router.
    link_use : dict
        ``mean`` and ``max``.
    exactly_once, in_order, drained : bool
        Whether all came once, in the order sent, and in the end; ``in_order`` is None where a router promises no order.
    cycles : int
        Cycles run.
    seconds : float
        Of processor time.
    reductions : dict or None
        With ``reductions``: ``words`` of each all-reduce, ``operations`` that began in the window, ``cycles`` of these
        with ``mean``, ``min`` and ``max``, and whether all results of the run were ``right``.
    """

    rate: float | None
    offered: float
    accepted: float
    delivered: float
    flits: dict[str, float]
    messages: int
    unreachable: int
    latency: dict[str, Any]
    steady: bool
    warmup: int
    worst_node: float
    mean_node: float
    best_node: float
    link_use: dict[str, float]
    exactly_once: bool
    in_order: bool | None
    drained: bool
    cycles: int
    seconds: float
    reductions: dict[str, Any] | None = None

    @property
    def good(self) -> bool:
        """Whether nothing was lost, doubled or out of order, and all results of reductions were right."""
        right = self.reductions is None or self.reductions["right"]
        return self.exactly_once and self.in_order is not False and self.drained and right


@dataclasses.dataclass(frozen=True)
class Load:
    """A curve: its points, and the parameters that they were measured with."""

    points: tuple[Point, ...]
    parameters: dict[str, Any]

    @property
    def good(self) -> bool:
        """Whether all points are."""
        return all(point.good for point in self.points)


def loaded(config: Any) -> Any:
    """Return the configuration that is measured, with the parameters of :data:`FIXED`.

    Raises
    ------
    UsageError
        Its network cannot be measured.
    """
    if system_of(config).name not in LOADED:
        allowed = ", ".join(config_name(system.config) for system in LOADED.values())
        raise UsageError(f"config must be one of {allowed}, not {config_name(type(config))}")
    return dataclasses.replace(config, **FIXED)


def window_of(cycles: int | None = None, warmup: int | None = None) -> Window:
    """Return the window of so many cycles, after so many of warm-up; that is found if it is not given.

    Raises
    ------
    UsageError
        One is no multiple of the step between readings, or out of range.
    """
    cycles = CYCLES if cycles is None else cycles
    for name, value, least in (("cycles", cycles, STEP), ("warmup", 0 if warmup is None else warmup, 0)):
        if type(value) is not int or not least <= value <= MOST_CYCLES or value % STEP:
            allowed = f"a multiple of {STEP} from {least} to {MOST_CYCLES}"
            raise UsageError(f"{name} must be {allowed}, not {shown(value)}")
    half, quarter = (max(STEP, cycles // part // STEP * STEP) for part in (2, 4))
    return Window(warmup=half if warmup is None else warmup, found=warmup is None, cycles=cycles, tail=quarter)


def are_rates(values: object) -> bool:
    """Return whether these are offered loads of a curve: different numbers above 0, up to :data:`MOST_RATE`."""
    if not isinstance(values, tuple) or not all(type(value) in (int, float) for value in values):
        return False
    return bool(values) and all(0 < value <= MOST_RATE for value in values) and len({*values}) == len(values)


def traced_window(traffic: Traffic) -> Window:
    """Return the window of a trace: all of it."""
    from cubecast.tb.campaigns.curves.run import traced

    # A load node tells of a message two cycles after the message's own in the trace.
    last = checked(traced, traffic.trace, traffic.dim)[-1].cycle + 2
    return Window(warmup=0, found=False, cycles=(last // STEP + 1) * STEP, tail=STEP)


def check_load(config: Any, traffic: Traffic, engine: str, seed: int, reductions: Reductions | None = None) -> None:
    """Raise :class:`UsageError` unless this traffic can be measured on this network by this engine.

    Where faults leave no tree for the reductions it is a ``NoTreeError``.
    """
    from cubecast.tb.engine.parallel import LARGEST

    if traffic.dim != config.dim:
        raise UsageError(f"dim of traffic must be {config.dim}, that of config, not {traffic.dim}")
    if reductions is not None:
        if not isinstance(reductions, Reductions):
            raise UsageError(f"reductions must be Reductions, not {shown(reductions)}")
        if REDUCTION.base is not system_of(config):
            assert REDUCTION.base is not None
            raise UsageError(
                f"reduce must be given with router {REDUCTION.base.name} alone, not {system_of(config).name}"
            )
        checked(joined, config)

    loads = system_of(config).loads
    assert loads is not None
    checked(loads.model.check, config, traffic)
    if engine not in ENGINES:
        raise UsageError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    if engine != "golden" and config.dim > LARGEST:
        raise UsageError(f"dim must be an integer from 2 to {LARGEST} with engine {engine}, not {config.dim}")
    check_seed(seed)
    if reductions is not None and (traffic.faults or traffic.faulty_links):
        # Without faults there is a tree. Last, for in large cubes it takes seconds.
        plan_group(traffic.dim, links=traffic.faulty_links, faults=traffic.faults)


def measure(
    config: Any,
    traffic: Traffic,
    window: Window,
    rates: Sequence[float],
    *,
    engine: str,
    seed: int,
    jobs: int | None,
    folder: Path | None,
    progress: Callable[[str], None] = lambda text: None,
    reductions: Reductions | None = None,
) -> dict[str, Any]:
    """Return ``parameters`` and ``points`` of a curve as plain values.

    Parameters
    ----------
    config : configuration
        As :func:`loaded` returns it, and :func:`check_load` has let it pass.
    traffic, window : Traffic, Window
        What is sent, and for how long it is looked at.
    rates : sequence of float
        Offered loads.
    engine, seed
        As of :func:`load`.
    jobs : int or None
        Points at a time; None: one for each processor.
    folder : Path or None
        Where points that are done are kept; those that are there are not measured again.
    progress : function
        Called with what is being done.
    reductions : Reductions, optional
        What the nodes reduce beside it.

    Raises
    ------
    UsageError
        The folder holds something else.
    ToolError
        A tool is missing or fails.
    """
    # Studies load slowly, and what only parses options has no use for them.
    from cubecast.study import Store, StudyError, StudyFailure, Task, available_cpus, complete, open_executor
    from cubecast.tb.campaigns.curves.run import point

    jobs = available_cpus() if jobs is None else jobs
    checked(integer, "jobs", jobs, 1, MOST_JOBS)
    settings = {
        "system": system_of(config).name,
        "config": dataclasses.asdict(config),
        "traffic": dataclasses.asdict(traffic),
        "window": dataclasses.asdict(window),
        "engine": engine,
    }
    if reductions is not None:
        settings["reductions"] = dataclasses.asdict(reductions)
    tasks = [Task(point, {**settings, "offered": rate}) for rate in rates]

    def tell(done: int, of: int) -> None:
        progress(f"{done} of {len(tasks)} points done")

    try:
        with contextlib.ExitStack() as stack:
            store = stack.enter_context(Store(stack.enter_context(_kept(folder))))
            if min(jobs, len(tasks)) == 1:
                for done, task in enumerate(tasks):
                    tell(done, 0)
                    complete([task], _Here(), store, seed, lambda done, of: None)
            else:
                executor = stack.enter_context(open_executor(min(jobs, len(tasks))))
                complete(tasks, executor, store, seed, tell)
            points = [store.get(task, seed) for task in tasks]
    except StudyFailure as error:
        raise ToolError(str(error)) from error
    except StudyError as error:
        raise UsageError(str(error)) from error
    return {"parameters": {**settings, "seed": seed}, "points": points}


class _Here(Executor):
    """Does what it is given at once, in this very thread, so that the interrupt key ends it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do it."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextlib.contextmanager
def _kept(folder: Path | None) -> Iterator[Path]:
    """Give the folder for points, or one that does not stay."""
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory() as passing:
        yield Path(passing)


def load(
    config: Any,
    traffic: Traffic | Iterable[Arrival] | None = None,
    rates: Sequence[float] = DEFAULT_RATES,
    *,
    cycles: int | None = None,
    warmup: int | None = None,
    engine: str = ENGINES[0],
    seed: int = 1,
    jobs: int = 1,
    folder: str | Path | None = None,
    reductions: Reductions | None = None,
) -> Load:
    """Measure latency and throughput of a network of routers against its load.

    Parameters
    ----------
    config : CrosspointConfig, PacketConfig or MulticastConfig
        Parameters of the routers, crosspoint, packet or multicast; they get no log, and counters of 32 bits.
    traffic : Traffic, or iterable of Arrival
        What is sent: a pattern, uniform if it is not given; or messages of your own, one by one, from a generator for
        example: ``Arrival(cycle, source, destination, words)``, destination None for a broadcast. They take the place
        of ``rates``, ``cycles`` and ``warmup``.
    rates : sequence of float
        Offered loads, in words per node and cycle.
    cycles, warmup : int
        Cycles of the window (default 4,000) and before it (default: found); multiples of 100.
    engine : str
        ``rtl``: the RTL in the bit-parallel engine; ``verilator``: as Verilator translates it; ``golden``: the golden
        network, slowly. All have the same figures.
    seed : int
        Of everything random; the same seed gives the same figures on any machine.
    jobs : int
        Points at a time, each in a process: a script that asks for several needs ``if __name__ == "__main__":``.
    folder : path
        Where points that are done are kept, so that a run that was stopped goes on from there.
    reductions : Reductions
        All-reduces of all nodes beside it, ``Reductions(words=256, period=2000)``: join units stand beside the routers,
        in their default parameters.

    Returns
    -------
    Load
        The points, one for each load.

    Raises
    ------
    ValueError
        A parameter is out of range, or faults leave no tree for the reductions.
    ToolError
        A tool is missing or fails.

    Examples
    --------
    >>> curve = load(CrosspointConfig(dim=2), rates=[0.1, 0.5], cycles=400, engine="golden")
    >>> curve.good, [point.rate for point in curve.points]
    (True, [0.1, 0.5])
    >>> load(PacketConfig(dim=2), rates=[0.1], cycles=100, engine="golden").good
    True
    >>> around = load(PacketConfig(dim=2), Traffic(dim=2, faults=(3,)), [0.5], cycles=100, engine="golden")
    >>> around.good, around.points[0].unreachable > 0
    (True, True)
    """
    measured = loaded(config)
    rates, cycles, warmup, seed, jobs = (plain(value) for value in (rates, cycles, warmup, seed, jobs))
    with contextlib.ExitStack() as stack:
        if traffic is None:
            traffic = Traffic(dim=config.dim)
        elif not isinstance(traffic, Traffic):
            if cycles is not None or warmup is not None:
                raise UsageError("cycles and warmup must not be given with arrivals, which say it")
            traffic = _trace(config.dim, traffic, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        if not traffic.policy:
            ways = system_of(config).loads.policies  # type: ignore[union-attr]
            traffic = dataclasses.replace(traffic, policy="".join(ways[:1]))
        check_load(measured, traffic, engine, seed, reductions)
        traces = traffic.pattern == TRACE
        window = traced_window(traffic) if traces else window_of(cycles, warmup)
        wanted = (SATURATED,) if traces else rates
        if not are_rates(wanted):
            raise UsageError(f"rates must be different numbers above 0, up to {MOST_RATE:g}, not {shown(wanted)}")
        kept = None if folder is None else path_of("folder", folder, "folder")
        if kept is not None:
            output_folder(kept, [KEPT])
        found = measure(
            *(measured, traffic, window, wanted),
            engine=engine,
            seed=seed,
            jobs=jobs,
            folder=kept,
            reductions=reductions,
        )
    return Load(tuple(Point(**each) for each in found["points"]), found["parameters"])


def _trace(dim: int, arrivals: Iterable[Arrival], folder: Path) -> Traffic:
    """Return the traffic of messages that are kept in a file."""
    from cubecast.tb.campaigns.curves.run import digest_of

    lines = (_line(place, each) for place, each in enumerate(check_items("traffic", arrivals, "arrivals")))
    text, file = "".join(lines), folder / "trace.txt"
    file.write_text(text)
    return Traffic(dim=dim, pattern=TRACE, trace=str(file), digest=digest_of(text))


def _line(place: int, arrival: object) -> str:
    """Return the line of a trace that says when which message arrives."""
    if isinstance(arrival, Arrival):
        cycle, source, destination, words = plain(arrival)
        there, end = ("all", 0) if destination is None else (destination, destination)
        if all(type(field) is int for field in (cycle, source, end, words)):
            return f"{cycle} {source} {there} {words}\n"
    allowed = "an Arrival of integers, its destination None for a broadcast"
    raise UsageError(f"traffic[{place}] must be {allowed}, not {shown(arrival)}")
