"""``cubecast generate crosspoint-adapter|crosspoint-node|crosspoint-node-network``: Verilog, description, headers."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from cubecast.api.generation import generate
from cubecast.cli import main
from cubecast.golden.adapter.contract import registers
from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.crosspoint.contract.registers import c_header
from cubecast.systems.adapter.description import meaning
from tests.adapter.corners import CORNERS
from tests.cli.generated import described_by, elaborates, has_router, headers_compile

CASES = [("crosspoint_adapter", "default"), ("crosspoint_node", "one_run"), ("crosspoint_node_network", "least")]


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_description_and_headers(tmp_path: Path, unit: str, name: str) -> None:
    """Every port of the Verilog has its meaning; formats, registers and codes are the contract's; C compiles."""
    config = CORNERS[name]
    made = generate(unit, config)
    described, found = described_by(unit, config, made)
    elaborates(made[f"cubecast_{unit}.v"])
    assert described["adapter_registers"] == registers.plain(config)
    assert described["adapter_reasons"] == {reason.name: reason.value for reason in AdapterReason}
    items, between = (config.nodes, "_") if unit.endswith("network") else (1, "__")
    assert found[f"send{between}data"] == ("input", items * config.width)
    assert found[f"receive{between}source"] == ("output", items * config.dim)
    assert made["cubecast_adapter_regs.h"].endswith(registers.c_header(config))
    has_router(described, made, c_header(config.router), unit != "crosspoint_adapter")
    headers_compile(tmp_path, made)


@pytest.mark.parametrize("port", ["send__colour", "receive", "adapter__colour", "cuts"])
def test_a_port_without_a_meaning_is_an_error(port: str) -> None:
    """So none is forgotten."""
    for unit in ("crosspoint_adapter", "crosspoint_node"):
        with pytest.raises(KeyError):
            meaning(port, unit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--dim 3 --packet-limit 1", "packet_limit must be at least 2 in a node with an adapter, not 1"),
        ("--dim 10 --width 31", "width must be at least 32 in a node with an adapter, not 31"),
        ("--dim 3 --fault-entries 17", "fault_entries must be an integer from 0 to 16, not 17"),
        ("--dim 3 --fault-entries -1", "fault_entries must be an integer from 0 on, not -1"),
        ("--dim 3 --relay-wait 0", "relay_wait must be an integer from 1 to 65535, not 0"),
        ("--dim 3 --runs 1 --policies valiant", "policies must be one of all, e-cube when runs is 1, not valiant"),
        ("--dim 3 --reassemble 17", "reassemble must be an integer from 0 to 16, not 17"),
        ("--dim 3 --reassemble-words 48", "reassemble_words must be a power of two from 2 to 4096, not 48"),
        ("--dim 3 --reassemble-words 32", "reassemble_words must be left out when reassemble is 0, not 32"),
        ("--dim 3 --reassemble-words 1", "reassemble_words must be an integer from 2 to 4096, not 1"),
    ],
)
def test_wrong_options_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: str, message: str
) -> None:
    """Name, value and what is allowed; no file is written."""
    assert main(["generate", "crosspoint-node", *arguments.split(), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"cubecast generate: {message}") and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("policies", "there"), [("all", {"POLICY", "SEED"}), ("valiant", {"SEED"}), ("e-cube", set())])
def test_one_policy_has_no_register(policies: str, there: set[str]) -> None:
    """And no random bits if it draws none; the logic of the others is not in the planner either."""
    config = dataclasses.replace(CORNERS["default"], policies=policies)
    names = {entry["name"] for entry in registers.plain(config)}
    assert names == there | {"FAULT"}
    verilog = generate("crosspoint_adapter", config)["cubecast_crosspoint_adapter.v"]
    (planner,) = re.findall(r"^module \w+_planner_.*?^endmodule", verilog, re.M | re.S)
    looked_at = re.findall(r"(?:assign|casez).*\b(draw|policy)\b", planner)
    assert set(looked_at) == {port for name, port in (("SEED", "draw"), ("POLICY", "policy")) if name in there}


def test_options_of_the_adapter_belong_to_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The router alone has no use for them."""
    command = ["generate", "crosspoint-router", "--dim", "3", "--fault-entries", "2", "-o", str(tmp_path / "out")]
    assert main(command) == 2
    wanted = "fault-entries must be given with an adapter unit only, not with crosspoint-router"
    assert wanted in capsys.readouterr().err
