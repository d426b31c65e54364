"""Record: one line of JSON per mutant, and the tables that are made of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.files import write_file
from cubecast.options.inputs import tables_of
from cubecast.options.usage import UsageError, shown
from cubecast.tb.harness.pages import markdown
from cubecast.tb.mutants.runs import EQUIVALENT, LIVING, PROOF

__all__ = ["Explanation", "Record", "explanations", "living", "overview", "score", "survivors"]

NEEDED = ("unit", "corner", "mutant", "sources", "outcome", "key", "seed", "revision", "date")

BEGINNING = '{"unit":'
"""How a line starts; what a killed process left of its last line starts so too."""


class Record:
    """A file of mutants; each is written when its outcome is known, so that an interrupted run goes on from there.

    What a killed process left of its last line is cut off.

    Parameters
    ----------
    path : Path
        The file; it need not exist.

    Raises
    ------
    UsageError
        A line of it is no mutant.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        text = path.read_text(errors="replace") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        torn = text.removeprefix(whole)
        if not BEGINNING.startswith(torn[: len(BEGINNING)]):
            whole = text
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                mutant = json.loads(line)
                self.lines.append(mutant | {key: mutant[key] for key in NEEDED})
            except (ValueError, KeyError, TypeError, RecursionError):
                wanted = f"record must have one mutant per line, not {line[:40]!r} (line {number} of {str(path)!r})"
                raise UsageError(wanted) from None
        if whole != text:
            write_file(path, whole)

    def known(self, unit: str, without: Sequence[str] = ("open", "slow")) -> dict[str, dict[str, Any]]:
        """Return the mutants of a unit by their keys, without those that had no answer, or another outcome."""
        return {line["key"]: line for line in self.lines if line["unit"] == unit and line["outcome"] not in without}

    def add(self, mutant: dict[str, Any]) -> None:
        """Append a mutant, a whole line at once."""
        self.lines.append(mutant)
        with self.path.open("a") as file:
            file.write(_text([mutant]))

    def replace(self, unit: str, mutants: Sequence[dict[str, Any]]) -> None:
        """Let these be all mutants of a unit."""
        if [line for line in self.lines if line["unit"] == unit] != list(mutants):
            self.lines = [*(line for line in self.lines if line["unit"] != unit), *mutants]
            write_file(self.path, _text(self.lines))


def _text(mutants: Iterable[Mapping[str, Any]]) -> str:
    """Return the lines of a record."""
    return "".join(json.dumps(mutant, separators=(",", ":")) + "\n" for mutant in mutants)


WAYS = ("in other runs", "in benches of units inside", "by proofs")
"""How mutants are killed that the first run lets live."""


def _way(line: Mapping[str, Any]) -> str | None:
    """Return how a mutant was killed; ``found`` is a seed, a table, the unit inside, or that it was a proof."""
    found = line.get("found")
    if line["outcome"] != "killed" or found is None:
        return None
    return WAYS[2 if found == PROOF else 1 if "/" in str(found) else 0]


def by_unit(lines: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the mutants of each unit, the units by name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["unit"], []).append(line)
    return dict(sorted(found.items()))


def score(lines: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the percentage that is killed of those that are not equivalent; None where all are."""
    outcomes = Counter(line["outcome"] for line in lines)
    counted = len(lines) - sum(outcomes[name] for name in EQUIVALENT)
    return 100 * outcomes["killed"] / counted if counted else None


def living(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the mutants that are neither killed nor proven equivalent."""
    return [line for line in lines if line["outcome"] in LIVING]


def overview(lines: Iterable[dict[str, Any]], reasons: Sequence[Explanation] = ()) -> list[str]:
    """Return the table of units, with the sum of all below; what lives for a reason stands apart."""
    names = (*EQUIVALENT, *LIVING)
    rows: list[list[object]] = []
    everything = by_unit(lines)
    for unit, mutants in everything.items():
        where = ", own" if any(line.get("places") == "own" for line in mutants) else ""
        rows.append(_row(f"`{unit}`{where}", mutants, names, reasons))
    rows.append(_row("all", [line for mutants in everything.values() for line in mutants], names, reasons))
    same = ("same", "masked", "by parameters", "in its surroundings")
    head = ["unit", "corner", "mutants", "killed", *WAYS, *same, *LIVING]
    right = [False, False, *[True] * len(head), False]
    return markdown([*head, "explained", "score", "revision"], rows, right)


def _row(
    name: str, mutants: Sequence[Mapping[str, Any]], names: Sequence[str], reasons: Sequence[Explanation]
) -> list[object]:
    """Return a row of the table of units."""
    outcomes = Counter(line["outcome"] for line in mutants)
    reached = score(mutants)
    corners, revisions = ({line[key]: None for line in mutants} for key in ("corner", "revision"))
    alone = name != "all"
    return [
        name,
        ", ".join(corners) if alone else "",
        len(mutants),
        outcomes["killed"],
        *(sum(_way(line) == way for line in mutants) for way in WAYS),
        *(outcomes[outcome] for outcome in names),
        sum(explained(line, reasons) is not None for line in living(mutants)),
        "" if reached is None else f"{reached:.1f} %",
        ", ".join(revisions) if alone else "",
    ]


class Explanation(NamedTuple):
    """Why a mutant lives, and the test or the page that holds there; ``mutant`` is a regular expression for it."""

    unit: str
    mutant: str
    why: str
    by: str


def explanations(text: str) -> list[Explanation]:
    """Read the explanations, entries ``[[mutant]]`` in TOML.

    Raises
    ------
    UsageError
        It is no TOML with such entries, or an entry has other keys, or values that are no texts, or a mutant that is no
        regular expression.
    """
    found = []
    for entry in tables_of(text, "mutant", "explanations"):
        if set(entry) != set(Explanation._fields) or not all(isinstance(value, str) for value in entry.values()):
            raise UsageError(f"mutant must have the texts {', '.join(Explanation._fields)}, not {', '.join(entry)}")
        try:
            re.compile(entry["mutant"])
        except re.error as error:
            raise UsageError(
                f"mutant must be a regular expression, not {shown(entry['mutant'])} ({entry['unit']}: {error})"
            ) from None
        found.append(Explanation(**entry))
    return found


def explained(line: Mapping[str, Any], reasons: Iterable[Explanation]) -> Explanation | None:
    """Return the explanation of a mutant that lives, if it has one."""
    return next((one for one in reasons if one.unit == line["unit"] and re.fullmatch(one.mutant, line["mutant"])), None)


def survivors(lines: Iterable[Mapping[str, Any]], reasons: Sequence[Explanation] = ()) -> list[str]:
    """Return the table of mutants that live, those without explanation first."""
    rows = []
    for line in living(lines):
        reason = explained(line, reasons)
        why = f"{reason.why} (`{reason.by}`)" if reason else "not explained"
        where = ", ".join(line["sources"])
        rows.append([f"`{line['unit']}`", f"`{line['mutant']}`", where, _about(line), why])
    rows.sort(key=lambda row: row[-1] != "not explained")
    return markdown(["unit", "mutant", "source", "what is known", "why it lives"], rows) if rows else ["None."]


def _about(line: Mapping[str, Any]) -> str:
    """Return what is known of a mutant that lives."""
    known = {"open": "no answer of the solver", "slow": "the run took too long", "alive": "inputs show it"}
    words = ["its tests pass" if line["unit"].endswith(".py") else known[line["outcome"]]]
    if line.get("depth") is not None:
        words.append(f"in cycle {line['depth']} at the earliest that was found")
    if line.get("unseen"):
        words.append("output `{1}` differs in cycle {0}, where it is not compared".format(*line["unseen"]))
    return "; ".join(words)
