"""Surroundings: what lives is asked about again, with the inputs alone that the neighbours of its unit give."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cubecast.tb.mutants.netlist import (
    TOP,
    Answer,
    Mutant,
    difference,
    made,
    module_of,
    placed_in,
    planted,
    rtlil_of,
    surrounding,
    translated,
)
from cubecast.tb.mutants.proofs import dead
from cubecast.tb.mutants.runs import LIVING, SURROUNDINGS, TABLES, Plan, selected_ports

__all__ = ["answers", "through_surroundings"]


def through_surroundings(
    asked: Plan, mutants: Iterable[dict[str, Any]], *, seconds: int, say: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield mutants of a unit; those that live, and that nobody can see where their module is placed, say so.

    Parameters
    ----------
    asked : Plan
        The unit.
    mutants : iterable of dict
        What :func:`cubecast.tb.mutants.runs.examine` yields.
    seconds : int
        How long the solver may take for one.
    say : function
        Takes a line of progress.

    Raises
    ------
    ToolError
        A tool failed.
    """
    left = []
    for mutant in mutants:
        if mutant["outcome"] in LIVING:
            left.append(mutant)
        else:
            yield mutant
    if not left:
        return
    found = answers(asked, [mutant["mutant"] for mutant in left], seconds=seconds, say=say)
    for mutant in left:
        answer = found.get(mutant["mutant"])
        unseen = answer is not None and answer.verdict == "same"
        yield dead(mutant) | {"outcome": SURROUNDINGS} if unseen else mutant


def answers(
    asked: Plan, mutants: Iterable[str], *, seconds: int, say: Callable[[str], None] = lambda _: None
) -> Mapping[str, Answer]:
    """Return whether mutants of a unit can be told apart in the surroundings of their modules, which some have.

    Arguments and exceptions: see :func:`through_surroundings`.
    """
    known = importlib.import_module(f"{TABLES}.common.unit_surroundings")
    run = asked.run
    there = placed_in(run.bench.component, run.config, run.extra)
    around: dict[str, Any] = {}
    chosen: list[Mutant] = []
    for what in mutants:
        module = module_of(what)
        if module not in around:
            unit = made(run.bench.component, run.config, run.extra) if module == TOP else _placed(there(module))
            around[module] = known.around(unit)
        if around[module] is not None:
            chosen.append(Mutant(len(chosen) + 1, what, (), True))
    if not chosen:
        return {}
    say(f"{asked.unit} at {asked.corner}: {len(chosen)} mutants in their surroundings")
    texts = {module: surrounding(looker) for module, looker in around.items() if looker is not None}
    found = {}
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        translated(rtlil_of(run.bench.component, run.config, run.extra), folder)
        verilog = planted(chosen, folder)
        ports = {module: selected_ports(verilog, module) for module in texts}
        for number, what, *_ in chosen:
            module = module_of(what)
            found[what] = difference(
                folder, ports[module], number, {}, seconds=seconds, top=module, around=texts[module]
            )
    return found


def _placed(unit: Any) -> Any:
    """Return a unit that another one places."""
    return unit.unit(*unit.parameters, **dict(unit.extra))
