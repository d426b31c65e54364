"""The packet router as Verilog: every configuration can be written, and Verilator has nothing to say."""

import re

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.verilog import WAIVERS, write
from cubecast.rtl.packet.router import PacketRouter
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of
from tests.harness.lint import linted
from tests.packet.corners import CORNERS

ROUTER = "cubecast.rtl.packet.router:PacketRouter"
NETWORK = "cubecast.rtl.packet.network:PacketNetwork"


def lint(folder, text):
    """Return what Verilator says about a design with the waivers."""
    (folder / "top.v").write_text(text)
    status, text = linted(folder, *(f"-Wno-{rule}" for rule in WAIVERS), "--top-module", "top", "top.v")
    assert (status == 0) == (text == "")
    return text


@pytest.mark.parametrize("unit", [ROUTER, pytest.param(NETWORK, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["default", "serial", "triangle"])
def test_verilator_lints_without_a_warning(tmp_path, name, unit):
    """-Wall, with nothing waived but what the list of waivers says: no latch, no loop without a register."""
    assert lint(tmp_path, verilog_of(unit, CORNERS[name])) == ""


@pytest.mark.parametrize("name", CORNERS)
def test_every_configuration_is_written(name):
    """One module for each unit, however many there are, and the probed links among the network's ports."""
    config = CORNERS[name]
    text = verilog_of(NETWORK, config, {"probe": True})
    modules = re.findall(r"^module (\w+)\(", text, re.M)
    assert len(modules) == len(set(modules))
    assert "top" in modules and module_of(text, "packet_buffer_unit") in modules
    assert any(name.startswith("cubecast_packet_serializer_") for name in modules) == (config.link == "serial")
    assert len(re.findall(rf"^  {module_of(text, 'packet_router')} router_\d+ \(", text, re.M)) == config.nodes
    top = text[text.index("module top(") :]
    ports = set(re.findall(r"^  output (?:\[\d+:0\] )?(link_\d+_\w+);", top, re.M))
    link = ("line", "hold") if config.link == "serial" else ("valid", "head", "data", "ready", "refusing")
    assert ports == {f"link_{j}_{member}" for j in range(config.dim) for member in link}


@pytest.mark.soak
def test_the_largest_router_is_written_soak():
    """Ten dimensions, and everything at its upper limit."""
    config = PacketConfig(dim=10, rows=64, max_words=63, width=64, fifo_depth=4096, log_depth=256)
    assert "module cubecast_packet_router(" in write(PacketRouter(config))
