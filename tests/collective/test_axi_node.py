"""The collective node with AXI ports between the AXI drivers of cocotbext-axi."""

import pytest

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from tests.collective.corners import CORNERS
from tests.common.axi_run import drive, params

COMPONENT, DRIVER = "cubecast.rtl.collective.axi_node:AxiCollectiveNode", "tests.collective.axi_driver"

DRIVEN = {
    "n2": CORNERS["n2"],
    # tdata is wider than a word, and there are no counters of faults.
    "padded": CollectiveConfig(router=Config(dim=2, width=20, max_data=4, log_depth=0), max_vector=5, max_relays=1),
}


@pytest.mark.parametrize(("simulator", "name"), params(*DRIVEN), indirect=["simulator"])
def test_merges_between_axi_drivers(tmp_path, simulator, name):
    """Drivers that pause at random: vectors go in, pieces of neighbours come, results come out, channels wait."""
    counted = drive(tmp_path, simulator, COMPONENT, DRIVEN[name], DRIVER, "merges", rounds=12)["counted"]
    assert counted["copies"] >= 12
    for stream in ("s_axis_vector_t", "m_axis_vector_t"):
        assert counted[stream]


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_registers_aborts_and_resets_over_axi(tmp_path, simulator):
    """SLVERR, fields, byte strobes, writes while busy, an abort in a result, a reset in a load."""
    drive(tmp_path, simulator, COMPONENT, DRIVEN["n2"], DRIVER, "registers")
