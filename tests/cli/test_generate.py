"""``cubecast generate``: Verilog, description and template."""

import json
import os
import re
import subprocess
import sys

import pytest

from cubecast import __version__
from cubecast.api.generation import generate
from cubecast.cli import generate as generate_command
from cubecast.cli import main
from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract import self_test
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import c_header, plain
from cubecast.rtl.common.verilog import check_ports
from cubecast.rtl.multicast.network import Network
from cubecast.systems import units
from cubecast.systems.multicast.description import meaning
from tests.cli.generated import (
    TIMED,
    WITH_AXI,
    compiles,
    described_by,
    has_router,
    headers_compile,
    lint,
    made_once,
    read_back,
)

CONFIGS = {
    "default": Config(dim=3),
    "fault_free": Config(dim=2, fault_tolerant=False, max_dest=1, width=2, max_data=0),
    "source_field": Config(dim=3, source_field=True, max_dest=2, max_list=5, lanes=1, width=8),
    "wide": Config(dim=5, width=64, log_depth=1),
    "ordered": Config(dim=3, policy="ordered", max_dest=3),
    "streamers": Config(dim=3, max_dest=3, streamers=2),
}
CASES = [("mhu", name) for name in CONFIGS]
CASES += [("router", name) for name in ("default", "fault_free", "source_field", "ordered")]
CASES += [("network", "fault_free"), ("self_test_node", "source_field"), ("self_test_network", "fault_free")]
CASES += [("axi_router", name) for name in ("fault_free", "source_field")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a function that gives the folder with the files of a unit, made once."""

    def made(unit, name):
        axi = unit == "axi_router"
        return generate("router" if axi else unit, CONFIGS[name], axi=axi)

    return made_once(tmp_path_factory, made)


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_verilator_lints_without_a_warning(files, unit, name):
    """-Wall, with nothing waived but what the list of waivers says."""
    lint(files(unit, name), f"cubecast_{unit}")


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_icarus_compiles_unit_and_template(files, unit, name):
    """Both templates stand in one module that has clock and reset; nothing is said but what the Verilog causes."""
    compiles(files(unit, name), unit)


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_description_names_every_port_of_the_verilog(tmp_path, files, unit, name):
    """Name, direction and width are those of the module; every port has a meaning."""
    config, made = CONFIGS[name], read_back(files(unit, name))
    description, _ = described_by(unit, config, made)
    assert description["reasons"] == {reason.name: reason.value for reason in Reason}
    fields = [field["name"] for field in description["message"]["fields"]]
    tail = ["S"] if not config.fault_tolerant else ["Control", "S"] if config.source_field else ["Control"]
    assert fields == ["k", "D", *tail, "DATA"]
    assert set(description["reason_meanings"]) == {reason.name for reason in Reason if reason}
    assert description.get("registers") == (None if unit == "mhu" else plain(config))
    has_router(description, made, c_header(config), unit != "mhu")
    tests = unit.startswith("self_test")
    assert description.get("test_registers") == (self_test.plain(config) if tests else None)
    assert ("cubecast_test_regs.h" in made) == tests
    assert not tests or made["cubecast_test_regs.h"].endswith(self_test.c_header(config))
    headers_compile(tmp_path, made)


@pytest.mark.parametrize(
    ("name", "said"), [("default", "the router goes around it."), ("fault_free", "no message may need it.")]
)
def test_the_template_says_what_becomes_of_a_link_without_a_neighbour(files, name, said):
    """Of this router, not of one that it is not."""
    template = (files("router", name) / "cubecast_router_inst.v").read_text()
    assert set(re.findall(r"without a neighbour: (.*)", template)) == {said}


@pytest.mark.parametrize("unit", WITH_AXI.split(", ")[1:])
def test_every_unit_with_axi_ports_is_described(unit):
    """Each port of router, vectors and registers has its meaning; those of a network have an item for each node."""
    system, plain = units()[unit]
    config = system.config.from_json({"dim": 2})
    made = generate(plain.name, config, axi=True)
    top = f"cubecast_{plain.axi.name}"
    described = json.loads(made[f"{top}.json"])
    ports = {port["name"]: port for port in described["ports"]}
    items = config.nodes if plain.cube else 1
    words = ["s_axis", "m_axis"] + ["s_axis_vector", "m_axis_vector"] * (system.name == "collective")
    users = {
        "packet": {"s_axis": config.dim},
        "crosspoint": {"s_axis": 2 * config.dim + 3, "m_axis": 3},
        # With a path, and the number of a packet.
        "adapter": {"m_axis": config.dim + 6},
    }
    user = users.get(system.name, {})
    for prefix in words:
        bits = dict.fromkeys(("tvalid", "tready", "tlast"), 1) | {"tdata": config.width, "tuser": user.get(prefix, 1)}
        assert {name: ports[f"{prefix}_{name}"]["width"] for name in bits} == {
            name: width * items for name, width in bits.items()
        }
    assert ports["s_axi_awaddr"]["width"] == (9 if plain.routes else 7) * items and (
        ports["aclk"]["width"],
        ports["aresetn"]["width"],
    ) == (1, 1)
    assert ("s_axi_collective_awaddr" in ports) == (system.name == "collective")
    gone = ("control", "vector", "collective", "send", "receive", "adapter", *(("inject", "eject") * plain.routes))
    assert not {name for name in ports if name.startswith(gone)}
    alone = {"aclk", "aresetn"} if plain.cube else set(ports)
    assert {name for name, port in ports.items() if "item v" not in port["meaning"]} == alone
    assert f"module {top}(" in made[f"{top}.v"]
    assert all(re.search(rf"^    \.{name} +\(", made[f"{top}_inst.v"], re.M) for name in ports)


def test_axi_ports_have_their_usual_names(files):
    """What a tool looks for that recognises AXI interfaces; none is called otherwise, and tdata is whole bytes."""
    description = json.loads((files("axi_router", "fault_free") / "cubecast_axi_router.json").read_text())
    ports = {port["name"]: port["width"] for port in description["ports"]}
    stream = ("tdata", "tvalid", "tready", "tlast", "tuser")
    payload = {
        "aw": ("addr", "prot"),
        "w": ("data", "strb"),
        "b": ("resp",),
        "ar": ("addr", "prot"),
        "r": ("data", "resp"),
    }
    lite = [channel + name for channel, names in payload.items() for name in (*names, "valid", "ready")]
    wanted = {f"{side}_axis_{name}" for side in "sm" for name in stream} | {f"s_axi_{name}" for name in lite}
    assert {name for name in ports if name.startswith(("s_ax", "m_ax"))} == wanted
    assert (ports["s_axis_tdata"], ports["m_axis_tdata"], ports["s_axi_wdata"], ports["s_axi_wstrb"]) == (8, 8, 32, 4)
    assert not [name for name in ports if name.startswith(("inject", "eject", "control", "clk", "rst"))]


def test_unknown_port_has_no_meaning():
    """A port that nobody described is an error of the program, not an empty text."""
    with pytest.raises(KeyError):
        meaning("o__0__colour")


NETWORKS = [name for name in units() if name.endswith("network")]

GENERATE = """\
import sys
from cubecast.cli import main
folder, *names = sys.argv[1:]
for name in names:
    assert main(["generate", name, "--dim", "2", "-o", f"{folder}/{name}"]) == 0
"""
"""A process that generates several units."""


@pytest.mark.parametrize(
    "names",
    [NETWORKS, pytest.param([name for name in units() if name not in NETWORKS], marks=pytest.mark.soak)],
    ids=["networks", "others"],
)
def test_output_is_the_same_byte_for_byte(tmp_path, names):
    """A process with another hash seed writes the same files as this one, which has converted modules before."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command = [sys.executable, "-c", GENERATE, str(tmp_path / "other"), *names]
    subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True)
    for name in names:
        assert main(["generate", name, "--dim", "2", "-o", str(tmp_path / "one" / name)]) == 0
        one, other = (
            {path.name: path.read_bytes() for path in (tmp_path / process / name).iterdir()}
            for process in ("one", "other")
        )
        assert one == other
        system, unit = units()[name]
        named = {f"cubecast_{unit.name}{end}" for end in (".v", ".json", "_inst.v", "_inst.sv", ".vlt", *TIMED)}
        named |= {f"cubecast_{unit.name}.rdl"} if unit.name not in ("mhu", "crosspoint_board") else set()
        named |= {"cubecast_regs.h", "cubecast_router.h", "cubecast_router.c"} if unit.routes else set()
        own = {file for file in system.files_help if file != "cubecast_test_regs.h" or name.startswith("self-test")}
        assert set(one) == named | own


def test_every_file_says_what_it_is(capsys, tmp_path):
    """Licence, version, command and parameters, without folder or time; the command does not depend on the order."""
    texts = []
    for number, options in enumerate(("--dim 2 --max-data 0x4 --axi", "--axi --max-data 4 --json --dim 2")):
        assert main(["generate", "router", *options.split(), "-o", str(tmp_path / str(number))]) == 0
        texts.append({path.name: path.read_text() for path in (tmp_path / str(number)).iterdir()})
    assert texts[0] == texts[1] and len(texts[0]) == 12
    for name, text in texts[0].items():
        for word in ("BSD-2-Clause", __version__, "cubecast generate router --axi --dim 2 --max-data 4"):
            assert word in text[:500], (name, word)
        assert "max_data=4" in text or json.loads(text)["parameters"]["max_data"] == 4
        assert ("SPDX-License-Identifier: BSD-2-Clause" in text[:50]) != name.endswith(".json")
    capsys.readouterr()


def test_files_of_another_command_are_not_replaced_silently(capsys, tmp_path):
    """One line names them; none when nothing but the command differs, or when the same command runs again."""
    said = []
    for unit, *options in (("mhu",), ("mhu",), ("mhu", "--width", "8"), ("mhu", "--width", "8", "--name", "other")):
        assert main(["generate", unit, "--dim", "2", *options, "-o", str(tmp_path)]) == 0
        said.append([line for line in capsys.readouterr().err.splitlines() if " replaced " in line])
    ends = (".v", ".json", "_inst.v", "_inst.sv", *TIMED, ".vlt")
    names = ", ".join(f"cubecast_mhu{end}" for end in ends)
    line = f"{names} in {tmp_path} replaced what `cubecast generate mhu --dim 2` wrote; --name gives other names"
    assert said == [[], [], [f"cubecast generate: {line}"], []]
    same = (tmp_path / "other_mhu.v").read_text().replace("other_", "cubecast_").replace("--name other ", "")
    assert same == (tmp_path / "cubecast_mhu.v").read_text()


def test_files_of_a_run_before_are_named(capsys, tmp_path):
    """A wrapper of other parameters stays where none is written now; it is not to be taken for one of this unit."""
    said = []
    for options in (("--vhdl", "--sv"), ("--width", "8"), ("--width", "8", "--vhdl", "--sv")):
        assert main(["generate", "mhu", "--dim", "2", *options, "-o", str(tmp_path)]) == 0
        said.append([line for line in capsys.readouterr().err.splitlines() if " a run before, " in line])
    names = "cubecast_mhu_pkg.vhd, cubecast_mhu_wrapper.sv"
    assert said == [[], [f"cubecast generate: of a run before, still in {tmp_path}: {names}"], []]


def test_what_is_no_file_where_one_is_to_be_is_not_read(tmp_path):
    """A FIFO that nobody writes to, which would be waited for, is refused and stays."""
    os.mkfifo(tmp_path / "cubecast_mhu.json")
    command = [sys.executable, "-m", "cubecast", "generate", "mhu", "--dim", "2", "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cubecast generate: output file must be a file that can be written, not the FIFO '" in done.stderr
    assert os.listdir(tmp_path) == ["cubecast_mhu.json"]


def test_vectors_that_are_too_wide_are_refused_at_once(capsys, tmp_path):
    """Before anything is converted; a bit less is taken."""
    status = main(["generate", "network", "--dim", "10", "--width", "65", "-o", str(tmp_path / "out")])
    said = "dim and width must make ports of at most 65536 bits, not inject_data of 66560"
    assert (status, capsys.readouterr().err.splitlines()[-1]) == (2, f"cubecast generate: {said}")
    assert not (tmp_path / "out").exists()
    check_ports(Network(Config(dim=10, width=64)))


def test_every_module_is_called_as_the_command_or_as_the_help_says():
    """A user looks for the file by that."""
    shown = " ".join(generate_command.FILES.split())
    for command, (_, unit) in units().items():
        assert command.replace("-", "_") == unit.name or f"{command}: cubecast_{unit.name}" in shown


def test_options_reach_the_parameters(capsys, tmp_path):
    """Every option, on the way into the description."""
    options = "--dim 3 --max-dest 2 --width 16 --max-data 4 --max-list 5 --policy greedy --lanes 4 --log-depth 3"
    options += " --decision-latency 2 --streamers 3 --counters 16 --memories block --multicasters channel"
    arguments = [
        "generate",
        "mhu",
        *options.split(),
        "--source-field",
        "--vhdl",
        "--sv",
        "-o",
        str(tmp_path / "new" / "mhu"),
        "--json",
    ]
    assert main(arguments) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert [os.path.basename(file) for file in files] == [
        "cubecast_mhu.v",
        "cubecast_mhu.json",
        "cubecast_mhu_inst.v",
        "cubecast_mhu_inst.sv",
        "cubecast_mhu_pkg.vhd",
        "cubecast_mhu_wrapper.sv",
        *(f"cubecast_mhu{end}" for end in TIMED),
        "cubecast_mhu.vlt",
    ]
    for place, word in ((4, "component cubecast_mhu is"), (5, "module cubecast_mhu_wrapper (")):
        with open(files[place]) as file:
            text = file.read()
        assert word in text and "cubecast generate mhu --vhdl --sv --dim 3" in text
    with open(files[1]) as file:
        parameters = json.load(file)["parameters"]
    wanted = Config(
        dim=3,
        max_dest=2,
        width=16,
        max_data=4,
        max_list=5,
        lanes=4,
        log_depth=3,
        counters=16,
        source_field=True,
        decision_latency=2,
        streamers=3,
        memories="block",
        multicasters="channel",
    ).to_json()
    assert parameters == wanted


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("--preset default", Config(dim=3)),
        (
            "--preset small",
            Config(
                dim=3,
                max_dest=2,
                max_list=2,
                width=16,
                max_data=4,
                policy="ordered",
                fault_tolerant=False,
                log_depth=0,
                counters=8,
            ),
        ),
        (
            "--preset small --fault-tolerant --max-dest 4 --width 32 --max-data 8 --policy greedy --counters none",
            Config(dim=3, max_dest=4, max_list=4, max_data=8, log_depth=0, counters=0),
        ),
        ("--preset full", Config(dim=3, max_list=6, max_data=64, log_depth=64, source_field=True)),
        ("--preset full --fault-free --log-depth 2", Config(dim=3, max_data=64, log_depth=2, fault_tolerant=False)),
    ],
)
def test_presets_give_what_is_not_given(capsys, tmp_path, options, wanted):
    """Options win over the preset, and what follows from them fits them."""
    assert main(["generate", "mhu", "--dim", "3", *options.split(), "-o", str(tmp_path), "--json"]) == 0
    described = next(file for file in json.loads(capsys.readouterr().out)["files"] if file.endswith(".json"))
    with open(described) as file:
        assert json.load(file)["parameters"] == wanted.to_json()


ERRORS = [
    (
        ["chip", "--dim", "3"],
        f"argument unit: invalid choice: 'chip' (choose from {', '.join(map(repr, units()))})",
    ),
    (["mhu"], "the following arguments are required: --dim, -o"),
    (["mhu", "--dim", "99", "--preset", "full"], "dim must be an integer from 2 to 10, not 99"),
    (
        ["mhu", "--dim", "3", "--fault-free", "--fault-tolerant"],
        "fault_tolerant must be given without fault_free",
    ),
    (["mhu", "--dim", "11"], "dim must be an integer from 2 to 10, not 11"),
    (["mhu", "--dim", "3", "--axi"], f"axi must be given with one of {WITH_AXI}, not with mhu"),
    (["self-test", "--dim", "3", "--axi"], f"axi must be given with one of {WITH_AXI}, not with self-test"),
    (
        ["mhu", "--dim", "3", "--name", "3d"],
        "name must be a letter and up to 39 letters, digits or underscores after it, not '3d'",
    ),
    (
        ["mhu", "--dim", "3", "--name", "../a"],
        "name must be a letter and up to 39 letters, digits or underscores after it, not '../a'",
    ),
    (["mhu", "--dim", "3", "--max-dest", "7"], "max_dest must be an integer from 1 to 6, not 7"),
    (["mhu", "--dim", "3", "--max-dest", "-1"], "max_dest must be a positive integer, not -1"),
    (["mhu", "--dim", "3", "--streamers", "-1"], "streamers must be a positive integer, not -1"),
    (["mhu", "--dim", "3", "--width", "2"], "width must be an integer from 3 to 512, not 2"),
    (["mhu", "--dim", "3", "--max-data", "5000"], "max_data must be an integer from 0 to 4096, not 5000"),
    (["mhu", "--dim", "3", "--lanes", "2"], "lanes must be 1 or an integer from 3 to 4, not 2"),
    (["router", "--dim", "3", "--policy", "ordered", "--lanes", "3"], "lanes must be an integer from 1 to 2, not 3"),
    (
        ["mhu", "--dim", "3", "--policy", "adaptive"],
        "argument --policy: invalid choice: 'adaptive' (choose from 'greedy', 'ordered')",
    ),
    (
        ["mhu", "--dim", "3", "--fault-free", "--source-field"],
        "argument --source-field: not allowed with argument --fault-free",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_leaves_nothing(capsys, tmp_path, arguments, line):
    """Status 2; the folder is not made."""
    folder = tmp_path / "out"
    more = [] if "required" in line else ["-o", str(folder)]
    assert main(["generate", *arguments, *more]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"cubecast generate: {line}\n")
    assert not folder.exists()


def test_folder_that_cannot_be_made(capsys, tmp_path):
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("")
    assert main(["generate", "mhu", "--dim", "2", "-o", str(tmp_path / "file" / "out")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("cubecast generate: folder ") and err.count("\n") == 1


@pytest.mark.parametrize("line", generate_command.EXAMPLES.splitlines())
def test_examples_of_the_help_work(capsys, tmp_path, monkeypatch, line):
    """Each example of ``cubecast generate --help`` as it stands."""
    monkeypatch.chdir(tmp_path)
    assert main(line.split()[1:]) == 0
    count = {"mhu": 8, "self-test": 13, "collective-node": 15, "node": 15}.get(line.split()[2], 12)
    assert capsys.readouterr().out.count("wrote build/") == count


def test_help_has_the_ranges_of_a_board(capsys):
    """Those that are checked, also the one that follows from another parameter."""
    assert main(["generate", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "1120 times --bit-cycles + 370 to 268435456 (default 50000000)" in out
    assert "rest to be heard, 1 to 16777216 (default 500000)" in out
    router = CrosspointConfig(dim=2)
    for bits in (2, 65535):
        assert BoardConfig(router=router, bit_cycles=bits, second_cycles=1120 * bits + 370)
        with pytest.raises(ValueError, match="second_cycles must"):
            BoardConfig(router=router, bit_cycles=bits, second_cycles=1120 * bits + 369)
