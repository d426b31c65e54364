"""The packet router with AXI ports between the AXI drivers of cocotbext-axi."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from tests.common.axi_run import drive, params

COMPONENT, DRIVER = "cubecast.rtl.packet.axi_router:AxiPacketRouter", "tests.packet.axi_driver"

DRIVEN = {
    "n2": PacketConfig(dim=2, rows=2, max_words=3),
    # tdata is wider than a word.
    "padded": PacketConfig(dim=3, rows=2, max_words=4, width=20),
}


@pytest.mark.parametrize(("simulator", "name"), params(*DRIVEN), indirect=["simulator"])
def test_packets_and_registers_at_once(tmp_path, simulator, name):
    """Drivers that pause at random: the counters say what went in and came out, every channel had to wait."""
    arguments = {"packets": 60, "accesses": 150}
    counted = drive(tmp_path, simulator, COMPONENT, DRIVEN[name], DRIVER, "traffic", **arguments)["counted"]
    assert counted["delivered"] > 10 and counted["sent"] > 40
    waits = [name for name in counted if name.startswith(("s_ax", "m_ax"))]
    # Nobody writes here.
    assert {name for name in waits if not counted[name]} == {"s_axi_aw", "s_axi_w", "s_axi_b"}


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_registers_faults_and_log_over_axi(tmp_path, simulator):
    """SLVERR, byte strobes, packets refused and cut off in the log, a reset while packets wait."""
    drive(tmp_path, simulator, COMPONENT, DRIVEN["n2"], DRIVER, "registers")
