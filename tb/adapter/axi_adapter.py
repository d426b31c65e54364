"""Testbench of the adapter with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.adapter.contract.axi import axi_of_adapter
from cubecast.tb.adapter import adapter
from cubecast.tb.common import axi_ports

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    adapter,
    axi_of_adapter,
    # They hang on faults and relays, which are rare here.
    left=("NO_ROUTE", "RELAY_FULL"),
    more=("m_axis: error", "control: read refused", "control: write response waits"),
    unit="adapter.axi_adapter:AxiAdapter",
)
