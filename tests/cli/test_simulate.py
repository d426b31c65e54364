"""``cubecast simulate``: the messages of a file through the RTL network."""

import json
import random
import time
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.cli.simulate import EXAMPLES
from cubecast.golden.multicast.algorithms.route import route
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.harness.simulators import SimulatorError, simulators
from cubecast.tb.harness.waves import CYCLE, ORIGIN, fst_labels, fst_signals, fst_values
from cubecast.tb.multicast import playback
from tests.cli import playing, wrong_delivery
from tests.cli.answers import answer_in
from tests.conftest import NO_ICARUS

ROOT = Path(__file__).resolve().parents[2]
QUICKEST = simulators()[-1]
"""The simulator that builds a design in the shortest time: Icarus if it is there."""


def play(config, values, faults=(), stall=0.0):
    """Play messages through the golden network alone; return the answer and what was recorded."""
    return playing.play(config, values, faults, stall=stall)[:2]


def crossed(seen, source, order=0):
    """Return the links that a message crossed."""
    return {(c["from"], c["to"]) for c in seen["crossings"] if tuple(c["origin"]) == (source, order)}


@pytest.mark.parametrize("faults", [(), (4,), (2,)])
def test_worked_example_takes_the_tree_of_the_algorithm(faults):
    """Lan 1988, section 5.3 and figure 7.8: node 6 to 7, 20, 29, 18, 1, 0 in a 5-cube."""
    nodes = [7, 20, 29, 18, 1, 0]
    found, seen = play(Config(dim=5), [{"source": 6, "destinations": nodes, "data": [9, 8]}], faults)
    tree = route(5, 6, nodes, faults=faults)
    assert crossed(seen, 6) == set(tree.edges)
    assert {d["node"] for d in found["deliveries"]} == set(nodes) and len(found["deliveries"]) == 6
    assert all(d["data"] == [9, 8] and not d["error"] and d["message"] == 0 for d in found["deliveries"])
    assert found["errors"] == []
    used = {(link["from"], link["to"]): link for link in found["links"] if link["messages"]}
    assert used.keys() == set(tree.edges) and len(found["links"]) == 5 * 32
    assert all(link["messages"] == 1 and link["waited"] == 0 for link in used.values())
    # A copy is k, its list, Control and the data.
    for decisions in ((node, d) for node, ds in tree.nodes.items() for d in ds):
        node, decision = decisions
        assert used[node, decision.to]["words"] == 1 + len(decision.destinations) + 1 + 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_every_delivery_and_error_belongs_to_its_message(seed, stall):
    """The index in the first data word is the number found by following the words; nothing is lost or doubled."""
    source = random.Random(seed)
    config = Config(dim=3, max_dest=3, source_field=bool(seed & 1))
    faults = [source.randrange(8)] if seed % 3 else []
    values = [v for v in playing.random_values(source, config, 40, 5, 99, config.max_list) if v["source"] not in faults]
    for index, value in enumerate(values):
        value["data"][0] = index
    found, _ = play(config, values, faults, stall)
    assert all(d["data"] == values[d["message"]]["data"] for d in found["deliveries"])
    assert all(d["first_cycle"] <= d["last_cycle"] < found["cycles"] for d in found["deliveries"])
    got = [(d["message"], d["node"]) for d in found["deliveries"]]
    for error in found["errors"]:
        assert error["reason"] == "UNDELIVERABLE" and set(error["destinations"]) <= set(faults)
        got += [(error["message"], node) for node in error["destinations"]]
    wanted = []
    for index, value in enumerate(values):
        everyone = [node for node in range(8) if node != value["source"] and node not in faults]
        wanted += [(index, node) for node in value.get("destinations", everyone)]
    assert sorted(got) == sorted(wanted)


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
@pytest.mark.parametrize("seed", range(4))
def test_events_in_the_middle_of_messages_lose_nothing_untold(seed, policy):
    """Links and nodes fail and come back: each destination gets its message, if cut off so marked, or is reported."""
    source = random.Random(seed)
    config = Config(dim=3, max_dest=3, policy=policy, source_field=bool(seed & 1))
    values = playing.random_values(source, config, 40, 5, 99, config.max_list)
    for index, value in enumerate(values):
        value["data"] = [index, *range(9)]
    for cycle in range(10, 400, 13):
        values.append(
            {"cycle": cycle, "node": source.randrange(8), "fault": source.sample(range(3), source.randrange(3))}
        )
    found, _ = play(config, values)
    assert any(d["error"] for d in found["deliveries"])
    reasons = {error["reason"] for error in found["errors"]}
    assert (
        {"COPY_CUT", "INPUT_CUT", "UNDELIVERABLE"} <= reasons <= {"COPY_CUT", "INPUT_CUT", "UNDELIVERABLE", "NO_LANE"}
    )
    got = [(d["message"], d["node"]) for d in found["deliveries"]]
    for delivery in found["deliveries"]:
        data = values[delivery["message"]]["data"]
        assert delivery["data"] == ([*data[: len(delivery["data"]) - 1], 0] if delivery["error"] else data)
    for error in found["errors"]:
        got += [(error["message"], node) for node in error.get("destinations", ())]
    wanted = []
    for index, value in enumerate(values):
        if "source" in value:
            everyone = [node for node in range(8) if node != value["source"]]
            wanted += [(index, node) for node in value.get("destinations", everyone)]
    assert sorted(got) == sorted(wanted)


def test_identical_messages_are_told_apart():
    """Two sources, the same destination and data; and one source that sends the same message twice."""
    values = [{"source": node, "destinations": [7], "data": [1]} for node in (3, 5, 5, 3)]
    found, _ = play(Config(dim=3), values)
    assert sorted(d["message"] for d in found["deliveries"]) == [0, 1, 2, 3]
    first = {d["message"]: d["first_cycle"] for d in found["deliveries"]}
    assert first[0] < first[3] and first[1] < first[2]


def test_messages_wait_for_their_cycle():
    """The k word of a unicast taken in cycle c is offered to the neighbour in c + 3 and to its processor in c + 6."""
    values = [{"source": 0, "destinations": [1], "cycle": 50}, {"source": 0, "destinations": [1], "cycle": 10}]
    found, seen = play(Config(dim=2), values)
    assert seen["crossings"][0]["cycle"] == 53
    assert found["deliveries"][0]["first_cycle"] == 56
    starts = [message["start_cycle"] for message in found["messages"]]
    assert starts[0] == 50 and [c["cycle"] - 3 for c in seen["crossings"]] == starts
    assert [message["message"] for message in found["messages"]] == [0, 1]
    assert [d["message"] for d in found["deliveries"]] == [0, 1]


def example(name):
    """Return the path of an example file."""
    return str(ROOT / "examples" / f"{name}.json")


@pytest.mark.core
@pytest.mark.parametrize(
    "simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.soak)], indirect=["simulator"]
)
def test_simulation_of_the_rtl(capsys, simulator, tmp_path):
    """The documented object, with every delivery of the file; the golden network's is the same, so are its words."""
    values = json.loads(Path(example("mixed")).read_text())
    start = time.monotonic()
    arguments = ["simulate", "--dim", "3", "--messages", example("mixed"), "--simulator", simulator, "--json"]
    for more in ([], ["--explore", str(tmp_path)]):
        begun, start = start, time.monotonic()
        status = main([*arguments, *more])
        out = capsys.readouterr().out
    found = answer_in(out, "simulate")
    assert status == 0
    assert list(found) == ["cycles", "golden", "messages", "deliveries", "links", "errors"]
    assert found["golden"] == "match" and found["errors"] == []
    assert found == play(Config(dim=3), values)[0]
    for delivery in found["deliveries"]:
        assert list(delivery) == ["message", "node", "first_cycle", "last_cycle", "data", "error"]
    for link in found["links"]:
        assert list(link) == ["from", "to", "words", "messages", "waited"]
    assert len(found["links"]) == 3 * 8
    events = map(json.loads, (tmp_path / "recording.jsonl").read_text().splitlines()[1:])
    recorded = sum(len(run[4]) for event in events for run in event.get("links", ()))
    assert recorded == sum(link["words"] for link in found["links"])
    assert time.monotonic() - start < 20 and begun <= start
    (tmp_path / "result.json").write_text(out)
    assert main(["explore", str(tmp_path / "result.json"), "-o", str(tmp_path / "again")]) == 0
    for name in ("index.html", "recording.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("options", [["--max-dest", "2"], ["--router", "packet"]], ids=["multicast", "packet"])
def test_128_nodes_soak(capsys, tmp_path, simulator, options):
    """A list, a unicast to the antipode, a broadcast: every node gets what it is to get, as in the golden network."""
    values = [
        {"source": 1, "destinations": [2, 125], "data": [5, 6]},
        {"source": 127, "broadcast": True, "data": [7], "cycle": 200},
        {"source": 64, "destinations": [63], "data": [9], "cycle": 90},
    ]
    (tmp_path / "m.json").write_text(json.dumps(values))
    arguments = ["simulate", "--dim", "7", "--preset", "small", *options, "--messages", str(tmp_path / "m.json")]
    assert main([*arguments, "--simulator", simulator, "--json"]) == 0
    found = answer_in(capsys.readouterr().out, "simulate")
    assert found["golden"] == "match" and found["errors"] == []
    got = {(entry["message"], entry["node"]): entry["data"] for entry in found["deliveries"]}
    assert got == {(0, 2): [5, 6], (0, 125): [5, 6], **{(1, node): [7] for node in range(127)}, (2, 63): [9]}


@pytest.mark.parametrize(
    "simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.soak)], indirect=["simulator"]
)
def test_simulation_prints_trees_and_cycles(capsys, simulator):
    """Human output: the tree of each message, a table of deliveries, the verdict; on Icarus an example of the help."""
    arguments = ["simulate", "--dim", "3", "--messages", example("malformed"), "--simulator", simulator]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    for node, reason in enumerate(("K_ZERO", "HEADER_SHORT", "ADDRESS_BITS", "DATA_TOO_LONG")):
        assert f"error: message {node}, {reason} at node {node}\n" in out
    assert out.endswith("golden: match\n")


@pytest.mark.parametrize(
    "simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.soak)], indirect=["simulator"]
)
def test_faults_are_obeyed_and_undeliverable_destinations_named(capsys, simulator):
    """Node 3 is faulty: message 1 cannot reach it; the broadcast reaches the others."""
    arguments = ["simulate", "--dim", "3", "--messages", example("mixed"), "--fault", "3", "--json"]
    assert main([*arguments, "--simulator", simulator]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["golden"] == "match"
    assert [(e["reason"], e["message"], e["destinations"]) for e in found["errors"]] == [("UNDELIVERABLE", 1, [3])]
    assert {d["node"] for d in found["deliveries"] if d["message"] == 2} == {0, 1, 4, 5, 6, 7}
    assert all(link["words"] == 0 for link in found["links"] if 3 in (link["from"], link["to"]))


def test_deadlock_of_one_lane_ends_the_run_and_is_told(capsys):
    """Four multicasts that wait for one another in a ring; with the default lanes they all arrive."""
    # Its networks are built for other tests.
    arguments = ["simulate", "--dim", "3", "--messages", example("deadlock")]
    assert main([*arguments, "--lanes", "1"]) == 1
    out = capsys.readouterr().out
    assert out.count("still inside: message ") == 4 and "NOT_DELIVERED" in out and "golden: match" in out
    assert main([*arguments, "--lanes", "1", "--json"]) == 1
    out, err = capsys.readouterr()
    assert {error["reason"] for error in json.loads(out)["errors"]} == {"NOT_DELIVERED"}
    assert err.count("still inside: message ") == 4
    assert main([*arguments, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["deliveries"]) == 6


@pytest.mark.parametrize(("most", "words", "come"), [(3, 0, 0), (5, 1, 0), (6, 2, 0), (7, 3, 1)])
def test_a_run_that_the_limit_ends_tells_of_its_cycles_alone(most, words, come):
    """What would come while counters are read is neither delivered nor counted."""
    found, _, _ = playing.play(Config(dim=2), [{"source": 0, "destinations": [1]}], most=most)
    (link,) = (link for link in found["links"] if (link["from"], link["to"]) == (0, 1))
    assert (found["cycles"], link["words"], len(found["deliveries"])) == (most, words, come)
    assert [error["reason"] for error in found["errors"]] == ["NOT_DELIVERED"] * (1 - come)


def test_mismatch_is_told(capsys, monkeypatch):
    """A golden network that goes wrong on purpose: status 1, cycle, port and replay command are printed."""
    monkeypatch.setattr(playback, "BENCH", wrong_delivery.MULTICAST)
    arguments = ["simulate", "--dim", "3", "--messages", example("mixed")]
    playing.says_a_mismatch(capsys, arguments)
    assert main([*arguments, "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["golden"] == "mismatch"
    assert found["cycles"] > 8 and found["deliveries"] and len(found["links"]) == 24
    assert "port eject_data: DUT " in err


def test_waves_are_written(capsys, tmp_path):
    """Cycles at the times of the JSON, states by name, no net without a name, and ports for the viewer."""
    waves = tmp_path / "waves.fst"
    arguments = ["simulate", "--dim", "2", "--messages", str(tmp_path / "m.json"), "--waves", str(waves), "--json"]
    (tmp_path / "m.json").write_text('[{"source": 0, "destinations": [3]}]')
    assert main([*arguments, "--simulator", QUICKEST]) == 0
    (delivery,) = json.loads(capsys.readouterr().out)["deliveries"]
    begins = ORIGIN + CYCLE * delivery["first_cycle"]
    values = fst_values(waves, "top.eject_valid [3:0]", "top.cycle [31:0]")
    assert values["top.eject_valid [3:0]"][1] == (begins, "1000")
    assert (begins, f"{delivery['first_cycle']:032b}") in values["top.cycle [31:0]"]
    names = {name.split()[0] for name in fst_signals(waves)}
    assert not [name for name in names if ".$" in name or name.endswith(".at_start")]
    states = fst_labels(waves)
    assert states["top.router_0.injection.controller.state [1:0]"]["10"] == "PROCESSING"
    save = (tmp_path / "waves.fst.gtkw").read_text().splitlines()
    shown = [line.partition("[")[0] for line in save if line.startswith("top.")]
    assert len(shown) > 200
    assert set(shown) <= names
    assert [line for line in save if line.startswith("-top.")][::2] == [f"-top.router_{node}" for node in range(4)]


def test_no_messages_and_seeded_stalls(capsys, tmp_path):
    """An empty file is a quiet network; stalled receivers delay, the same for the same seed, another for another."""
    (tmp_path / "none.json").write_text("[]")
    arguments = ["simulate", "--dim", "3", "--json", "--messages"]
    assert main([*arguments, str(tmp_path / "none.json")]) == 0
    assert json.loads(capsys.readouterr().out)["deliveries"] == []
    outs = []
    for seed in ("1", "1", "2"):
        assert main([*arguments, example("mixed"), "--stall", "60", "--seed", seed]) == 0
        outs.append(answer_in(capsys.readouterr().out, "simulate"))
    assert outs[0] == outs[1] != outs[2]


MISSING = "messages file 'none.json' must be one that can be read: No such file or directory"
ERRORS = [
    (["--dim", "3"], "one of --messages and --programs must be given, not neither"),
    (["--dim", "3", "--messages", "none.json"], MISSING),
    (["--dim", "3", "--messages", "m.json", "--fault", "8"], "fault must be an integer from 0 to 7, not 8"),
    (["--dim", "3", "--messages", "m.json", "--fault", "1"], "messages[0].source must be a fault-free node, not 1"),
    (
        ["--dim", "3", "--messages", "m.json", "--fault", "2", "--fault-free"],
        "fault must not be given without a fault vector (--fault-tolerant), not 2",
    ),
    (["--dim", "3", "--messages", "m.json", "--stall", "91"], "stall must be an integer from 0 to 90, not 91"),
    (
        ["--dim", "3", "--messages", "m.json", "--max-cycles", "0"],
        "max-cycles must be an integer from 1 to 10000000, not 0",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--max-cycles", "5"],
        "messages[0].cycle must be an integer from 0 to 4 (--max-cycles), not 5",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--waves", "none/w.fst"],
        "waves must be a file in an existing folder, not 'none/w.fst'",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--waves", "w.VCD"],
        "waves must be the name of an FST file, as run.fst, not 'w.VCD'",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--simulator", "vcs"],
        "argument --simulator: invalid choice: 'vcs' (choose from 'verilator', 'icarus')",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--netlist", "asic"],
        "argument --netlist: invalid choice: 'asic' (choose from 'ecp5', 'xilinx', 'ice40', 'generic')",
    ),
    (["--dim", "3", "--messages", "m.json", "--seed", "-1"], "seed must be an integer from 0 to 2**64 - 1, not -1"),
    (["--dim", "3", "--messages", "m.json", "--start", "0"], "start must be an integer from 1 to 2147483647, not 0"),
    (
        ["--dim", "3", "--messages", "m.json", "--start", "1", "--simulator", "icarus"],
        "start must be given with simulator verilator, not icarus",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line(capsys, tmp_path, monkeypatch, arguments, line):
    """Status 2, before anything is built."""
    monkeypatch.chdir(tmp_path)
    Path("m.json").write_text('[{"source": 1, "destinations": [2], "cycle": 5}]')
    assert main(["simulate", *arguments]) == 2
    assert capsys.readouterr() == ("", f"cubecast simulate: {line}\n")


def test_simulator_that_is_not_installed(capsys, monkeypatch):
    """Named together with those that are."""
    monkeypatch.setattr("cubecast.api.simulation.simulators", lambda: ("verilator",))
    arguments = ["simulate", "--dim", "3", "--messages", example("mixed"), "--simulator", "icarus"]
    assert main(arguments) == 2
    line = "cubecast simulate: simulator must be one that is installed (verilator), not 'icarus'\n"
    assert capsys.readouterr() == ("", line)


def test_simulator_that_fails(capsys, monkeypatch):
    """What the tool said, and status 3."""

    def fail(*arguments, **settings):
        raise SimulatorError("icarus ended with status 3")

    monkeypatch.setattr("cubecast.api.simulation.lockstep", fail)
    assert main(["simulate", "--dim", "3", "--messages", example("mixed"), "--simulator", QUICKEST]) == 3
    assert capsys.readouterr() == ("", "cubecast simulate: icarus ended with status 3\n")


def test_netlist_and_start_reach_the_run(capsys, monkeypatch):
    """As they are given; without them there is neither."""
    asked = []

    def note(bench, config, **settings):
        asked.append((settings["netlist"], settings["start"]))
        raise SimulatorError("noted")

    monkeypatch.setattr("cubecast.api.simulation.lockstep", note)
    for more in ([], ["--netlist", "ice40"], ["--start", "7"]):
        assert main(["simulate", "--dim", "3", "--messages", example("mixed"), *more]) == 3
    assert asked == [(None, None), ("ice40", None), (None, 7)]
    assert main(["simulate", "--dim", "3", "--messages", example("mixed"), "--netlist", "asic"]) == 2
    capsys.readouterr()


def timed(line):
    """Return the parameter of an example; a network of netlists takes a minute to build, and is in ``make soak``."""
    return pytest.param(line, marks=pytest.mark.soak if "--netlist" in line else ())


@pytest.mark.parametrize("line", [timed(line) for line in EXAMPLES.splitlines() if "--dim 3" in line])
def test_examples_of_the_help_run(capsys, monkeypatch, tmp_path, line):
    """Each example of the help that does not need the large network, on the simulators that are there."""
    if "icarus" in line and QUICKEST != "icarus":
        pytest.skip(NO_ICARUS)
    monkeypatch.chdir(ROOT)
    arguments = [str(tmp_path / word) if word.endswith(".fst") else word for word in line.split()[1:]]
    assert main(arguments) in (0, 1)
    assert "golden: match" in capsys.readouterr().out
