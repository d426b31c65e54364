"""``cubecast load compare``: several results of ``cubecast load`` in one plot."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cubecast.cli.load import is_point, needs_plots, point_lines, write_drawn
from cubecast.options.arguments import Parser, examples, folder_name, input_name
from cubecast.options.text import print_text
from cubecast.options.usage import UsageError, shown
from cubecast.systems.messages import load

__all__ = ["add", "run"]

COMPARISON = """\
cubecast load --router crosspoint --dim 3 --eject 16 -o build/shallow
cubecast load --router crosspoint --dim 3 --eject 512 -o build/deep
cubecast load compare build/shallow build/deep -o build/both
"""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "load compare",
        help="draw several results in one plot",
        description="Draw several results of cubecast load in one plot, and print their points.",
        epilog=f"Files in the folder: compare.json, compare.svg, compare.png.\n\n{examples(COMPARISON)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "results", nargs="+", type=input_name, metavar="RESULT", help="folder of a result, or its load.json"
    )
    parser.add_argument("-o", "--out", type=folder_name, metavar="DIR", help="folder for the plot, made if needed")
    parser.add_argument("--json", action="store_true", help="print all points as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Draw the results; return the exit status."""
    results = {str(path): _result(path) for path in arguments.results}
    if len(results) < len(arguments.results):
        raise UsageError("results must be different ones")
    names = _distinguished(results)
    curves = {names[path]: result["points"] for path, result in results.items()}
    written = []
    if arguments.out is not None:
        needs_plots()
        written = write_drawn(arguments.out, "compare", curves, curves, [_file(path) for path in arguments.results])
    if arguments.json:
        print(json.dumps(curves))
    else:
        for name, points in curves.items():
            print_text([name, *point_lines(points)])
        print_text(f"wrote {path}" for path in written)
    return 0


def _file(path: Path) -> Path:
    """Return the file of a result; a name that cannot be is one of no folder."""
    return path / "load.json" if os.path.isdir(path) else path


def _result(path: Path) -> dict[str, Any]:
    """Return what is in the file of a result.

    Raises
    ------
    UsageError
        There is no such file, or it holds something else.
    """
    file = _file(path)
    found = load(file, "result")
    parameters, points = (found.get(name) if isinstance(found, dict) else None for name in ("parameters", "points"))
    if not isinstance(parameters, dict) or not isinstance(points, list):
        reason = "no parameters and points"
    elif wrong := [place for place, point in enumerate(points) if not is_point(point)]:
        reason = f"points[{wrong[0]}] is none"
    else:
        return {"parameters": parameters, "points": points}
    raise UsageError(f"result must be the load.json of cubecast load, not {shown(str(file))}: {reason}")


def _distinguished(results: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return by path a name made of the parameters in which the results differ; the path itself if they do not.

    Of different routers the parameters of the configuration are left out, unless they tell results apart.
    """
    flat = {path: dict(_flattened(result["parameters"])) for path, result in results.items()}
    keys = dict.fromkeys(key for values in flat.values() for key in values)
    telling = [key for key in keys if len({json.dumps(values.get(key)) for values in flat.values()}) > 1]
    common = [key for key in telling if "system" not in telling or not key.startswith("config.")]
    for some in (common, telling):
        names = {
            path: ", ".join(f"{key.rpartition('.')[2]} {values.get(key)}" for key in some)
            for path, values in flat.items()
        }
        if len({*names.values()}) == len(names):
            return names
    return {path: path for path in results}


def _flattened(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested dictionaries with their names, those inside with a point."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
