"""Proofs: mutants of a unit's own module, planted in what a proof of the unit is of, and whether it still holds.

In a proof of wires the units inside do what they like; the unit's own module is the one that its Verilog is made of.
"""

from __future__ import annotations

import importlib
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.usage import ToolError
from cubecast.tb.harness.formal import Undecided, Violated, netlist, prove
from cubecast.tb.mutants.netlist import (
    TOP,
    TRANSLATED,
    connected,
    module_of,
    moved,
    other_cells,
    own_cells,
    rtlil_of,
    translated,
)
from cubecast.tb.mutants.runs import LIVING, PROOF, TABLES, Plan

__all__ = ["dead", "through_proofs"]

INSIDE = "dut"
"""What a specification calls the unit."""


def through_proofs(
    asked: Plan, mutants: Iterable[dict[str, Any]], say: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield mutants of a unit; those that live and that a proof finds, which are of the first corner, are killed.

    Parameters
    ----------
    asked : Plan
        The unit.
    mutants : iterable of dict
        What :func:`cubecast.tb.mutants.runs.examine` yields.
    say : function
        Takes a line of progress.

    Raises
    ------
    ToolError
        The unit's own module is not the same in the proof, or a tool failed.
    Violated
        The proof does not hold without a mutant.
    """
    proofs = importlib.import_module(f"{TABLES}.common.unit_proofs")
    if not proofs.hold_for(asked.unit, asked.run.config, asked.run.extra):
        yield from mutants
        return
    specs: list[_Proof] = []
    for mutant in mutants:
        if mutant["outcome"] not in LIVING or module_of(mutant["mutant"]) != TOP:
            yield mutant
            continue
        if not specs:
            say(f"{asked.unit} at {asked.corner}: what lives through proofs")
            specs = [_proof(asked, spec, depth) for spec, depth in proofs.proofs(asked.unit)]
        by = next((spec.name for spec in specs if _refutes(spec, mutant["mutant"])), None)
        yield mutant if by is None else dead(mutant) | {"outcome": "killed", "by": [by], "found": PROOF}


def dead(mutant: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mutant without what is said of one that lives."""
    return {key: value for key, value in mutant.items() if key not in ("depth", "unseen", "cycle")}


class _Proof(NamedTuple):
    """A specification: its name, its netlist, depth of its induction, the cells in it that are those of the unit.

    ``connected`` are the ports of these cells that are in it: of a unit inside, those that it says something of.
    """

    name: str
    text: str
    depth: int
    cells: Mapping[str, str]
    connected: frozenset[tuple[str, str]]


def _proof(asked: Plan, spec: Any, depth: int) -> _Proof:
    """See that the module in which mutants are chosen is that of a proof, cell by cell, and that this holds."""
    run, name, text = asked.run, type(spec).__name__, netlist(spec)
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        cells = own_cells(translated(rtlil_of(run.bench.component, run.config, run.extra), folder), TOP)
        proven = translated(text, folder)
    there = own_cells(proven, f"{TOP}.{INSIDE}")
    pairs = other_cells(cells, there)
    if pairs is None:
        raise ToolError(f"{asked.unit} at {asked.corner} has other cells in {name}")
    prove(text, depth=depth)
    return _Proof(name, text, depth, pairs, connected(proven, f"{TOP}.{INSIDE}"))


def _refutes(proof: _Proof, mutant: str) -> bool:
    """Return whether a proof finds a mutant; not one at a port of a unit inside of which it says nothing."""
    cell, port = (word.removeprefix("\\") for word in re.findall(r"-(?:cell|port) (\S+)", mutant))
    if (proof.cells[cell], port) not in proof.connected:
        return False
    there = moved(mutant, TOP, f"{TOP}.{INSIDE}", proof.cells)
    try:
        prove(proof.text, depth=proof.depth, planted=[*TRANSLATED, f"mutate {there}"])
    except (Violated, Undecided):
        return True
    return False
