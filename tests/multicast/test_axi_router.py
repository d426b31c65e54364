"""The router with AXI ports: beside its golden twin, and between the AXI drivers of cocotbext-axi."""

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of
from tests.common.axi_run import cone, drive, params

DRIVEN = {
    "n2": Config(dim=2, max_data=3),
    # tdata is wider than a word.
    "padded": Config(dim=3, width=20, max_dest=2, max_list=5, max_data=4, source_field=True),
    "fault_free": Config(dim=3, width=16, max_dest=2, max_list=5, max_data=4, fault_tolerant=False),
}


COMPONENT, DRIVER = "cubecast.rtl.multicast.axi_router:AxiRouter", "tests.multicast.axi_driver"


@pytest.mark.core("verilator-n2")
@pytest.mark.parametrize(("simulator", "name"), params(*DRIVEN), indirect=["simulator"])
def test_messages_and_registers_at_once(tmp_path, simulator, name):
    """Drivers that pause at random: everything arrives once with its data, every channel had to wait somewhere."""
    counted = drive(tmp_path, simulator, COMPONENT, DRIVEN[name], DRIVER, "traffic", messages=60, accesses=150)[
        "counted"
    ]
    assert counted["delivered"] > 20 and counted["copies"] > 60
    waits = [name for name in counted if name.startswith(("s_ax", "m_ax"))]
    assert len(waits) == 7
    assert not [name for name in waits if not counted[name]]


@pytest.mark.parametrize(("simulator", "name"), params("n2", "padded"), indirect=["simulator"])
def test_registers_faults_and_log_over_axi(tmp_path, simulator, name):
    """SLVERR, byte strobes, a fault written over AXI sends a message another way, the log is read, reset in traffic."""
    drive(tmp_path, simulator, COMPONENT, DRIVEN[name], DRIVER, "registers")


@pytest.mark.formal
def test_no_path_from_an_axi_input_to_an_output(tmp_path):
    """Not of the slave, and not of the router, whose links have a path from ready to valid."""
    config, top = Config(dim=2, max_data=1, log_depth=1), "cubecast_axi_router"
    text = verilog_of(COMPONENT, config, {"axi_clock": True}, name=top)
    found = cone(tmp_path, text, top, "o:*")
    assert "link_out__0__ready" in found
    assert not [name for name in found if name.startswith(("s_ax", "m_ax", "aclk"))]
    assert cone(tmp_path, text, module_of(text, "axi_control"), "o:*") == set()
