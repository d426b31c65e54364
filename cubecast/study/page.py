"""The results in the docs: ``python -m cubecast.study.page RESULTS DOCS`` makes tables and plots of a run.

``python -m cubecast.study.page DOCS`` draws the plots again, from the data that is there.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cubecast.options.ending import concluded
from cubecast.options.files import write_file, write_files
from cubecast.options.inputs import object_of, text_of
from cubecast.options.usage import ToolError, UsageError, shown
from cubecast.study.model import Point
from cubecast.study.registry import all_studies
from cubecast.study.run import Result

__all__ = ["DATA", "FOLDER", "PAGE", "block", "filled", "main", "read", "write"]

PAGE = "studies.md"

FOLDER = "studies"
"""Folder beside the page with the plots and :data:`DATA`."""

DATA = "data.json.xz"
"""The data of all studies, one object: name to what the study wrote into its JSON file."""


def main(arguments: Sequence[str]) -> int:
    """Copy plots and data of all studies into the docs, and fill the page; return the exit status."""
    if len(arguments) not in (1, 2):
        print("usage: python -m cubecast.study.page [RESULTS] DOCS", file=sys.stderr)
        return 2
    work = _renew if len(arguments) == 2 else _draw
    return concluded("python -m cubecast.study.page", lambda: work(*map(Path, arguments)), arguments)


def _renew(results: Path, docs: Path) -> int:
    """Do it; return the exit status."""
    data = {name: _result(results / f"{name}.json", name) for name in all_studies()}
    plots = {f"{name}.svg": (results / f"{name}.svg").read_bytes() for name in all_studies()}
    page = docs / PAGE
    text = filled(page.read_text(), data)
    write_files(docs / FOLDER, plots)
    write(docs / FOLDER, data)
    write_file(page, text)
    return 0


def _result(path: Path, name: str) -> dict[str, Any]:
    """Return what a study wrote into its JSON file.

    Raises
    ------
    UsageError
        The file holds something else, or a result of fewer points or of other parameters than the study has.
    """
    found = object_of(text_of(path, "result"), f"result {str(path)!r}")
    _check(found, name, f"result {str(path)!r}")
    parameters = {key: value for key, value in found["parameters"].items() if key != "doubled"}
    if parameters != all_studies()[name].parameters(False):
        wanted = f"parameters of result {str(path)!r} must be those of the study, run without --quick"
        raise UsageError(f"{wanted}, not {shown(parameters)}")
    return found


def _check(result: Any, name: str, what: str) -> None:
    """Raise :class:`UsageError` unless this can be what a study wrote."""
    try:
        [Point(**point) for point in result["points"]]
        block(name, result)
        good = isinstance(result["parameters"], dict) and isinstance(result["seed"], int)
    except (LookupError, TypeError, ValueError, AttributeError):
        good = False
    if not good:
        raise UsageError(f"{what} must have parameters, seed, points and claims of study {name}")


def _draw(docs: Path) -> int:
    """Draw the plots of all studies from the data in the docs; return the exit status."""
    if find_spec("matplotlib") is None:
        raise ToolError("plots need matplotlib: pip install 'cubecast[study]'")
    from cubecast.study.plot import pictures

    plots, studies = {}, all_studies()
    for name, found in read(docs / FOLDER).items():
        points = [Point(**point) for point in found["points"]]
        result = Result(studies[name], found["parameters"], found["seed"], points, [])
        plots[f"{name}.svg"] = pictures(result)["svg"]
    write_files(docs / FOLDER, plots)
    return 0


def read(folder: Path) -> dict[str, Any]:
    """Return the data of all studies in a folder of the docs, by the name of the study.

    Raises
    ------
    UsageError
        The file holds something else.
    """
    what = f"data {str(folder / DATA)!r}"
    try:
        text = lzma.decompress((folder / DATA).read_bytes()).decode()
    except (lzma.LZMAError, UnicodeError) as error:
        raise UsageError(f"{what} must be JSON compressed by xz: {error}") from error
    found = object_of(text, what)
    for name, result in found.items():
        if name not in all_studies():
            raise UsageError(f"{what} must be of studies that there are, not of {shown(name)}")
        _check(result, name, what)
    return found


def write(folder: Path, data: Mapping[str, Any]) -> None:
    """Keep the data of all studies in a folder of the docs."""
    text = json.dumps(data, separators=(",", ":"))
    write_file(folder / DATA, lzma.compress(text.encode(), preset=9))


def filled(page: str, data: Mapping[str, Any]) -> str:
    """Return the page with results of all studies between its marks, ``<!-- NAME begin -->`` and ``<!-- NAME end -->``.

    Parameters
    ----------
    page : str
        The page as it was.
    data : dict
        What :func:`read` returns.

    Raises
    ------
    UsageError
        The page has no place for a study.
    """
    for name in all_studies():
        begin, end = f"<!-- {name} begin -->\n", f"<!-- {name} end -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise UsageError(f"page must have {begin.strip()} and {end.strip()} once")
        before, rest = page.split(begin)
        page = before + begin + block(name, data[name]) + end + rest.split(end)[1]
    return page


def block(name: str, result: Mapping[str, Any]) -> str:
    """Return the plot and the table of claims of one study."""
    lines = [
        f"![{name}]({FOLDER}/{name}.svg)",
        "",
        "| claim (what was measured) (source) | measured | verdict |",
        "|---|--:|---|",
    ]
    for claim in result["claims"]:
        measured = f"{claim['measured']:.4g}"
        if claim["interval"] is not None:
            low, high = claim["interval"]
            measured += f" ({low:.4g} to {high:.4g})"
        lines.append(
            f"| {claim['claim']} ({claim['source']}) | {measured} | {claim['verdict']} |".replace("[", "(").replace(
                "]", ")"
            )
        )
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
