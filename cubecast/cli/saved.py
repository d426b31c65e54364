"""Results that commands save with ``--json``, and the run that they are of: enough to run it again."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cubecast.options.usage import UsageError, shown

__all__ = ["COMMANDS", "FILES", "HELP", "PLACES", "Run", "run_of", "with_run", "without"]

COMMANDS = ("simulate", "route", "reduce", "ring", "load")
"""Commands whose results have the run that they are of."""

FILES = ("messages", "programs", "values")
"""Options that name a file to read, without their dashes: a result has what was in it."""

PLACES = ("--waves", "--svg", "--explore", "-o", "--out", "--booksim")
"""Options that say where something is written: no part of a run."""

ALONE = ("--json", "-h", "--help")
"""Options without a value that are no part of a run."""

NO_PART = (*PLACES, "--jobs", *(f"--{name}" for name in FILES))
"""Options with a value that are not among the arguments of a run."""

HELP = (
    '"run": {"command", "arguments", "files": what was in them}, by which "cubecast explore" makes the page of the run'
)
"""Of the key, for the help texts of all commands."""


class Run(NamedTuple):
    """A run, as a result has it: the command, its arguments without places and files, and what was in the files."""

    command: str
    arguments: list[str]
    files: dict[str, Any]


def with_run(
    arguments: argparse.Namespace, answer: Mapping[str, Any], instead: Sequence[str] = (), **files: Any
) -> dict[str, Any]:
    """Return an answer, and under ``"run"`` what it is the answer to.

    Parameters
    ----------
    arguments : Namespace
        Of the command; ``words`` are its arguments as they were given.
    answer : mapping
        What the command prints.
    instead : sequence of str
        An option and its value, which take the place of what was given.
    **files
        What was in the files that options name; None: that option was not given.
    """
    kept = [*without(arguments.words, [*NO_PART, *instead[:1]], ALONE), *instead]
    given = {name: content for name, content in files.items() if content is not None}
    return {**answer, "run": Run(arguments.command, kept, given)._asdict()}


def without(words: Sequence[str], valued: Sequence[str], alone: Sequence[str] = ()) -> list[str]:
    """Return arguments of a command without options that have a value, and without some that have none."""
    kept, values = [], 0
    for word in words:
        name = word[:2] if word[:1] == "-" != word[1:2] else word.partition("=")[0]
        if values:
            values = 0
        elif name in valued:
            values = int(word == name)
        elif name not in alone:
            kept.append(word)
    return kept


def run_of(result: Mapping[str, Any], name: str) -> Run:
    """Return the run that a result is of.

    Parameters
    ----------
    result : mapping
        What a command has printed with ``--json``.
    name : str
        What it is called in errors.

    Raises
    ------
    UsageError
        There is none, or one that a command does not write.
    """
    value = result.get("run")
    if value is None:
        told = "as a command with --json saves it; errors and results of earlier versions have none"
        raise UsageError(f'result {name} must have a "run", {told}')
    if not isinstance(value, dict) or {*value} != {*Run._fields}:
        raise UsageError(f"result {name}: run must be an object with {', '.join(Run._fields)}, not {shown(value)}")
    run = Run(**value)
    if run.command not in COMMANDS:
        raise UsageError(f"result {name}: run.command must be one of {', '.join(COMMANDS)}, not {shown(run.command)}")
    if not isinstance(run.arguments, list) or not all(isinstance(word, str) for word in run.arguments):
        raise UsageError(f"result {name}: run.arguments must be a list of texts, not {shown(run.arguments)}")
    for word in run.arguments:
        if not without([word], NO_PART, ALONE):
            raise UsageError(f"result {name}: run.arguments must be those of a run alone, without {shown(word)}")
    if not isinstance(run.files, dict) or not {*run.files} <= {*FILES}:
        raise UsageError(f"result {name}: run.files must be an object with {', '.join(FILES)}, not {shown(run.files)}")
    return run
