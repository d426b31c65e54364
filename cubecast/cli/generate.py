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

from cubecast.cli import collective_description, description, packet_description
from cubecast.golden.collective.contract import registers as table_registers
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract import registers as router_registers
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract import registers as packet_registers
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.arguments import Parser, examples, integer
from cubecast.options.configuration import add_config, config_of
from cubecast.options.files import write_files
from cubecast.options.usage import UsageError, checked

__all__ = ["NAMES", "UNITS", "add", "generate", "run"]

UNITS = {
    "mhu": "Mhu",
    "router": "Router",
    "network": "Network",
    "self_test_node": "SelfTestNode",
    "self_test_network": "SelfTestNetwork",
    "packet_router": "PacketRouter",
    "packet_network": "PacketNetwork",
    "collective_unit": "CollectiveUnit",
    "collective_node": "CollectiveNode",
    "collective_network": "CollectiveNetwork",
}
"""What can be generated, and the class in ``rtl/`` that it is."""

NAMES = {
    "self-test": "self_test_node",
    "self-test-network": "self_test_network",
    "packet-router": "packet_router",
    "packet-network": "packet_network",
    "collective-unit": "collective_unit",
    "collective-node": "collective_node",
    "collective-network": "collective_network",
}
NAMES = {unit: unit for unit in UNITS if unit not in NAMES.values()} | NAMES
"""What the units are called on the command line."""

CLOCKS = {False: ("clk", "rst"), True: ("aclk", "aresetn")}
"""Clock and reset of a unit, without and with AXI."""

HEADER = "cubecast_regs.h"
"""Name of the C header."""

COLLECTIVE_HEADER = "cubecast_collective_regs.h"
"""Name of the C header of the collectives."""

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
    group = parser.add_argument_group("parameters of the collectives")
    group.add_argument(
        "--max-vector", type=integer, metavar="N", help="longest vector in words, 1 to 4096 (default 64)"
    )
    group.add_argument("--max-relays", type=integer, metavar="N", help="relay entries of a node, 0 to 16 (default 4)")
    parser.add_argument("-o", dest="folder", type=Path, metavar="DIR", required=True, help="folder to write into")
    parser.add_argument("--json", action="store_true", help="print the names of the files as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them; return the exit status."""
    unit = NAMES[arguments.unit]
    config = config_of(arguments, packet=unit.startswith("packet"))
    sizes = {name: getattr(arguments, name) for name in ("max_vector", "max_relays")}
    given = {name: value for name, value in sizes.items() if value is not None}
    if unit.startswith("collective"):
        config = checked(CollectiveConfig, router=config, **given)
    elif given:
        option = next(iter(given)).replace("_", "-")
        raise UsageError(f"{option} must be given with a collective unit only, not with {arguments.unit}")
    if arguments.axi and arguments.unit != "router":
        raise UsageError(f"axi must be given with the unit router only, not with {arguments.unit}")
    progress = _progress() if sys.stderr.isatty() else None
    paths = write_files(arguments.folder, generate(unit, config, axi=arguments.axi, progress=progress))
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
    unit: str,
    config: Config | PacketConfig | CollectiveConfig,
    *,
    axi: bool = False,
    progress: Callable[[str], None] | None = None,
) -> dict[str, str]:
    """Return the files of a unit, by name.

    Parameters
    ----------
    unit : str
        One of :data:`UNITS`.
    config : Config, PacketConfig or CollectiveConfig
        Its parameters, of the kind that the unit has.
    axi : bool
        The router with AXI ports, ``cubecast_axi_router``.
    progress : function
        Called with the name of each module when it is done.
    """
    # Imported here: the other commands have no need of Amaranth, which takes a while to load.
    verilog = importlib.import_module("cubecast.rtl.common.verilog")
    modules = importlib.import_module("cubecast.tb.harness.modules")
    importlib.import_module("cubecast.tb.harness.verilog").use_pinned_yosys()
    if axi:
        unit = "axi_router"
        component = importlib.import_module("cubecast.rtl.multicast.axi_router").AxiRouter(config, axi_clock=True)
    else:
        system = {PacketConfig: "packet", CollectiveConfig: "collective"}.get(type(config), "multicast")
        module = importlib.import_module(f"cubecast.rtl.{system}.{unit.removeprefix(f'{system}_')}")
        component = getattr(module, UNITS[unit])(config)
    name = f"cubecast_{unit}"
    text = verilog.write(component, name, progress=progress)
    ports = modules.ports_of(text, name)
    inputs = {**dict.fromkeys(CLOCKS[axi], 1), **ports.inputs}
    described = _described(name, unit, config, inputs, ports.outputs)
    files = {
        f"{name}.v": text,
        f"{name}.json": json.dumps(described, indent=2) + "\n",
        f"{name}_inst.v": template(name, inputs, ports.outputs, CLOCKS[axi]),
    }
    if isinstance(config, CollectiveConfig):
        files[COLLECTIVE_HEADER] = table_registers.c_header(config)
        if unit != "collective_unit":
            files[HEADER] = router_registers.c_header(config.router)
    elif unit != "mhu":
        packet = isinstance(config, PacketConfig)
        files[HEADER] = packet_registers.c_header(config) if packet else router_registers.c_header(config)
    if verilog.WAIVERS:
        files[f"{name}.vlt"] = verilog.waivers()
    return files


def _described(
    name: str,
    unit: str,
    config: Config | PacketConfig | CollectiveConfig,
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
) -> dict[str, Any]:
    """Return the description of a unit as plain values."""
    if isinstance(config, CollectiveConfig):
        return collective_description.describe(name, unit, config, inputs, outputs)
    if isinstance(config, PacketConfig):
        return packet_description.describe(name, unit, config, inputs, outputs)
    return description.describe(name, unit, config, inputs, outputs)


def template(
    name: str, inputs: Mapping[str, int], outputs: Mapping[str, int], clocks: tuple[str, str] = CLOCKS[False]
) -> str:
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
