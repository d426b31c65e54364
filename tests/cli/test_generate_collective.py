"""``cubecast generate`` for the collectives: Verilog, description, headers."""

import json
import os
import subprocess

import pytest

from cubecast.api.generation import generate
from cubecast.cli import main
from cubecast.golden.collective.contract import registers as table_registers
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.registers import c_header
from cubecast.systems.collective.description import meaning
from tests.cli.generated import TIMED, WITH_AXI, compiles, described_by, has_router, lint, made_once, read_back
from tests.collective.corners import CORNERS

CASES = [("collective_unit", name) for name in ("default", "no_relays", "narrow")]
CASES += [("collective_node", name) for name in ("default", "fault_free")]
CASES += [("collective_network", "n2")]
UNITS = ("collective-unit", "collective-node", "collective-network")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a function that gives the folder with the files of a unit, made once."""
    return made_once(tmp_path_factory, lambda unit, name: generate(unit, CORNERS[name]))


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_verilator_lints_without_a_warning(files, unit, name):
    """-Wall, with nothing waived but what the list of waivers says."""
    lint(files(unit, name), f"cubecast_{unit}")


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_icarus_compiles_unit_and_templates(files, unit, name):
    """Both templates stand in one module that has clock and reset."""
    compiles(files(unit, name), unit)


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_description_names_every_port_of_the_verilog(files, unit, name):
    """Name, direction and width are those of the module; every port has a meaning; both register maps are there."""
    config, made = CORNERS[name], read_back(files(unit, name))
    description, _ = described_by(unit, config, made)
    assert description["segment"]["most_words"] == config.segment
    assert [field["name"] for field in description["segment"]["fields"]] == [
        "kind",
        "final",
        "stage",
        "hops",
        "argument",
    ]
    assert description["segment"]["kinds"]["RING"] == 6
    assert description["collective_registers"] == table_registers.plain(config)
    assert made["cubecast_collective_regs.h"].endswith(table_registers.c_header(config))
    whole = unit != "collective_unit"
    assert ("reasons" in description) == whole
    has_router(description, made, c_header(config.router), whole)


@pytest.mark.parametrize("port", ["vector_in__colour", "custom", "collective__colour", "inject__colour"])
def test_unknown_port_has_no_meaning(port):
    """A port that nobody described is an error of the program, not an empty text."""
    for unit in ("collective_unit", "collective_node"):
        with pytest.raises(KeyError):
            meaning(port, unit)


def test_headers_compile_together(tmp_path):
    """Both in one C program, whose numbers are those of the register map."""
    config = CollectiveConfig(router=Config(dim=3), max_relays=2)
    (tmp_path / "cubecast_regs.h").write_text(c_header(config.router))
    (tmp_path / "cubecast_collective_regs.h").write_text(table_registers.c_header(config))
    checks = ["CUBECAST_COLLECTIVE_RELAY_COUNT == 2", "CUBECAST_COLLECTIVE_COUNTER_BITS == 32"]
    for name, place in table_registers.addresses(config).items():
        register, _, index = name.partition("_")
        call = f"({index})" if index else ""
        checks.append(f"CUBECAST_COLLECTIVE_{register}_WORD{call} == {place}")
        checks.append(f"CUBECAST_COLLECTIVE_{register}_OFFSET{call} == {4 * place}")
    checks += ["CUBECAST_COLLECTIVE_COMMAND_OPERATION_MASK == 0x70", "CUBECAST_COLLECTIVE_OPERATION_XOR == 5"]
    checks += ["CUBECAST_COLLECTIVE_SENDS_WAY_SHIFT == 8", "CUBECAST_COLLECTIVE_STATE_LAST == 9", "CUBECAST_DIM == 3"]
    checks += [f"CUBECAST_COLLECTIVE_SEGMENT_WORDS == {config.segment}", "CUBECAST_COLLECTIVE_MAX_VECTOR == 64"]
    lines = ['#include "cubecast_regs.h"', '#include "cubecast_collective_regs.h"']
    lines += [f'_Static_assert({check}, "{check}");' for check in checks]
    (tmp_path / "check.c").write_text("\n".join([*lines, "int main(void) { return 0; }", ""]))
    command = ["g++", "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "check.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_counters_of_the_collectives_are_as_wide_as_the_routers():
    """Eight bits, or none at all; the number of pieces that came is no counter for the host."""
    for counters, bits in ((8, [8, 8, 8]), (32, [32, 16, 32]), (0, [])):
        config = CollectiveConfig(router=Config(dim=2, counters=counters))
        widths = {entry["name"]: entry["fields"][0]["width"] for entry in table_registers.plain(config)}
        assert [widths[name] for name in ("FINISHED", "STRANGE", "CLOCKS") if name in widths] == bits
        assert widths["RECEIVED"] == 16


def test_options_reach_the_parameters(capsys, tmp_path):
    """Sizes of the collectives and of the router."""
    options = "--dim 4 --width 24 --max-data 9 --max-vector 100 --max-relays 7 --json"
    assert main(["generate", "collective-unit", *options.split(), "-o", str(tmp_path)]) == 0
    made = json.loads(capsys.readouterr().out)["files"]
    assert [os.path.basename(file) for file in made] == [
        "cubecast_collective_unit.v",
        "cubecast_collective_unit.json",
        "cubecast_collective_unit_inst.v",
        "cubecast_collective_unit_inst.sv",
        *(f"cubecast_collective_unit{end}" for end in (*TIMED, ".rdl")),
        "cubecast_collective_regs.h",
        "cubecast_collective.h",
        "cubecast_collective.c",
        "cubecast_collective_unit.vlt",
    ]
    parameters = json.loads((tmp_path / "cubecast_collective_unit.json").read_text())["parameters"]
    wanted = CollectiveConfig(router=Config(dim=4, width=24, max_data=9), max_vector=100, max_relays=7)
    assert parameters == wanted.to_json()


ERRORS = [
    (["router", "--max-vector", "5"], "max-vector must be given with a collective unit only, not with router"),
    (
        ["packet-router", "--max-relays", "5"],
        "max-relays must be given with a collective unit only, not with packet-router",
    ),
    (["collective-node", "--max-vector", "0"], "max_vector must be an integer from 1 to 4096, not 0"),
    (["collective-node", "--max-relays", "17"], "max_relays must be an integer from 0 to 16, not 17"),
    (["collective-node", "--width", "15"], "width must be at least 16 in a node with collectives, not 15"),
    (["collective-unit", "--max-data", "2"], "max_data must be at least 3 in a node with collectives, not 2"),
    (
        ["collective-unit", "--rows", "2"],
        "rows must be given with the packet router only, not with the multicast router",
    ),
    (
        ["collective-unit", "--axi"],
        f"axi must be given with one of {WITH_AXI}, not with collective-unit",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_leaves_nothing(capsys, tmp_path, arguments, line):
    """Status 2; the folder is not made."""
    folder = tmp_path / "out"
    assert main(["generate", *arguments, "--dim", "3", "-o", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"cubecast generate: {line}\n")
    assert not folder.exists()


def test_streams_say_what_their_tuser_is_for():
    """That of the node's own vector is not looked at."""
    assert meaning("s_axis_vector_tuser", "collective_node").endswith(": not looked at")
    assert meaning("m_axis_vector_tuser", "collective_node").endswith(": error: with tlast, it was cut off")
