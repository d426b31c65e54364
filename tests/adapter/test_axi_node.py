"""The crosspoint node with AXI ports between the AXI drivers of cocotbext-axi."""

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from tests.common.axi_run import drive

CONFIG = AdapterConfig(
    router=CrosspointConfig(dim=2, width=12, runs=1, packet_limit=3, eject_depth=16),
    fault_entries=1,
    reassemble=2,
    reassemble_words=4,
)
"""tdata is wider than a word; messages are longer than packets, and some longer than a buffer."""


@pytest.mark.parametrize(
    ("simulator", "messages"),
    [
        pytest.param("verilator", 8),
        pytest.param("verilator", 150, marks=pytest.mark.soak),
        pytest.param("icarus", 8, marks=pytest.mark.soak),
    ],
    indirect=["simulator"],
)
def test_messages_and_registers_at_once(tmp_path, simulator, messages):
    """Drivers that pause at random: every message comes whole, in order, with its source; every stream waits."""
    component, driver = "cubecast.rtl.adapter.axi_node:AxiAdapterNode", "tests.adapter.axi_driver"
    arguments = {"messages": messages, "accesses": 6 * messages}
    counted = drive(tmp_path, simulator, component, CONFIG, driver, "traffic", **arguments)["counted"]
    assert counted["whole"] and counted["long"] and counted["empty"]
    assert counted["s_axis_t"] and counted["m_axis_t"] and counted["s_axi_ar"] and counted["s_axi_r"]
