"""``cubecast generate node-interface|node|axi-node|node-network``: Verilog, description, headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from cubecast.api.generation import generate
from cubecast.golden.node.contract import registers
from cubecast.golden.node.contract.block import Status, Word
from cubecast.golden.packet.contract.registers import c_header
from cubecast.systems.node.description import meaning
from cubecast.systems.node.library import library
from tests.cli.generated import described_by, elaborates, has_router, headers_compile
from tests.node.corners import CORNERS

CASES = [("node_interface", "default"), ("packet_node", "wide"), ("axi_node", "one_buffer"), ("node_network", "least")]


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_description_and_headers(tmp_path: Path, unit: str, name: str) -> None:
    """Every port of the Verilog has its meaning; blocks, registers and codes are the contract's; C compiles."""
    config = CORNERS[name]
    made = generate(unit, config)
    described, found = described_by(unit, config, made)
    elaborates(made[f"cubecast_{unit}.v"])
    rings = unit == "axi_node"
    assert described["node_registers"] == registers.plain(config, doorbells=rings)
    assert described["node_registers"][0]["access"] == ("RW" if rings else "R")
    assert described["statuses"] == {status.name: status.value for status in Status}
    assert described["block"]["FLAG"]["word"] == Word.FLAG
    items, between = (config.nodes, "_") if unit.endswith("network") else (1, "__")
    if unit == "axi_node":
        assert found["m_axi_wstrb"] == ("output", 4) and found["s_axi_awaddr"][0] == "input"
    else:
        assert found[f"doorbell{between}address"] == ("input", items * 32)
        assert found[f"write{between}strobe"] == ("output", items * 4)
    assert made["cubecast_node_regs.h"].endswith(registers.c_header(config, doorbells=rings))
    assert all(made[file].endswith(text) for file, text in library("cubecast").items())
    has_router(described, made, c_header(config.router), unit != "node_interface")
    headers_compile(tmp_path, made)


@pytest.mark.parametrize("port", ["doorbell__colour", "watch", "eject__colour", "dones"])
def test_a_port_without_a_meaning_is_an_error(port: str) -> None:
    """So none is forgotten."""
    for unit in ("node_interface", "packet_node"):
        with pytest.raises(KeyError):
            meaning(port, unit)
