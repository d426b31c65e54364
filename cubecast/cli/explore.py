"""``cubecast explore``: the page in which a run is watched, made of a recording or of a saved result."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast import explorer
from cubecast.cli.picture import MARGIN, RADIUS, cube_places
from cubecast.options.arguments import Parser, decimal, examples, file_name, folder_name
from cubecast.options.ending import STATUSES
from cubecast.options.files import apart, output_folder, write_files
from cubecast.options.inputs import parsed, text_of
from cubecast.options.usage import UsageError, shown

__all__ = ["HELP", "add", "check_folder", "check_words", "layout", "put", "where", "write", "write_summed_up"]

EXAMPLES = """\
cubecast simulate --dim 3 --messages examples/mixed.json --explore build/explored
cubecast explore build/explored/recording.jsonl -o build/again
cubecast reduce --dim 4 --faulty-links 0-4,1-5 --json > build/merged.json
cubecast explore build/merged.json -o build/merged
"""

TEACHING = """\
FILE is a recording, which a command with --explore writes beside the page; or a result, the object that a command with
--json prints (simulate, route, reduce, ring, load), or load.json. A result is run again, from the command, its
arguments and the content of its files that it holds under "run" (a trace it names); page and recording are written if
what comes is the very same result, but for the processor time of a load.
"""

HELP = "write a page in which the run is watched, and its recording, into a folder"
"""Of the option ``--explore``."""

INSIDE = 4
"""Dimension of the subcubes that a large cube is drawn as."""

LARGEST_DRAWN = 6
"""Largest cube that is drawn as one."""

MOST_WORDS = 65_536
"""Words of the vectors of all nodes in a reduction that is recorded cycle by cycle: 1,024 of each of 64 nodes."""

SMALL = 18
"""Radius of a node where there are more than 32, whose numbers alone are shown."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "explore",
        help="make a page in which a run is watched, of a recording or of a saved result",
        description="Make the page of a run, one file that a browser opens without a network.",
        epilog=f"{TEACHING}\nexit status: 0;\n{STATUSES}\n\n{examples(EXAMPLES)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("file", type=file_name, metavar="FILE", help="recording or result, see below")
    parser.add_argument("-o", "--output", type=folder_name, metavar="DIR", required=True, help="folder of the page")
    parser.add_argument(
        "--rate",
        type=decimal,
        metavar="X",
        help="with the result of a load: which of its offered loads, if it has several",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page; return the exit status."""
    path: Path = arguments.file
    name = shown(str(path))
    text = text_of(path, "file")
    whole, first = _object(text, name), _object(text.partition("\n")[0], name)
    if text and whole is None and first is None:
        allowed = "a recording, or the result of a command with --json"
        raise UsageError(f"file {name} must be {allowed}, not {shown(text[:40])}")
    if whole is not None and "format" not in whole:
        # It runs the other commands, whose modules take names from this one.
        from cubecast.cli.explore_saved import explore_saved

        command, written = explore_saved(whole, name, arguments.output, arguments.rate, arguments.file)
        print(f"cubecast {command} was run again, with the result that was saved")
    elif arguments.rate is not None:
        raise UsageError("rate must be given with a result of cubecast load alone, not with a recording")
    else:
        header = explorer.check(text, name)
        pages = {"index.html": explorer.page(text, layout(header["dim"]))}
        written = write_files(arguments.output, pages, [arguments.file])
    print(*written, sep="\n")
    return 0


def _object(text: str, name: str) -> dict[str, Any] | None:
    """Return the one JSON object that a text is; None if it is anything else."""
    try:
        value = parsed(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    except ValueError as error:
        raise UsageError(f"file {name} must be JSON that can be read: {error}") from error
    return value if isinstance(value, dict) else None


def write(
    folder: Path,
    config: Any,
    title: str,
    messages: Sequence[Any],
    found: Mapping[str, Any],
    seen: Mapping[str, Any],
    more: Mapping[str, Any],
) -> list[Path]:
    """Write recording and page of a run into a folder.

    Parameters
    ----------
    folder : Path
        Where to; it is made if needed.
    config : configuration
        Parameters of the network.
    title : str
        What its routers are.
    messages : sequence
        The messages played.
    found : mapping
        The result, as :func:`cubecast.systems.report.answer` makes it.
    seen : mapping
        What the playback recorded, ``"recording"`` among it.
    more : mapping
        What else the header has.
    """
    recorded = dict(seen["recording"])
    events: Iterable[Mapping[str, Any]] = recorded.pop("events")
    payloads: Sequence[int | None] = recorded.pop("payloads")
    starts = {each["message"]: each["start_cycle"] for each in found["messages"]}
    header = {
        "title": title,
        "dim": config.dim,
        "cycles": found["cycles"],
        "golden": found["golden"],
        **more,
        "parameters": config.to_json(),
        "messages": [
            {
                "message": message.index,
                "source": message.source,
                "destinations": list(message.expected),
                "start_cycle": starts.get(message.index),
                "data_words": payload,
            }
            for message, payload in zip(messages, payloads, strict=True)
        ],
        "deliveries": [{k: v for k, v in each.items() if k != "data"} for each in found["deliveries"]],
        "links": [link for link in found["links"] if link["words"] or link["waited"]],
        "errors": found["errors"],
        **recorded,
    }
    return put(folder, header, events, config.dim)


def check_words(nodes: int, length: int) -> None:
    """Raise ``UsageError`` if the vectors of so many nodes are too long to be recorded cycle by cycle."""
    if length * nodes > MOST_WORDS:
        raise UsageError(f"vectors must have at most {MOST_WORDS // nodes} words with --explore, not {length}")


def write_summed_up(
    folder: Path,
    system: str,
    config: Any,
    title: str,
    recorded: Mapping[str, Any],
    simulated: Mapping[str, Any],
    faults: Iterable[int],
    links: Iterable[Sequence[int]],
) -> list[Path]:
    """Write recording and page of a run that is told by its recording alone; return the files.

    Parameters
    ----------
    folder : Path
        Where to; it is made if needed.
    system : str
        Name of the system.
    config : configuration
        Parameters of the network.
    title : str
        What is done.
    recorded : mapping
        What the system's watcher returns, its ``cycles`` among it.
    simulated : mapping
        ``"golden"``, and ``"simulator"`` if hardware was run.
    faults, links : iterable
        Faulty nodes and links.
    """
    found = dict(recorded)
    events = found.pop("events")
    payloads = zip(found.pop("messages"), found.pop("payloads"), strict=True)
    header = {
        "title": title,
        "system": system,
        **simulated,
        "dim": config.dim,
        "cycles": found.pop("cycles"),
        "faults": sorted({*faults}),
        "faulty_links": sorted([*link] for link in links),
        "parameters": config.to_json(),
        "messages": [message | {"data_words": words} for message, words in payloads],
        "counted": "the recording",
        "errors": [],
        **found,
    }
    return put(folder, header, events, config.dim)


def where(pages: Sequence[Path], picture: Path | None = None) -> list[str]:
    """Return the lines that say where picture and page were written, if they were."""
    pictures = [] if picture is None else [f"picture: {picture}"]
    return pictures + [f"page: {path}" for path in pages if path.name == PAGE[0]]


PAGE = ("index.html", "recording.jsonl")
"""What stands in the folder of a recording."""


def check_folder(
    folder: Path, inputs: Sequence[Path] = (), files: Sequence[Path | None] = (), what: str = "output file"
) -> None:
    """See that recording and page can be written into a folder.

    Parameters
    ----------
    folder : Path
        As it was named.
    inputs : sequence of Path
        Files that the command reads.
    files : sequence of Path or None
        What else it writes; None: that option was not given.
    what : str
        What these are called in errors.

    Raises
    ------
    UsageError
        They cannot be written there, or one of the files is in the same place.
    """
    output_folder(folder, PAGE, inputs)
    apart([file for file in files if file is not None], [folder / name for name in PAGE], what, "--explore")


def put(folder: Path, header: Mapping[str, Any], events: Iterable[Mapping[str, Any]], dim: int) -> list[Path]:
    """Write a recording, of a cube of this dimension, and its page into a folder; return the files."""
    text = explorer.lines(header, events)
    return write_files(folder, dict(zip(PAGE, (explorer.page(text, layout(dim)), text), strict=True)))


def layout(dim: int) -> dict[str, Any]:
    """Return where the nodes of a cube are drawn: up to n = 6 as one cube, else as a grid of subcubes."""
    inside = dim if dim <= LARGEST_DRAWN else INSIDE
    radius = RADIUS if inside < LARGEST_DRAWN and dim == inside else SMALL
    raw, width, height = cube_places(inside)
    pad = MARGIN / 2 + radius
    scale = 0.42 if dim > inside else 1.0
    across = 1 << (dim - inside + 1) // 2
    places: list[list[float]] = []
    for node in range(1 << dim):
        row, column = divmod(node >> inside, across)
        x, y = raw[node & (1 << inside) - 1]
        place = pad + scale * x + column * (scale * width + 2 * pad), pad + scale * y + row * (scale * height + 2 * pad)
        places.append([round(part, 1) for part in place])
    return {
        "width": round(max(x for x, _ in places) + pad, 1),
        "height": round(max(y for _, y in places) + pad, 1),
        "radius": radius,
        "inside": inside,
        "places": places,
    }
