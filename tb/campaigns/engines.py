"""Engines: what simulates the packet routers of a campaign, of nodes or of networks."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from cubecast.options.usage import UsageError
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import LARGEST, Network
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["ENGINES", "Simulated", "add_engine"]

ENGINES = ("parallel", "verilator", "lockstep")
"""What simulates: the gates of a node, on words that hold a bit of every node; what Verilator makes of the network; or
the build of its lockstep runs, which takes no time where it is there."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Simulated:
    """What is simulated.

    Parameters
    ----------
    node, network : str
        ``"package.module:Class"`` in ``rtl/``: a packet router, with what is behind it, and a cube of them.
    """

    node: str
    network: str

    def program(
        self, source: programs.Source, config: Any, engine: str, *, verilog: str | None = None, short: bool = False
    ) -> Path:
        """Return the program, compiled.

        Parameters
        ----------
        source : Source
            The rest of it.
        config
            Parameters of the nodes.
        engine : str
            One of :data:`ENGINES`.
        verilog : str
            Modules in place of those of ``config``: of a node with the engine ``"parallel"``, else of a network.
        short : bool
            The run takes less time than the compiler needs to optimise its gates.

        Raises
        ------
        UsageError
            The engine does not take so many nodes.
        SimulatorError
            A tool is missing or fails.
        """
        if engine == "parallel":
            if config.dim > LARGEST:
                raise UsageError(f"dim must be at most {LARGEST} with the engine {engine!r}, not {config.dim}")
            verilog = verilog or verilog_of(self.node, config)
            gates = Network(source.constants["DIM"], verilog, "top", module_of(verilog, "packet_buffer_unit"))
            return programs.parallel(source, gates, optimise="-O0" if short else "-O1")
        verilog = verilog or verilog_of(self.network, config)
        if engine == "verilator":
            return programs.verilated(source, verilog, optimise="-O1")
        return programs.attached(source, verilog)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the option of the engine, of which one is for tests alone."""
    own = ENGINES[:2]
    parser.add_argument("--engine", choices=own, default=own[0], help="what simulates (default %(default)s)")
