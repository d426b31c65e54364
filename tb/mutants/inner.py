"""Inner units: mutants of a unit that are inside of one that it places, through bench and proofs of that one."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.options.usage import ToolError
from cubecast.tb.harness.lockstep import Run
from cubecast.tb.mutants.netlist import (
    SELECT,
    TOP,
    WIDTH,
    Mutant,
    module_of,
    moved,
    other_cells,
    own_cells,
    placed_in,
    planted,
    rtlil_of,
    translated,
)
from cubecast.tb.mutants.proofs import dead, through_proofs
from cubecast.tb.mutants.runs import LIVING, Plan, plan, selected_ports, through_bench, units

__all__ = ["through_inner"]


def through_inner(
    asked: Plan, mutants: Iterable[dict[str, Any]], *, jobs: int, seeds: int, say: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield mutants of a unit; those that live and that bench or proofs of the unit inside find are killed.

    Parameters
    ----------
    asked : Plan
        The unit.
    mutants : iterable of dict
        What :func:`cubecast.tb.mutants.runs.examine` yields.
    jobs : int
        How many run at a time.
    seeds : int
        Runs of the inner unit, each with another seed.
    say : function
        Takes a line of progress.

    Raises
    ------
    ToolError
        The inner unit is not the same hardware, does not pass its bench without a mutant, or a tool failed.
    """
    inside: dict[str, list[dict[str, Any]]] = {}
    for mutant in mutants:
        module = module_of(mutant["mutant"])
        if mutant["outcome"] in LIVING and module != TOP:
            inside.setdefault(module, []).append(mutant)
        else:
            yield mutant
    if not inside:
        return
    run = asked.run
    unit_of = placed_in(run.bench.component, run.config, run.extra)
    for module, some in inside.items():
        inner = _plan(unit_of(module), asked.corner)
        if inner is None:
            yield from some
            continue
        name, each = inner.unit, inner.run
        say(f"{asked.unit} at {asked.corner}: {len(some)} mutants through {name}, up to {each.cycles:,} cycles each")
        found = _found(asked, module, inner, [mutant["mutant"] for mutant in some], jobs, seeds, say)
        for mutant in some:
            more = found.get(mutant["mutant"])
            yield mutant if more is None else {"found": name} | dead(mutant) | more


@functools.cache
def _benches() -> Mapping[str, tuple[str, Any, Run]]:
    """Return the units that have a bench by their components: what each is called, its line and its first run."""
    found = {}
    for name, (line, configs) in units().items():
        run = next(plan(name, line, configs, 1)).run
        found[run.bench.component] = name, line, run
    return found


def _plan(unit: Any, corner: str) -> Plan | None:
    """Return how a unit with its parameters is run, None if it has no bench."""
    component = f"{unit.unit.__module__}:{unit.unit.__name__}"
    if component not in _benches() or len(unit.parameters) != 1:
        return None
    name, line, first = _benches()[component]
    run = dataclasses.replace(
        first,
        config=unit.parameters[0],
        extra=dict(unit.extra),
        options=dict(unit.extra) if line.told else {},
        cycles=line.limit("verilator"),
        require_events=False,
    )
    return Plan(name, corner, run)


def _found(
    asked: Plan,
    module: str,
    inner: Plan,
    mutants: Sequence[str],
    jobs: int,
    seeds: int,
    say: Callable[[str], None],
) -> dict[str, dict[str, Any]]:
    """Return what bench and proofs of an inner unit find, by mutant."""
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        texts = [rtlil_of(each.run.bench.component, each.run.config, each.run.extra) for each in (asked, inner)]
        around, alone = (translated(text, folder) for text in texts)
        cells = other_cells(own_cells(around, module), own_cells(alone, TOP))
        if cells is None:
            raise ToolError(f"{asked.unit} at {asked.corner} has another {inner.unit} than that has by itself")
        there = [Mutant(number, moved(what, module, TOP, cells), (), True) for number, what in enumerate(mutants, 1)]
        verilog = planted(there, folder)
        told = {"select": SELECT, "width": WIDTH, "jobs": jobs}
        found: dict[str, dict[str, Any]] = {}
        for seed in range(1, seeds + 1):
            numbers = [number for number, what in enumerate(mutants, 1) if what not in found]
            if not numbers:
                break
            place = folder / f"seed {seed}"
            place.mkdir()
            run = dataclasses.replace(inner.run, seed=seed)
            again = dataclasses.replace(inner, run=run)
            results, _ = through_bench(again, verilog, selected_ports(verilog), {**told, "numbers": numbers}, place)
            found |= {
                mutants[number - 1]: result for number, result in results.items() if result["outcome"] == "killed"
            }
    whats = {each.what: mutants[each.number - 1] for each in there}
    left = [{"mutant": what, "outcome": LIVING[0]} for what, outer in whats.items() if outer not in found]
    for result in through_proofs(inner, left, say):
        if result["outcome"] == "killed":
            found[whats[result.pop("mutant")]] = result
    return found
