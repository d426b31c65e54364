"""``cubecast explore`` of a saved result: the run that it is of is run again, and has to give the same result."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.cli.explore import PAGE
from cubecast.cli.saved import Run, run_of, without
from cubecast.golden.common.algorithms.load import TRACE
from cubecast.options.files import output_folder, write_files
from cubecast.options.usage import NoResultError, UsageError, shown

__all__ = ["explore_saved"]

OWN = ("run", "seconds")
"""What of a result is not compared: the run itself, and the processor time of a load."""


def explore_saved(
    result: Mapping[str, Any], name: str, folder: Path, rate: float | None, read: Path
) -> tuple[str, list[Path]]:
    """Write recording and page of the run that a result is of; return its command, and the files.

    Parameters
    ----------
    result : mapping
        What a command has printed with ``--json``.
    name : str
        What it is called in errors.
    folder : Path
        Where to.
    rate : float, optional
        Of a load with several offered loads: which.
    read : Path
        The file of the result.

    Raises
    ------
    UsageError
        It does not say what was run, or that cannot be recorded, or gives another result now.
    """
    run = run_of(result, name)
    if run.command == "load":
        run, result = _one_point(run, result, name, rate)
    elif rate is not None:
        raise UsageError(f"rate must be given with a result of cubecast load alone, not of cubecast {run.command}")
    inputs = [read, *(Path(word[len(TRACE) + 1 :]) for word in run.arguments if word.startswith(f"{TRACE}:"))]
    output_folder(folder, PAGE, inputs)
    with tempfile.TemporaryDirectory() as passing:
        try:
            again = _again(run, Path(passing))
        except (UsageError, NoResultError) as error:
            raise UsageError(f"result {name} must be of a run that can be recorded: {error}") from error
        if different := _difference(result, again):
            raise UsageError(f"result {name} must be what its run gives now: {different}")
        files = {each.name: each.read_bytes() for each in sorted((Path(passing) / "page").glob("*"))}
    if not files:
        raise UsageError(f"result {name} must be of a run that can be recorded: it ends before anything is")
    return run.command, write_files(folder, files, inputs)


def _one_point(run: Run, result: Mapping[str, Any], name: str, rate: float | None) -> tuple[Run, dict[str, Any]]:
    """Return the run of one offered load of a load, and its result."""
    points = result.get("points")
    if not isinstance(points, list) or not points or not all(isinstance(each, dict) for each in points):
        raise UsageError(f"result {name}: points must be a list of objects, one at least, not {shown(points)}")
    rates = [each.get("rate") for each in points]
    if rate is None and len(points) == 1:
        return run, dict(result)
    if rate is None or rate not in rates:
        allowed = f"one of the offered loads of result {name}, {', '.join(map(str, rates))}"
        raise UsageError(f"rate must be {allowed}, not {'left out' if rate is None else rate}")
    words = without(run.arguments, ["--rates"], ["--saturation", "--zero-load"])
    asked = run._replace(arguments=[*words, "--rates", f"{rate:.12f}"])
    return asked, {**result, "points": [points[rates.index(rate)]]}


def _again(run: Run, passing: Path) -> Any:
    """Run a command again, recorded in a folder's ``page``; return its result."""
    from cubecast.cli import parser

    words = [run.command, *run.arguments, "--json", "--explore", str(passing / "page")]
    for name, content in run.files.items():
        place = passing / f"{name}.json"
        try:
            place.write_text(json.dumps(content))
        except RecursionError:
            raise UsageError(f"{name} must not be nested that deeply") from None
        words += [f"--{name}", str(place)]
    arguments = parser([run.command]).parse_args(words)
    arguments.words = words[1:]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        arguments.run(arguments)
    return json.loads(printed.getvalue())


def _difference(saved: Any, now: Any, place: str = "") -> str:
    """Return where two results differ first, and how; nothing if they do not."""
    if isinstance(saved, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*now, *saved)):
            if key not in OWN:
                inside = f"{place}.{key}" if place else str(key)
                if key not in saved or key not in now:
                    return f"{inside} is there in one of them alone"
                if found := _difference(saved[key], now[key], inside):
                    return found
        return ""
    if isinstance(saved, list) and isinstance(now, list) and len(saved) == len(now):
        for index, (one, other) in enumerate(zip(saved, now, strict=True)):
            if found := _difference(one, other, f"{place}[{index}]"):
                return found
        return ""
    same = type(saved) is type(now) and saved == now
    return "" if same else f"{place} is {shown(now)}, not {shown(saved)}"
