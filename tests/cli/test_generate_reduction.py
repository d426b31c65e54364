"""``cubecast generate reduction-router|reduction-network``: Verilog, description, headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from cubecast.api.generation import generate
from cubecast.cli import main
from cubecast.golden.crosspoint.contract.registers import c_header
from cubecast.golden.reduction.contract import registers
from cubecast.golden.reduction.contract.word import Operation
from cubecast.rtl.reduction.load_network import LoadNetwork
from cubecast.systems.reduction.description import meaning
from tests.cli.generated import compiles, described_by, has_router, headers_compile, lint
from tests.reduction.corners import CORNERS


@pytest.mark.parametrize(("unit", "name"), [("reduction_router", "far"), ("reduction_network", "least")])
def test_verilog_description_and_headers(tmp_path: Path, unit: str, name: str) -> None:
    """No lint; templates compile; every port has its meaning; registers and codes are the contract's; C compiles."""
    config = CORNERS[name]
    made = generate(unit, config)
    for file, text in made.items():
        (tmp_path / file).write_text(text)
    lint(tmp_path, f"cubecast_{unit}")
    compiles(tmp_path, unit)
    described, found = described_by(unit, config, made)
    assert described["reduction_registers"] == registers.plain(config)
    assert described["operations"] == {operation.name: operation.value for operation in Operation}
    items, between = (config.nodes, "_") if unit.endswith("network") else (1, "__")
    assert found[f"own{between}data"] == ("input", items * config.width)
    assert found[f"result{between}error"] == ("output", items)
    # Synthesis leaves one module as it is.
    assert made[f"cubecast_{unit}.v"].count("(* keep_hierarchy = 1 *)\nmodule cubecast_reduction_alu_control") == 1
    assert made["cubecast_reduction_regs.h"].endswith(registers.c_header(config))
    has_router(described, made, c_header(config.router), True)
    headers_compile(tmp_path, made)


def test_operators_of_the_node_have_ports() -> None:
    """One for each stage of the join, all with a meaning; the unit has no ALU then."""
    config = CORNERS["operator"]
    made = generate("reduction_router", config)
    _, found = described_by("reduction_router", config, made)
    for stage in ("operator_1", "operator_2"):
        assert found[f"{stage}__y"] == ("input", config.width) and found[f"{stage}__rop"] == ("output", 4)
    assert "cubecast_reduction_operator_stage" in made["cubecast_reduction_router.v"]
    assert "reduction_alu" not in made["cubecast_reduction_router.v"]


@pytest.mark.parametrize(("unit", "items"), [("reduction_router", 1), ("reduction_network", 8)])
def test_two_contexts_with_operators_have_ports_of_their_own(tmp_path: Path, unit: str, items: int) -> None:
    """Of each kind, all with a meaning; the links tell the contexts apart; templates compile."""
    config, between = CORNERS["both"], "__" if items == 1 else "_"
    made = generate(unit, config)
    for file, text in made.items():
        (tmp_path / file).write_text(text)
    compiles(tmp_path, unit)
    _, found = described_by(unit, config, made)
    for ending in ("", "_1"):
        assert found[f"own{ending}{between}data"] == ("input", items * config.width)
        assert found[f"reduction{ending}{between}address"] == ("input", 4 * items)
        assert found[f"alarm{ending}"] == ("output", items)
        for stage in (1, 2):
            assert found[f"operator_{stage}{ending}{between}y"] == ("input", items * config.width)
    if items == 1:
        assert found["link_in__0__push_r_1"] == ("input", 1) and found["link_in__0__ready_r_1"] == ("output", 1)


def test_a_load_network_has_no_operators_beside_it() -> None:
    """One line."""
    with pytest.raises(ValueError, match=r"^operator_latency must be 0 without operators beside the units, not 3$"):
        LoadNetwork(CORNERS["operator"])


@pytest.mark.parametrize("port", ["own__colour", "result", "link_in__0__colour", "alarms"])
def test_a_port_without_a_meaning_is_an_error(port: str) -> None:
    """So none is forgotten."""
    with pytest.raises(KeyError):
        meaning(port, "reduction_router")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--dim 3 --width 65", "width must be at most 64 in a node with a join unit, not 65"),
        ("--dim 3 --contexts 3", "contexts must be an integer from 1 to 2, not 3"),
        ("--dim 3 --operator-latency 15", "operator_latency must be an integer from 0 to 14, not 15"),
        ("--dim 3 --reduce-depth 12", "reduce_depth must be one of 4, 8, 16, 32, 64, not 12"),
        (
            "--dim 3 --reduce-depth 4 --link-regs 1",
            "reduce_depth must be more than 5 with these registers on the links, not 4",
        ),
    ],
)
def test_wrong_options_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: str, message: str
) -> None:
    """Name, value and what is allowed; no file is written."""
    assert main(["generate", "reduction-router", *arguments.split(), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"cubecast generate: {message}") and error.count("\n") == 1
    assert not (tmp_path / "out").exists()
