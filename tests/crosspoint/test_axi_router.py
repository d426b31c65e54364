"""The crosspoint router with AXI ports between the AXI drivers of cocotbext-axi."""

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.tb.harness.verilog import verilog_of
from tests.common.axi_run import cone, drive, params

COMPONENT, DRIVER = "cubecast.rtl.crosspoint.axi_router:AxiCrosspointRouter", "tests.crosspoint.axi_driver"

DRIVEN = {
    "n2": CrosspointConfig(dim=2, packet_limit=4, eject_depth=16),
    # tdata is wider than a word, ejection queues are in block RAM.
    "padded": CrosspointConfig(dim=3, width=12, runs=1, link_regs=1, packet_limit=4, eject_depth=128),
}


@pytest.mark.parametrize(("simulator", "name"), params(*DRIVEN), indirect=["simulator"])
def test_packets_and_registers_at_once(tmp_path, simulator, name):
    """Drivers that pause at random: every copy leaves once with its words, all counters agree, every channel waits."""
    arguments = {"packets": 80, "accesses": 150}
    counted = drive(tmp_path, simulator, COMPONENT, DRIVEN[name], DRIVER, "traffic", **arguments)["counted"]
    assert counted["delivered"] > 40 and counted["sent"] > 80 and counted["lost"] > 15
    waits = [name for name in counted if name.startswith(("s_ax", "m_ax"))]
    # Nobody writes here.
    assert {name for name in waits if not counted[name]} == {"s_axi_aw", "s_axi_w", "s_axi_b"}


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_registers_faults_and_log_over_axi(tmp_path, simulator):
    """SLVERR, byte strobes, packets refused and lost in the log, a reset while packets wait."""
    drive(tmp_path, simulator, COMPONENT, DRIVEN["n2"], DRIVER, "registers")


@pytest.mark.formal
def test_no_path_from_an_axi_input_to_an_output(tmp_path):
    """Of the router with its links, which have paths from their flags to their words."""
    config = CrosspointConfig(dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, log_depth=1, counters=0)
    top = "cubecast_axi_crosspoint_router"
    found = cone(tmp_path, verilog_of(COMPONENT, config, {"axi_clock": True}, name=top), top, "o:*")
    assert "link_out__0__ready" in found
    assert not [name for name in found if name.startswith(("s_ax", "m_ax", "aclk"))]
