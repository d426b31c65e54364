"""``cubecast generate``: Verilog of a message handling unit, a router, a node or a network, with its description."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cubecast.options.arguments import Parser, examples
from cubecast.options.files import write_files
from cubecast.options.usage import UsageError
from cubecast.systems import system_of, unit_named, units
from cubecast.systems.description import describe
from cubecast.systems.parameters import add_config, add_extensions, config_of
from cubecast.systems.system import CLOCKS

__all__ = ["NAMES", "add", "generate", "run"]

NAMES = {called: unit.name for called, (_, unit) in units().items()}
"""What can be generated, by its name on the command line, and what its module is called behind ``cubecast_``."""

PATIENCE = 2
"""Seconds after which a generation tells how far it is."""

EXAMPLES = """\
cubecast generate mhu --dim 3 --max-dest 4 --fault-free -o build/mhu
cubecast generate router --dim 5 --width 32 -o build/router
cubecast generate router --dim 3 --axi -o build/axi
cubecast generate network --dim 3 --source-field -o build/network
cubecast generate self-test --dim 3 -o build/self_test
cubecast generate packet-router --dim 3 --link serial -o build/packet
cubecast generate collective-node --dim 3 --max-vector 256 -o build/collective
"""

FILES = """\
files written, with <name> = cubecast_<unit> with underscores, such as cubecast_packet_router; self-test:
cubecast_self_test_node; with --axi: cubecast_axi_router:
  <name>.v       Verilog
  <name>.json    parameters, ports with width and meaning, message or packet format, registers, reason codes
  <name>_inst.v  instantiation template, to be pasted into a module
  <name>.vlt     what to give Verilator beside the Verilog, so that -Wall is silent
  cubecast_regs.h  registers and reason codes for C (all but mhu and collective-unit)
  cubecast_collective_regs.h  registers of the collectives for C (collective-unit, -node and -network)
The same options give the same bytes."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "generate",
        help="write the Verilog of a unit",
        description="Write the Verilog of a message handling unit (mhu), a router or a whole network; or of a router "
        "(self-test) or a network (self-test-network) that makes its own traffic and checks it; or of a packet router "
        "or a network of them; or of a collective unit, which merges vectors and takes part in rings, of a router "
        "with one (collective-node) or a network of them.",
        epilog=f"{FILES}\n\n{examples(EXAMPLES)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("unit", choices=NAMES, help="what to generate")
    parser.add_argument(
        "--axi", action="store_true", help="router only: AXI4-Stream local ports, AXI4-Lite registers, aclk, aresetn"
    )
    add_config(parser)
    add_extensions(parser)
    parser.add_argument("-o", dest="folder", type=Path, metavar="DIR", required=True, help="folder to write into")
    parser.add_argument("--json", action="store_true", help="print the names of the files as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them; return the exit status."""
    system, unit = units()[arguments.unit]
    config = config_of(arguments, system, arguments.unit)
    if arguments.axi and unit.axi is None:
        raise UsageError(f"axi must be given with the unit router only, not with {arguments.unit}")
    progress = _progress() if sys.stderr.isatty() else None
    paths = write_files(arguments.folder, generate(unit.name, config, axi=arguments.axi, progress=progress))
    if arguments.json:
        print(json.dumps({"files": [str(path) for path in paths]}))
    else:
        for path in paths:
            print(f"wrote {path}")
    return 0


def _progress() -> Callable[[str], None]:
    """Return what tells on standard error how far a generation is, one line per module, once it has taken a while."""
    start = time.monotonic()

    def say(module: str) -> None:
        """Print the line."""
        seconds = time.monotonic() - start
        if seconds > PATIENCE:
            print(f"cubecast generate: {module} done after {seconds:.0f} s", file=sys.stderr, flush=True)

    return say


def generate(
    name: str,
    config: Any,
    *,
    axi: bool = False,
    progress: Callable[[str], None] | None = None,
) -> dict[str, str]:
    """Return the files of a unit, by name.

    Parameters
    ----------
    name : str
        Name of a unit of the configuration's system.
    config : configuration
        Its parameters, of the kind that the unit has.
    axi : bool
        The router with AXI ports, ``cubecast_axi_router``.
    progress : function
        Called with the name of each module when it is done.
    """
    # Imported here: the other commands have no need of Amaranth, which takes a while to load.
    verilog = importlib.import_module("cubecast.rtl.common.verilog")
    modules = importlib.import_module("cubecast.tb.harness.modules")
    importlib.import_module("cubecast.tb.harness.yosys").use_pinned()
    system = system_of(config)
    unit = unit_named(system, name, axi=axi)
    module, _, component = unit.component.partition(":")
    top = f"cubecast_{unit.name}"
    made = getattr(importlib.import_module(module), component)(config, **unit.extra)
    text = verilog.write(made, top, progress=progress)
    ports = modules.ports_of(text, top)
    inputs = {**dict.fromkeys(unit.clocks, 1), **ports.inputs}
    described = describe(system, unit, config, inputs, ports.outputs)
    files = {
        f"{top}.v": text,
        f"{top}.json": json.dumps(described, indent=2) + "\n",
        f"{top}_inst.v": template(top, inputs, ports.outputs, unit.clocks),
        **system.description.headers(unit, config),
    }
    if verilog.WAIVERS:
        files[f"{top}.vlt"] = verilog.waivers()
    return files


def template(name: str, inputs: Mapping[str, int], outputs: Mapping[str, int], clocks: tuple[str, str] = CLOCKS) -> str:
    """Return the instantiation template: a wire for every port but clock and reset, and the instance."""
    ports = {**inputs, **outputs}
    wires = {port: width for port, width in ports.items() if port not in clocks}
    lines = [f"// {name}: to be pasted into a module that has {' and '.join(clocks)}."]
    lines += [f"wire {f'[{width - 1}:0] ' if width > 1 else ''}{port};" for port, width in wires.items()]
    longest = max(map(len, ports))
    lines += ["", f"{name} {name}_0 ("]
    lines += [f"    .{port.ljust(longest)} ({port})," for port in ports]
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, ");", ""])
