"""``cubecast simulate --programs``: programs on the RTL network of nodes; every result is judged by the rules alone."""

import json
from collections import Counter
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.algorithms.programs import FIELDS, read_programs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.playback import BENCH
from cubecast.tb.node.program_cases import cut_links, random_programs
from tests.node.corners import CORNERS
from tests.node.test_programs import OPERANDS

EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "programs.json")
SEND = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 200, "fill": 9}
RECEIVE = {"do": "receive", "name": "r", "from": 0, "type": 0, "room": 200}
WAIT = {"do": "wait", "for": ["r"]}

BUILT = ("one_buffer", "serial")
"""Corners of the lockstep runs, whose builds serve here, too."""

OTHERS = {
    "default": {"dim": 3},
    "wide": {"dim": 3, "width": 32, "tracked": 1, "hash_bits": 1},
    "no_buffers": {"dim": 3, "buffers": 0, "eager": 1, "routing": "fixed"},
    "serial_cube": {"dim": 3, "buffers": 2, "reserved": 1, "eager": 15, "link": "serial"},
    "large": {"dim": 4, "buffers": 1, "reserved": 0},
}
"""Parameters of further networks of random programs; buffers have 64 bytes."""

ENOUGH = 16
"""How many seeds of random programs a network gets at length."""

SEEDS = {"one_buffer": 30, "serial": 8, "serial_cube": 5, "large": 6}
"""The same where everything occurs with more alone, and where each takes ten seconds and more: too few for that."""

LINKS_FAIL = (1,)
"""Seeds of random programs where links fail: messages find no way, and answers are lost."""

SETTINGS = ({"latency": 1, "stall": 0.0}, {"latency": 4, "stall": 0.3})
"""What the memories do."""


def config_of(dim, routing="quasi-adaptive", link="parallel", width=16, **own):
    """Return the parameters of a network."""
    router = PacketConfig(dim=dim, routing=routing, link=link, width=width)
    return NodeConfig(router=router, buffer_bytes=64, **own)


def run_random(config, seed, steps, cut=False, crowd=0.0):
    """Run random programs in lockstep and judge the result; return what has happened in it.

    ``cut``: links fail; ``crowd``: the share of the sends that go to node 0.
    """
    programs = random_programs(seed, config.nodes, steps, crowd=crowd)
    options = {"programs": programs, **SETTINGS[seed % len(SETTINGS)]}
    if cut:
        options |= {"programs": cut_links(seed, programs, config.dim), "timeout": 1}
    found = lockstep(BENCH, config, cycles=60_000, seed=seed, extra={"probe": False}, options=options).collected | {
        "golden": "match"
    }
    assert found["quiet"] and judge(read_programs(programs, config), config, found) == [], (config, seed)
    nodes = found["nodes"]
    seen = Counter(block["status"] for node in nodes for block in node["blocks"])
    seen.update(interrupt["reason"] for node in nodes for interrupt in node["interrupts"])
    seen["postponed"] += sum(node["counters"]["postponed"] for node in nodes)
    seen["unclaimed"] += sum(len(node["unclaimed"]) for node in nodes)
    seen["early"] += sum(read["early"] for node in nodes for read in node["reads"])
    return seen


def scarce(config):
    """Return what happens where buffers run out, which 16 do not."""
    return {"NO_BUFFER"} if config.buffers < 16 else set()


@pytest.mark.core("one_buffer")
@pytest.mark.parametrize("name", BUILT)
def test_random_programs_keep_all_rules(name):
    """All instructions, wildcards, wrong operands, long and empty messages, on links of both kinds."""
    seen = Counter()
    for seed in (13, 18):
        seen += run_random(CORNERS[name], seed, 14)
    assert {"TRUNCATED", "NO_BUFFER", "BAD_RELEASE", "BAD_TYPE", "SYSTEM_MESSAGE", "unclaimed"} <= set(seen), seen


def test_random_programs_keep_all_rules_where_links_fail():
    """Links are cut and mended while messages are under way; what is told of their ends is true."""
    seen = Counter()
    for seed in LINKS_FAIL:
        seen += run_random(CORNERS["serial"], seed, 10, cut=True)
    assert {"UNDELIVERABLE", "TIMEOUT"} <= set(seen), seen


def test_a_release_calls_for_what_was_postponed():
    """The only buffer is taken when the second message comes; given back, it gets that message."""
    config = CORNERS["one_buffer"]
    messages = [{"do": "send", "name": name, "to": 1, "type": 0, "bytes": 20, "fill": 1} for name in "ab"]
    node = [
        {"do": "compute", "clocks": 600},
        {"do": "receive", "name": "r", "from": 0, "type": 0, "room": "system"},
        {"do": "wait", "for": ["r"]},
        {"do": "release", "name": "x", "of": "r"},
    ]
    programs = {"nodes": {"0": [*messages, {"do": "wait", "for": ["a", "b"]}], "1": node}}
    found = lockstep(BENCH, config, cycles=10_000, extra={"probe": False}, options={"programs": programs}).collected
    assert found["nodes"][1]["counters"]["postponed"] and found["nodes"][0]["at"] == len(messages) + 1
    assert [message["message"] for message in found["nodes"][1]["unclaimed"]] == [[0, "b"]]


@pytest.mark.soak
@pytest.mark.parametrize("name", [*BUILT, *OTHERS])
def test_random_programs_keep_all_rules_at_length(name):
    """The same with other seeds and parameters, and longer programs.

    Everything occurs, but that 16 buffers run out, and what is rare in networks that are slow to simulate.
    """
    seen = Counter()
    config = CORNERS[name] if name in BUILT else config_of(**OTHERS[name])
    count = SEEDS.get(name, ENOUGH)
    for seed in range(5, 5 + count):
        seen += run_random(config, seed, 8 + seed % 17)
    rare = {"SYSTEM_MESSAGE", *scarce(config), *OPERANDS} if count >= ENOUGH else set()
    assert {"OK", "TRUNCATED", *rare} <= set(seen), seen


@pytest.mark.soak
@pytest.mark.parametrize("name", [*BUILT, "wide", "no_buffers"])
def test_random_programs_keep_all_rules_where_most_send_to_one_node(name):
    """It has no room for some of them, and all are there in the end."""
    seen = Counter()
    config = CORNERS[name] if name in BUILT else config_of(**OTHERS[name])
    count = SEEDS.get(name, ENOUGH)
    for seed in range(60, 60 + count // 2):
        seen += run_random(config, seed, 8 + seed % 9, crowd=0.8)
    rare = {"SYSTEM_MESSAGE", *scarce(config)} if count >= ENOUGH else set()
    assert {"OK", "TRUNCATED", "postponed", *rare} <= set(seen), seen


def test_the_example_ends_well(capsys, tmp_path):
    """As the docs tell it; recorded from the RTL it is the run of the golden network."""
    command = ["simulate", "--dim", "3", "--router", "packet", "--programs", EXAMPLE, "--json"]
    assert main([*command, "--explore", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    config = NodeConfig(router=PacketConfig(dim=3))
    programs = read_programs(json.loads(Path(EXAMPLE).read_text()), config)
    assert judge(programs, config, found) == [] and found["quiet"]
    assert found["config"]["dim"] == 3 and found["config"]["memory_latency"] == 1
    statuses = {block["name"]: block["status"] for node in found["nodes"] for block in node["blocks"]}
    assert statuses == dict.fromkeys("abnrtx", "OK") | {"s": "TRUNCATED", "y": "BAD_RELEASE"}
    assert sum(link["words"] for link in found["links"]) > 0 and found["errors"] == []
    assert found["nodes"][0]["counters"]["messages_sent"] == 8
    header, *events = map(json.loads, (tmp_path / "recording.jsonl").read_text().splitlines())
    assert (header["golden"], header["simulator"], header["cycles"]) == ("match", "verilator", found["clocks"])
    recorded = sum(len(run[4]) for event in events for run in event.get("links", ()))
    assert recorded == sum(link["words"] for link in found["links"])


def test_a_program_that_waits_for_ever_is_told(tmp_path, capsys):
    """With status 1; it is quiet, and the judge has nothing against it."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"nodes": {"1": [RECEIVE, WAIT]}}))
    assert main(["simulate", "--dim", "3", "--router", "packet", "--programs", str(path)]) == 1
    text = capsys.readouterr().out
    assert "not ended: node 1 stands at step 1 of 2: waits for r until done" in text and "golden: match" in text


def test_a_run_without_enough_cycles_is_not_quiet(tmp_path, capsys):
    """What has happened until then is told."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"nodes": {"0": [SEND], "1": [RECEIVE, WAIT]}}))
    command = ["simulate", "--dim", "3", "--router", "packet", "--programs", str(path), "--max-cycles", "40", "--json"]
    assert main(command) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["quiet"] and found["nodes"][0]["blocks"][0]["posted"] == 0


WRONG = [
    (["--messages", "m.json"], "one of --messages and --programs must be given, not both"),
    (["--router", "multicast"], "programs must be given with --router packet, not 'multicast'"),
    (["--fault", "4"], "fault must be an integer from 0 to 3, not 4"),
    (["--fault", "1", "--fault-free"], "fault must not be given without a fault vector (--fault-tolerant), not 1"),
    (["--buffers", "257"], "buffers must be an integer from 0 to 256, not 257"),
    (["--reserved", "3", "--buffers", "2"], "reserved must be an integer from 0 to 2, not 3"),
    (["--width", "24"], "width must be 16 or 32 in a node with an interface, not 24"),
    (["--memory-latency", "0"], "memory-latency must be an integer from 1 to 1000, not 0"),
    (["--timeout", "-1"], "timeout must be an integer from 0 to 4294967295, not -1"),
    (["--stall", "91"], "stall must be an integer from 0 to 90, not 91"),
    (["--programs", "none.json"], "programs file 'none.json' must be one that can be read: No such file or directory"),
    ([], f"nodes.0[0].do must be one of {', '.join(FIELDS)}, not 'fly'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_bad_usage_is_one_line(tmp_path, capsys, arguments, message):
    """The option or the field, what is allowed, the value; status 2."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"nodes": {"0": [{"do": "fly"}]}}))
    assert main(["simulate", "--dim", "2", "--router", "packet", "--programs", str(path), *arguments]) == 2
    assert capsys.readouterr().err == f"cubecast simulate: {message}\n"


@pytest.mark.parametrize(("option", "value"), [("--memory-latency", "2"), ("--timeout", "1"), ("--buffers", "3")])
def test_messages_have_no_options_of_programs(tmp_path, capsys, option, value):
    """They are refused rather than ignored."""
    path = tmp_path / "m.json"
    path.write_text("[]")
    assert main(["simulate", "--dim", "2", "--router", "packet", "--messages", str(path), option, value]) == 2
    assert option.removeprefix("--") in capsys.readouterr().err.replace("_", "-")
