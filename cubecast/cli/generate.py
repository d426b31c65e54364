"""``cubecast generate``: Verilog of a message handling unit, a router, a node or a network, with its description."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.api.generation import NAME, generate
from cubecast.cli.estimates import NoPointsError, of_unit, on_device, plain, told
from cubecast.options.arguments import Parser, examples, folder_name
from cubecast.options.ending import STATUSES
from cubecast.options.files import left_before, output_folder, write_files
from cubecast.options.progress import Progress
from cubecast.systems import SYSTEMS, Unit, system_of
from cubecast.systems.parameters import add_config, add_extensions, add_unit, unit_of
from cubecast.tb.measure.targets import TARGETS

__all__ = ["add", "run"]

UNSAID = ("help", "unit", "folder", "json", "device")
"""Arguments that are not part of the command in the files: they do not change what is written."""

LOADING = "loading Amaranth"
"""What is told before."""

SOMETIMES = r"_pkg\.vhd|_wrapper\.sv|\.rdl"
"""Ends of the names of files that some options have, and others do not."""

EXAMPLES = """\
cubecast generate mhu --dim 3 --max-dest 4 --fault-free -o build/mhu
cubecast generate router --dim 5 --width 32 -o build/router
cubecast generate router --dim 3 --axi -o build/axi
cubecast generate router --dim 4 --name left -o build/left
cubecast generate network --dim 3 --source-field -o build/network
cubecast generate network --dim 2 --preset small --device 25k -o build/small
cubecast generate self-test --dim 3 -o build/self_test
cubecast generate packet-router --dim 3 --link serial -o build/packet
cubecast generate node --dim 3 --buffers 8 -o build/node
cubecast generate crosspoint-router --dim 3 --eject-depth 64 -o build/crosspoint
cubecast generate collective-node --dim 3 --max-vector 256 -o build/collective
"""

FILES = """\
files written, with <name> = cubecast_<unit> with underscores, such as cubecast_packet_router; self-test:
cubecast_self_test_node; node: cubecast_packet_node; with --axi: cubecast_axi_router:
  <name>.v       Verilog
  <name>.json    parameters, ports with width and meaning, message or packet format, registers, reason codes
  <name>.rdl     its registers in SystemRDL, of which PeakRDL makes HTML, IP-XACT and more (all that have some)
  <name>_inst.v  instantiation template, to be pasted into a module once per instance
  <name>_inst.sv the same in SystemVerilog
  <name>.sdc, <name>.xdc, <name>.lpf  timing constraints, as templates: clock, strap, registers on links
  <name>_pkg.vhd, with --vhdl: package with the component, for VHDL
  <name>_wrapper.sv, with --sv: the module with interfaces for links, streams and registers
  <name>.vlt     what to give Verilator (4.038 or newer) before the Verilog, so that -Wall is silent about it
  cubecast_regs.h  sizes, registers and reason codes for C (all that have a router in them)
  cubecast_router.h, cubecast_router.c  over these, a driver of the router in C: registers, faults, log, messages
{own}With --name PREFIX all these names begin with PREFIX in place of cubecast, and so do the names of all modules and,
in capitals, of all C macros. Routers with different parameters in one design need different names.
The same options give the same bytes."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "generate",
        help="write the Verilog of a unit",
        description=f"Write the Verilog of {'; or of '.join(system.units_help for system in SYSTEMS.values())}.",
        epilog=f"{FILES.format(own=_own_files())}\n\n{examples(EXAMPLES)}\nexit status: 0; {STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    add_unit(parser, "what to generate")
    parser.add_argument(
        "--name",
        default=NAME,
        metavar="PREFIX",
        help=f"what names of modules, files and C macros begin with (default {NAME})",
    )
    parser.add_argument("--vhdl", action="store_true", help="with a VHDL package that declares the component")
    parser.add_argument(
        "--sv",
        action="store_true",
        help="with a SystemVerilog wrapper whose links, streams and registers are interfaces",
    )
    add_config(parser)
    add_extensions(parser)
    parser.add_argument(
        "-o", dest="folder", type=folder_name, metavar="DIR", required=True, help="folder to write into"
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="FPGA that is to hold it, as of cubecast synth: say whether it fits, by the estimate that is printed of "
        "units that were measured",
    )
    parser.add_argument("--json", action="store_true", help="print the names of the files, and the estimate, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them; return the exit status."""
    unit, config = unit_of(arguments)
    output_folder(arguments.folder)
    estimated = _estimate(arguments, unit, config)
    command = _command(arguments)
    with Progress(arguments.parser.prog, LOADING) as progress:
        files = generate(
            unit.name,
            config,
            axi=arguments.axi,
            name=arguments.name,
            command=command,
            vhdl=arguments.vhdl,
            sv=arguments.sv,
            progress=progress.stage,
        )
    output_folder(arguments.folder, list(files))
    others = _others(arguments.folder, files, command)
    paths = write_files(arguments.folder, files)
    for other, names in others.items():
        text = f"{', '.join(names)} in {arguments.folder} replaced what `{other}` wrote; --name gives other names"
        print(f"{arguments.parser.prog}: {text}", file=sys.stderr)
    top = next(iter(files)).removesuffix(".v")
    if left := left_before(arguments.folder, f"{top}({SOMETIMES})", files):
        print(f"{arguments.parser.prog}: {left}", file=sys.stderr)
    if arguments.json:
        more = {} if estimated is None else {"estimate": estimated}
        print(json.dumps({"files": [str(path) for path in paths], **more}))
    else:
        for path in paths:
            print(f"wrote {path}")
        for line in () if estimated is None else told(estimated, arguments.device):
            print(line)
    return 0


def _estimate(arguments: argparse.Namespace, unit: Unit, config: Any) -> dict[str, Any] | None:
    """Return what the unit takes of the family of the device, or of the default one; None if no such unit was measured.

    Raises
    ------
    UsageError
        A device is named that is none, or of whose family no such unit was measured.
    """
    if arguments.device is not None:
        return on_device(system_of(config), unit, config, arguments.device, axi=arguments.axi)
    target = next(iter(TARGETS))
    try:
        return plain(*of_unit(system_of(config), unit, config, target, axi=arguments.axi), target)
    except NoPointsError:
        return None


def _own_files() -> str:
    """Return the lines of the help text about the C files of single systems."""
    return "".join(f"  {file}  {what}\n" for system in SYSTEMS.values() for file, what in system.files_help.items())


def _command(arguments: argparse.Namespace) -> str:
    """Return the command in one form, whatever the order of its options: those that are not the default, in ours."""
    words = ["cubecast", "generate", arguments.unit]
    for action in arguments.parser._actions:
        value = getattr(arguments, action.dest, None)
        if action.dest not in UNSAID and value is not None and value != action.default:
            words += [action.option_strings[0], *([] if action.nargs == 0 else [str(value)])]
    return " ".join(words)


COMMAND = re.compile(r"cubecast generate [^\n\"*]*[^\s\"*]")
"""The command in a generated file."""


def _others(folder: Path, files: Mapping[str, str], command: str) -> dict[str, list[str]]:
    """Return the files in a folder that another command has written, and differently, by that command."""
    found: dict[str, list[str]] = {}
    for name, text in files.items():
        try:
            there = (folder / name).read_text()
        except (OSError, UnicodeDecodeError):
            continue
        other = COMMAND.search(there)
        if other and other[0] != command and COMMAND.sub("", there, count=1) != COMMAND.sub("", text, count=1):
            found.setdefault(other[0], []).append(name)
    return found
