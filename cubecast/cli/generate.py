"""``cubecast generate``: Verilog of a message handling unit, a router or a network, with its description."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Mapping
from pathlib import Path

from cubecast.cli.arguments import Parser, add_config, config_of, examples
from cubecast.cli.description import describe
from cubecast.cli.files import write_files
from cubecast.golden.config import Config

__all__ = ["UNITS", "add", "generate", "run"]

UNITS = {"mhu": "Mhu", "router": "Router", "network": "Network"}
"""What can be generated, and the class in ``rtl/`` that it is."""

EXAMPLES = """\
cubecast generate mhu --dim 3 --max-dest 4 --fault-free -o build/mhu
cubecast generate router --dim 5 --width 32 -o build/router
cubecast generate network --dim 3 --source-field -o build/network
"""

FILES = """\
files written, with <name> = cubecast_<unit>:
  <name>.v       Verilog
  <name>.json    parameters, ports with width and meaning, message format, registers, reason codes
  <name>_inst.v  instantiation template, to be pasted into a module
  <name>.vlt     what to give Verilator beside the Verilog, so that -Wall is silent
The same options give the same bytes."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "generate",
        help="write the Verilog of a unit",
        description="Write the Verilog of a message handling unit (mhu), a router or a whole network.",
        epilog=f"{FILES}\n\n{examples(EXAMPLES)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("unit", choices=UNITS, help="what to generate")
    add_config(parser)
    parser.add_argument("-o", dest="folder", type=Path, metavar="DIR", required=True, help="folder to write into")
    parser.add_argument("--json", action="store_true", help="print the names of the files as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them; return the exit status."""
    config = config_of(arguments)
    paths = write_files(arguments.folder, generate(arguments.unit, config))
    if arguments.json:
        print(json.dumps({"files": [str(path) for path in paths]}))
    else:
        for path in paths:
            print(f"wrote {path}")
    return 0


def generate(unit: str, config: Config) -> dict[str, str]:
    """Return the files of a unit, by name.

    Parameters
    ----------
    unit : str
        One of :data:`UNITS`.
    config : Config
        Its parameters.
    """
    # Imported here: the other commands have no need of Amaranth, which takes a while to load.
    verilog = importlib.import_module("cubecast.rtl.verilog")
    modules = importlib.import_module("cubecast.tb.modules")
    importlib.import_module("cubecast.tb.verilog").use_pinned_yosys()
    component = getattr(importlib.import_module(f"cubecast.rtl.{unit}"), UNITS[unit])
    name = f"cubecast_{unit}"
    text = verilog.write(component(config), name)
    ports = modules.ports_of(text, name)
    inputs = {"clk": 1, "rst": 1, **ports.inputs}
    description = describe(name, unit, config, inputs, ports.outputs)
    files = {
        f"{name}.v": text,
        f"{name}.json": json.dumps(description, indent=2) + "\n",
        f"{name}_inst.v": template(name, inputs, ports.outputs),
    }
    if verilog.WAIVERS:
        files[f"{name}.vlt"] = verilog.waivers()
    return files


def template(name: str, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> str:
    """Return the instantiation template: a wire for every port but ``clk`` and ``rst``, and the instance."""
    ports = {**inputs, **outputs}
    wires = {port: width for port, width in ports.items() if port not in ("clk", "rst")}
    lines = [f"// {name}: to be pasted into a module that has clk and rst."]
    lines += [f"wire {f'[{width - 1}:0] ' if width > 1 else ''}{port};" for port, width in wires.items()]
    longest = max(map(len, ports))
    lines += ["", f"{name} {name}_0 ("]
    lines += [f"    .{port.ljust(longest)} ({port})," for port in ports]
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, ");", ""])
