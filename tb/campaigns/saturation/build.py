"""Build: the campaign and a simulated network as one program."""

from __future__ import annotations

from pathlib import Path

from cubecast.golden.common.contract.registers import cpp_header
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import REGISTERS
from cubecast.tb.engine.parallel import Network
from cubecast.tb.engine.programs import Source, attached, codes, parallel, verilated
from cubecast.tb.harness.builds import BLOCK_DESIGN
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["ENGINES", "build", "network"]

ENGINES = ("parallel", "verilator", "lockstep")
"""What simulates the network: its gates on words that hold a bit of every node; what Verilator makes of it; or that as
lockstep runs have it built, which takes the least time to build."""

FLAT_DESIGN = 400_000
"""Lines of Verilog up to which a network that is to run fast is translated as a whole."""


def network(config: Config) -> str:
    """Return the Verilog of the plain network, without the probes at its links."""
    return verilog_of("cubecast.rtl.multicast.network:Network", config)


def build(config: Config, verilog: str, *, engine: str = "verilator", speed: str = "run") -> Path:
    """Compile the campaign on a network, once; return the program.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    verilog : str
        Its modules; the top module is ``top``.
    engine : str
        One of :data:`ENGINES`.
    speed : str
        ``"run"``: for long campaigns; ``"build"``: compile quickly.

    Raises
    ------
    SimulatorError
        A tool is missing or refuses the design.
    """
    names = ["dim", "width", "max_dest", "max_list", "max_data", "log_depth", "counters"]
    names += ["fault_tolerant", "source_field"]
    values = config.to_json()
    source = Source(
        area="saturation",
        name=f"{engine}-{config.dim}-{config.policy}",
        main=Path(__file__).with_name("campaign.cpp"),
        constants={name.upper(): int(values[name]) for name in names},
        headers={"registers.h": cpp_header({"router": REGISTERS}) + codes(Reason)},
    )
    fast = speed == "run"
    if engine == "parallel":
        gates = Network(
            config.dim, verilog, module_of(verilog, "multicast_router"), module_of(verilog, "multicast_mhu")
        )
        return parallel(source, gates, optimise="-O1" if fast else "-O0")
    if engine == "lockstep":
        return attached(source, verilog)
    return verilated(source, verilog, optimise="-O2" if fast else "-O0", flat=FLAT_DESIGN if fast else BLOCK_DESIGN)
