"""Testbench of the collective node with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.registers import Register
from cubecast.tb.collective import node
from cubecast.tb.common import axi_ports

__all__ = ["BENCH"]

SLOW = 4
"""Cycles that an access over AXI takes, more or less."""

BENCH = axi_ports.of_node(
    node,
    axi,
    more=tuple(f"collective: {kind} {what}" for kind in ("read", "write") for what in ("done", "response waits")),
    options={"slow": SLOW},
    commands={"collective": Register.COMMAND},
    unit="collective.axi_node:AxiCollectiveNode",
)
