"""Programs: a self-test network as one executable, with the bit-parallel simulation or as Verilator translates it.

Both take the same arguments and print the same. If asked, they write a number for every cycle that all visible outputs
of the cycle went into.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.registers import cpp_header
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import Command, register_map
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import Network, Traced
from cubecast.tb.harness.modules import module_of, ports_of
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["network", "parallel", "plain", "run", "same_traces"]

NODE = "cubecast.rtl.multicast.self_test_node:SelfTestNode"
NETWORK = "cubecast.rtl.multicast.self_test_network:SelfTestNetwork"

FLAT_DESIGN = 200_000
"""Lines of Verilog, every instance counted, up to which Verilator gets a design in one piece."""

OPTIMISE = {"run": "-O2", "build": "-O0"}
"""Compiler option for each ``speed``."""

PAYLOAD = ("data", "last", "error", "lane")
"""Members of a link that mean nothing without ``valid``."""


def network(config: Config) -> Network:
    """Return the circuits of a self-test network, and what of them is traced; errors as in :class:`Network`."""
    text = verilog_of(NODE, config)
    return Network(config.dim, text, "top", module_of(text, "multicast_mhu"), list(_traced(config, text)))


def _traced(config: Config, node: str) -> Iterator[Traced]:
    """Yield the node's port that is each traced port of the network."""
    inputs = ports_of(node, "top").inputs
    for name in traced_ports(config):
        kind, _, rest = name.partition("_")
        if kind == "link":
            j, _, member = rest.partition("_")
            port, gate = f"link_in__{j}__{member}", f"link_in__{j}__valid" if member in PAYLOAD else ""
            # A link ends at the neighbour; what comes back on it, at the node itself.
            yield (
                Traced(port=port, flip=1 << int(j), gate=gate)
                if port in inputs
                else Traced(port=f"link_out__{j}__{member}")
            )
        else:
            port = name if name in ports_of(node, "top").outputs else f"{kind}__{rest}"
            yield Traced(port=port, gate="report__valid" if kind == "report" and rest != "valid" else "")


def traced_ports(config: Config) -> list[str]:
    """Return the outputs of the network that are compared between the two simulations."""
    outputs = ports_of(verilog_of(NETWORK, config, {"probe": True}), "top").outputs
    return [name for name in outputs if name != "passed"]


def _source(name: str, config: Config) -> programs.Source:
    """Return what is compiled together with a network."""
    return programs.Source(
        area="measure",
        name=f"{name}-{config.dim}-{config.policy}",
        main=Path(__file__).with_name("traffic.cpp"),
        constants={"DIM": config.dim, "STOP": 1 << Command.STOP},
        headers={"registers.h": cpp_header({"self_test": register_map(config)})},
    )


def parallel(config: Config, *, speed: str = "run") -> Path:
    """Return the program of the bit-parallel simulation of a network.

    Parameters
    ----------
    config : Config
        Parameters of the routers; at most 64 nodes.
    speed : str
        ``"run"``: let the C++ compiler optimise; ``"build"``: compile quickly.

    Raises
    ------
    SimulatorError
        The compiler is missing or fails.
    """
    return programs.parallel(_source("parallel", config), network(config), optimise=OPTIMISE[speed])


def plain(config: Config, *, probe: bool = False, speed: str = "run") -> Path:
    """Return the program of the network as Verilator translates it.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Able to write a trace; slower.
    speed : str
        As for :func:`parallel`.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    return programs.verilated(
        _source("plain", config),
        verilog_of(NETWORK, config, {"probe": True} if probe else {}),
        optimise=OPTIMISE[speed],
        flat=FLAT_DESIGN,
        flags=programs.FAST_FLAGS,
        traced=traced_ports(config) if probe else (),
    )


def run(program: Path, values: Mapping[str, int], trace: Path | None = None) -> dict[str, Any]:
    """Run a program; return what it printed.

    Parameters
    ----------
    program : Path
        One of this module's.
    values : dict
        Registers of the generators and checkers by name in small letters, ``warm`` and ``cycles`` to run before and
        while the time is taken, and ``drain``, the cycles in which all must arrive afterwards.
    trace : Path
        Write the trace here.
    """
    return programs.run(program, {**values, **({"trace": trace} if trace else {})})


def same_traces(one: Path, other: Path) -> int:
    """Return in how many cycles, from the first one on, two traces agree; all of them or not, see their length.

    Parameters
    ----------
    one, other : Path
        Files that :func:`run` wrote.
    """
    first, second = one.read_bytes(), other.read_bytes()
    for place in range(0, max(len(first), len(second)), 8):
        if first[place : place + 8] != second[place : place + 8]:
            return place // 8
    return len(first) // 8
