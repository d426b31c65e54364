"""``cubecast generate crosspoint-router|crosspoint-network``: Verilog, description, template, header, options."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cubecast.api.generation import generate
from cubecast.cli import main
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.registers import c_header, plain
from cubecast.golden.crosspoint.contract.word import CrosspointReason, kinds
from cubecast.options.arguments import Parser
from cubecast.systems.crosspoint import SYSTEM
from cubecast.systems.crosspoint.description import meaning
from cubecast.systems.parameters import add_config, config_of
from tests.cli.generated import TIMED, compiles, described_by, lint, made_once, read_back
from tests.crosspoint.corners import CORNERS

CASES = [("crosspoint_router", name) for name in ("default", "plain", "one_run")] + [("crosspoint_network", "least")]
Files = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Return a function that gives the folder with the files of a unit, made once."""
    folder: Files = made_once(tmp_path_factory, lambda unit, name: generate(unit, CORNERS[name]))
    return folder


def linked(config: CrosspointConfig) -> tuple[dict[str, int], dict[str, int]]:
    """Return the fields of a link by the contract, with their bits: with the words, and against them."""
    forward = {"push": config.dim + 1, "head": 1, "last": 1, "error": 1, "data": config.width, "r1": config.dim}
    forward |= {"r2": config.dim} if config.runs == 2 or config.multicast else {}
    forward |= {"kind": 2} if config.multicast else {}
    forward |= {"down": 1} if config.fault_tolerant else {}
    return forward, {"ready": 1} | ({"ready_up": 1} if config.runs == 2 else {})


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_verilator_lints_without_a_warning(files: Files, unit: str, name: str) -> None:
    """-Wall, with nothing waived but what the list of waivers says."""
    lint(files(unit, name), f"cubecast_{unit}")


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_icarus_compiles_unit_and_templates(files: Files, unit: str, name: str) -> None:
    """Both templates stand in one module that has clock and reset, with all links without a neighbour."""
    compiles(files(unit, name), unit, tied=True)


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_description_names_every_port_of_the_verilog(files: Files, unit: str, name: str) -> None:
    """Name, direction and width are those of the module; every port has a meaning; formats are the contract's."""
    config, made = CORNERS[name], read_back(files(unit, name))
    description, found = described_by(unit, config, made)
    assert description["registers"] == plain(config)
    assert description["reasons"] == {reason.name: reason.value for reason in CrosspointReason}
    packet = description["packet"]
    assert (packet["word_bits"], packet["most_words"]) == (config.width, config.packet_limit)
    assert packet["kinds"] == {kind.name: kind.value for kind in kinds(config)} and ("BITMAP" in packet["kinds"]) == (
        config.multicast
    )
    assert packet["bitmap_bits"] == (config.bitmap_bits if config.multicast else 0)
    items, between = (config.nodes, "_") if unit.endswith("network") else (1, "__")
    for field in packet["header"]:
        assert found[f"inject{between}{field['name']}"] == ("input", items * field["width"])
    assert made["cubecast_regs.h"].endswith(c_header(config))


@pytest.mark.parametrize("unit", ["crosspoint_router", "crosspoint_network"])
def test_axi_ports_carry_header_and_kind(tmp_path: Path, unit: str) -> None:
    """Verilator lints the unit; each field of ``tuser`` has its place, and they fill it."""
    config, top = CORNERS["least"], f"cubecast_axi_{unit}"
    for file, text in generate(unit, config, axi=True).items():
        (tmp_path / file).write_text(text)
    lint(tmp_path, top)
    described = json.loads((tmp_path / f"{top}.json").read_text())
    n, items = config.dim, config.nodes if unit.endswith("network") else 1
    wanted = {
        "s_axis": {"error": (0, 1), "r1": (1, n), "r2": (1 + n, n), "kind": (1 + 2 * n, 2)},
        "m_axis": {"error": (0, 1), "kind": (1, 2)},
    }
    widths = {port["name"]: port["width"] for port in described["ports"]}
    for prefix, fields in wanted.items():
        found = {field["name"]: (field["low"], field["width"]) for field in described["tuser"][prefix]}
        assert found == fields
        assert widths[f"{prefix}_tuser"] == items * sum(width for _, width in fields.values())


@pytest.mark.parametrize("name", ["default", "plain", "one_run"])
def test_links_and_their_ties(files: Files, name: str) -> None:
    """A link has the fields of the contract; the template ties its inputs, ``down`` to 1 and the others to 0."""
    folder, config = files("crosspoint_router", name), CORNERS[name]
    described = json.loads((folder / "cubecast_crosspoint_router.json").read_text())["ports"]
    ports = {port["name"]: (port["direction"], port["width"]) for port in described}
    forward, backward = linked(config)
    wanted = {}
    for j in range(config.dim):
        for side, there, back in (("in", "input", "output"), ("out", "output", "input")):
            wanted |= {f"link_{side}__{j}__{field}": (there, bits) for field, bits in forward.items()}
            wanted |= {f"link_{side}__{j}__{field}": (back, bits) for field, bits in backward.items()}
    assert {port: what for port, what in ports.items() if port.startswith("link")} == wanted
    template = (folder / "cubecast_crosspoint_router_inst.v").read_text()
    tied = {
        port: (int(bits), int(value))
        for port, bits, value in re.findall(r"^// assign u0_(\w+) = (\d+)'d(\d+);$", template, re.MULTILINE)
    }
    inputs = {port: bits for port, (direction, bits) in wanted.items() if direction == "input"}
    assert tied == {port: (bits, int(port.endswith("down"))) for port, bits in inputs.items()}
    said = "no packet may need it." if name == "one_run" else "packets for it are dropped and reported; "
    assert all(f"// Dimension {j} without a neighbour: {said}" in template for j in range(config.dim))


def test_unknown_port_has_no_meaning() -> None:
    """A port that nobody described is an error of the program, not an empty text."""
    for port in ("link_in__0__valid", "link_out__0__lane", "inject__slots", "eject__r1", "colour"):
        with pytest.raises(KeyError):
            meaning(port)


def test_header_compiles(files: Files, tmp_path: Path) -> None:
    """As C++, beside one of another name, with every macro used; its numbers are those of the contract."""
    config, other = CORNERS["default"], CORNERS["plain"]
    header = (files("crosspoint_router", "default") / "cubecast_regs.h").read_text()
    (tmp_path / "cubecast_regs.h").write_text(header)
    (tmp_path / "left_regs.h").write_text(c_header(other, "left"))
    checks = [f"CUBECAST_REASON_{reason.name} == {reason.value}" for reason in CrosspointReason]
    checks += [f"CUBECAST_KIND_{kind.name} == {kind.value}" for kind in kinds(config)]
    checks += [f"CUBECAST_PACKET_LIMIT == {config.packet_limit}", f"CUBECAST_BITMAP_BITS == {config.bitmap_bits}"]
    checks += ["CUBECAST_FAULT_WORD == 0", "CUBECAST_REPORTS_WORD(3) == 0x13", "CUBECAST_LOCAL_PORT == 3"]
    checks += ["LEFT_BITMAP_BITS == 0", "LEFT_MULTICAST == 0", "LEFT_RUNS == 1", "LEFT_KIND_UNICAST == 0"]
    lines = ['#include "cubecast_regs.h"', '#include "left_regs.h"', '#include "cubecast_regs.h"', "int main() {"]
    lines += [f'static_assert({check}, "{check}");' for check in checks]
    plain_macros = re.findall(r"^#define (CUBECAST_\w+) ", header, re.MULTILINE)
    lines += [*(f"(void)({macro});" for macro in plain_macros), "}", ""]
    (tmp_path / "check.cpp").write_text("\n".join(lines))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "check.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


EVERY = (
    "--dim 2 --width 9 --runs 1 --no-multicast --depth 32 --packet-limit 4 --eject-depth 16 --link-regs 2 "
    "--output-register --fault-free --pause-limit 0 --log-depth 3 --counters 16 --memories block"
)
WANTED = CrosspointConfig(
    dim=2,
    width=9,
    runs=1,
    multicast=False,
    depth=32,
    packet_limit=4,
    eject_depth=16,
    link_regs=2,
    output_register=True,
    fault_tolerant=False,
    pause_limit=0,
    log_depth=3,
    counters=16,
    memories="block",
)
SMALL = CrosspointConfig(dim=3, runs=1, fault_tolerant=False, width=16, eject_depth=32, log_depth=0, counters=8)


def test_options_reach_the_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Every option and a name of its own, in a folder that is made; the command in the files gives the same again."""
    folder = tmp_path / "new" / "left"
    arguments = ["generate", "crosspoint-router", *EVERY.split(), "--name", "left", "-o", str(folder), "--json"]
    assert main(arguments) == 0
    names = [Path(file).name for file in json.loads(capsys.readouterr().out)["files"]]
    ends = (".v", ".json", "_inst.v", "_inst.sv", *TIMED, ".rdl")
    assert names == [f"left_crosspoint_router{end}" for end in ends] + [
        *("left_regs.h", "left_router.h", "left_router.c", "left_crosspoint_router.vlt")
    ]
    described = json.loads((folder / "left_crosspoint_router.json").read_text())
    assert described["parameters"] == WANTED.to_json()
    command = described["command"].split()
    assert sorted(command) == sorted(["cubecast", *arguments[:2], *EVERY.split(), "--name", "left"])
    assert all(described["command"] in (folder / name).read_text()[:500] for name in names)
    assert not re.search(r"^module (?!left_)", (folder / "left_crosspoint_router.v").read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (EVERY, WANTED),
        ("--dim 3", CrosspointConfig(dim=3)),
        ("--dim 3 --preset small", SMALL),
        (
            "--dim 3 --preset small --fault-tolerant --runs 2 --width 32 --counters none --no-multicast",
            CrosspointConfig(dim=3, multicast=False, eject_depth=32, log_depth=0, counters=0),
        ),
        ("--dim 3 --eject 16", CrosspointConfig(dim=3, eject_depth=16)),
        ("--dim 4 --preset full", CrosspointConfig(dim=4, depth=64, eject_depth=2048, log_depth=64)),
        ("--dim 4 --preset full --depth 8 --fault-free", None),
    ],
)
def test_options_make_the_configuration(options: str, wanted: CrosspointConfig | None) -> None:
    """Options win over the preset, and what follows from them fits them."""
    parser = Parser(prog="any")
    add_config(parser)
    wanted = wanted or CrosspointConfig(dim=4, depth=8, eject_depth=2048, log_depth=64, fault_tolerant=False)
    assert config_of(parser.parse_args(options.split()), SYSTEM) == wanted


ONLY = "must be given with the crosspoint router only, not with the"
ERRORS = [
    ("generate crosspoint-router --dim 11", "dim must be an integer from 2 to 10, not 11"),
    ("generate crosspoint-router --dim 3 --width 7", "width must be an integer from 8 to 512, not 7"),
    ("generate crosspoint-router --dim 3 --runs 3", "runs must be an integer from 1 to 2, not 3"),
    ("generate crosspoint-router --dim 3 --depth 5", "depth must be one of 4, 8, 16, 32, 64, not 5"),
    (
        "generate crosspoint-router --dim 3 --depth 4 --link-regs 2",
        "depth must be more than 5 when link_regs is 2 and output_register is False, not 4",
    ),
    ("generate crosspoint-network --dim 3 --packet-limit 16", "packet_limit must be an integer from 1 to 15, not 16"),
    ("generate crosspoint-network --dim 3 --packet-limit -1", "packet_limit must be a positive integer, not -1"),
    (
        "generate crosspoint-network --dim 3 --eject-depth 100",
        "eject_depth must be one of 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, not 100",
    ),
    ("generate crosspoint-network --dim 3 --link-regs 4", "link_regs must be an integer from 0 to 3, not 4"),
    (
        "generate crosspoint-router --dim 3 --pause-limit 65536",
        "pause_limit must be an integer from 0 to 65535, not 65536",
    ),
    ("generate crosspoint-router --dim 3 --log-depth 257", "log_depth must be an integer from 0 to 256, not 257"),
    (
        "generate crosspoint-router --dim 3 --lanes 2",
        "lanes must be given with the multicast router only, not with the crosspoint router",
    ),
    (
        "generate crosspoint-router --dim 3 --max-vector 5",
        "max-vector must be given with a collective unit only, not with crosspoint-router",
    ),
    ("generate router --dim 3 --no-multicast", f"no-multicast {ONLY} multicast router"),
    ("generate packet-router --dim 3 --output-register", f"output-register {ONLY} packet router"),
    ("generate collective-node --dim 3 --depth 16", f"depth {ONLY} multicast router"),
    (
        "simulate --dim 3 --runs 2 --messages m.json",
        "runs must be given with the crosspoint router only, not with the multicast router",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[arguments for arguments, _ in ERRORS])
def test_bad_usage_is_one_line_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: str, line: str
) -> None:
    """Status 2; the folder is not made."""
    folder = tmp_path / "out"
    command, *rest = arguments.split()
    assert main([command, *rest, *(["-o", str(folder)] if command == "generate" else [])]) == 2
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(rf"cubecast(?: {command})?: {re.escape(line)}\n", err), err
    assert not folder.exists()
