"""``cubecast synth``: what a unit takes of an FPGA, how fast it is there, and which path is the slowest."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.cli.synth_picture import draw_path
from cubecast.options.arguments import Parser, examples, folder_name, integer
from cubecast.options.ending import STATUSES
from cubecast.options.files import left_before, output_folder, write_files
from cubecast.options.progress import Progress
from cubecast.options.text import print_text, table
from cubecast.options.usage import UsageError
from cubecast.systems import system_of
from cubecast.systems.parameters import add_config, add_extensions, add_unit, unit_of
from cubecast.systems.system import Unit
from cubecast.tb.measure.targets import TARGETS

__all__ = ["add", "run"]

MOST_SEEDS = 64
"""Seeds of the placer at most."""

SEEDS = 3
"""Seeds of the placer, unless the option says otherwise."""

EXAMPLES = """\
cubecast synth crosspoint-router --dim 3
cubecast synth router --dim 2 --preset small --target ice40 --seeds 1 -o build/synth
cubecast synth packet-router --dim 3 --device 45k --speed 8 --json
cubecast synth crosspoint-router --dim 4 --target xilinx
cubecast synth packet-router --dim 3 --no-wide-luts --seeds 1
cubecast synth crosspoint-router --dim 2 --preset small --target osu035
cubecast synth crosspoint-router --dim 3 --preset small --width 24 --estimate
"""

KINDS = {
    "lut": "LUTs",
    "gate": "gates",
    "ff": "flip-flops",
    "lutram": "distributed RAMs",
    "bram": "block RAMs",
    "carry": "carry cells",
}
"""What is counted, in words."""

SOMETIMES = r"report-[0-9]+\.json|critical_path\.svg|gates\.v"
"""Files that some runs write, and others do not."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    targets = "\n".join(f"  {name:8} {_about(name)}" for name in TARGETS)
    parser = commands.add_parser(
        "synth",
        help="area and clock rate of a unit on an FPGA",
        description="Synthesise a unit for an FPGA with Yosys, place and route it with nextpnr once for each seed, and "
        "tell what it takes, how fast it is, and which path is the slowest, with the lines of Python that it comes "
        "from. Its ports begin and end in shift registers, which are not counted.",
        epilog=f"targets:\n{targets}\n\n{examples(EXAMPLES)}\nexit status: 0; {STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    add_unit(parser, "what to synthesise")
    group = parser.add_argument_group("synthesis")
    group.add_argument("--target", choices=list(TARGETS), default=next(iter(TARGETS)), help="default %(default)s")
    group.add_argument("--device", metavar="NAME", help="default: the smallest of the target that has enough LUTs")
    group.add_argument("--speed", type=integer, metavar="N", help="speed grade (default: the slowest)")
    group.add_argument(
        "--seeds", type=integer, metavar="N", help=f"seeds of the placer, 1 to {MOST_SEEDS} (default {SEEDS})"
    )
    group.add_argument(
        "--no-wide-luts",
        dest="wide",
        action="store_false",
        help="no functions of several LUTs with multiplexers between them: often smaller, and as fast (ecp5, gowin, "
        "xilinx)",
    )
    group.add_argument(
        "--estimate",
        action="store_true",
        help="from measured points, without any tool; its error is stated where it is known",
    )
    add_config(parser)
    add_extensions(parser)
    parser.add_argument(
        "-o",
        dest="folder",
        type=folder_name,
        metavar="DIR",
        help="folder for synth.json, the Verilog, the netlist, nextpnr's reports, and a picture of the slowest path",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _about(name: str) -> str:
    """Return what a target is, with its devices and speed grades."""
    target = TARGETS[name]
    parts = f"; devices {', '.join(target.parts)}" if target.parts else ""
    speeds = f"; speed grades {', '.join(map(str, target.speeds))}" if target.speeds else ""
    return f"{target.title}{parts}{speeds}"


def run(arguments: argparse.Namespace) -> int:
    """Synthesise, place and route; print the result and write the files; return the exit status."""
    unit, config = unit_of(arguments)
    # Imported here: the other commands have no need of it.
    synth = importlib.import_module("cubecast.tb.measure.synth")
    synth.checked_part(arguments.target, arguments.device, arguments.speed, wide=arguments.wide)
    if arguments.estimate:
        return _estimate(arguments, unit, config)
    if arguments.seeds is not None and not TARGETS[arguments.target].parts:
        raise UsageError(f"seeds must be left out with target {arguments.target}, which places nothing")
    seeds = SEEDS if arguments.seeds is None else arguments.seeds
    if not 1 <= seeds <= MOST_SEEDS:
        raise UsageError(f"seeds must be 1 to {MOST_SEEDS}, not {seeds}")
    if tool := synth.missing_tool(arguments.target):
        raise UsageError(f"target must be one whose tools are installed: {arguments.target} needs {tool}")
    _check_room(arguments, unit, config)
    if arguments.folder is not None:
        output_folder(arguments.folder, _names(arguments.target, seeds))
    start = time.monotonic()
    with Progress(arguments.parser.prog, "Amaranth makes the Verilog") as progress:
        figures, files = synth.synthesise(
            synth.design_of_unit(unit, config, axi=arguments.axi),
            arguments.target,
            device=arguments.device,
            speed=arguments.speed,
            seeds=seeds,
            wide=arguments.wide,
            stage=progress.stage,
        )
    result = {
        "unit": arguments.unit,
        "axi": arguments.axi,
        "parameters": config.to_json(),
        "target": arguments.target,
        "wide_luts": arguments.wide,
        **figures,
        "seconds": round(time.monotonic() - start, 1),
    }
    if arguments.folder is not None:
        files["synth.json"] = json.dumps(result, indent=2) + "\n"
        if result["critical_path"]:
            files["critical_path.svg"] = draw_path(result)
        write_files(arguments.folder, files)
        if left := left_before(arguments.folder, SOMETIMES, files):
            print(f"{arguments.parser.prog}: {left}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(result))
    else:
        print_text(_told(result))
    return 0


def _names(target: str, seeds: int) -> list[str]:
    """Return the names of the files that are written."""
    placed, gates = bool(TARGETS[target].parts), TARGETS[target].library is not None
    names = ["synth.json", "design.v", "netlist.json"]
    names += [f"report-{seed}.json" for seed in range(1, seeds + 1) if placed]
    return [*names, *(["gates.v"] if gates else []), *(["critical_path.svg"] if placed or gates else [])]


def _check_room(arguments: argparse.Namespace, unit: Unit, config: Any) -> None:
    """Refuse what by its estimate, if it has one, fits no device that may be taken: the tools would run for long."""
    if not TARGETS[arguments.target].parts:
        return
    estimates = importlib.import_module("cubecast.cli.estimates")
    with contextlib.suppress(estimates.NoPointsError):
        found, count = estimates.of_unit(system_of(config), unit, config, arguments.target, axi=arguments.axi)
        values = estimates.plain(found, count, arguments.target)
        estimates.check_room(values, arguments.device, wide=arguments.wide)


def _estimate(arguments: argparse.Namespace, unit: Unit, config: Any) -> int:
    """Print an estimate; return the exit status."""
    for name, value in (("speed", arguments.speed), ("seeds", arguments.seeds), ("o", arguments.folder)):
        if value is not None:
            raise UsageError(f"{name} must be left out with --estimate, not {value}")
    if not arguments.wide:
        raise UsageError("no-wide-luts must be left out with --estimate, whose points were measured with them")
    estimates = importlib.import_module("cubecast.cli.estimates")
    found, count = estimates.of_unit(system_of(config), unit, config, arguments.target, axi=arguments.axi)
    values = estimates.plain(found, count, arguments.target)
    if arguments.json:
        print(json.dumps({"unit": arguments.unit, "parameters": config.to_json(), **values}))
    else:
        print_text([arguments.unit, *estimates.told(values, arguments.device)])
    return 0


def _told(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that tell a result."""
    where = result["device"] and f", {result['device']}" + (f" grade {result['speed']}" if result["speed"] else "")
    yield f"{result['unit']} on {result['target']}{where or ''}"
    for kind, name in KINDS.items():
        if result[kind] is not None:
            share = (result.get("utilisation") or {}).get(kind)
            yield f"  {result[kind]:>8,} {name}" + (f", {share} % of the device" if share is not None else "")
    if result["area"] is not None:
        yield f"  {result['area']:>8,.0f} square micrometres of cells"
    if result["depth"] is not None:
        yield f"  {result['depth']:>8,} levels of logic between registers"
    if result["mhz"] is None:
        return
    rates = result["mhz"]
    listed = ", ".join(f"{rate:g}" for rate in rates["seeds"])
    several = f" at best, median {rates['median']:g} (seeds 1 to {len(rates['seeds'])}: {listed})"
    alone = " (seed 1)" if where else " before placement"
    yield f"  {rates['best']:>8g} MHz" + (several if len(rates["seeds"]) > 1 else alone)
    yield "slowest path, of the slowest seed:" if where else "slowest path, without wires:"
    yield from (
        f"  {line}" for line in table(("ns", "step", "line of Python", "net or cell"), _rows(result["critical_path"]))
    )


def _rows(path: list[Mapping[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of a path's table."""
    for step in path:
        yield f"{step['ns']:6.2f}", step["kind"], step["source"], step["net"] or step["cell"]
