"""``cubecast simulate --router crosspoint``: messages of every kind, around faults, on both simulators."""

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.golden.crosspoint.algorithms.packets import tree
from cubecast.golden.crosspoint.algorithms.splitting import plan
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.options.usage import UsageError
from cubecast.systems.crosspoint.messages import parse
from cubecast.tb.crosspoint import playback
from cubecast.tb.harness.simulators import simulators
from tests.cli import wrong_delivery
from tests.cli.playing import agrees, play, refuses, says_a_mismatch, wanted_of
from tests.crosspoint.corners import CORNERS

EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "subcubes.json")
QUICKEST = simulators()[-1]
"""The simulator that builds a design in the shortest time: Icarus if it is there."""
CONFIGS = {
    "smallest": CrosspointConfig(dim=2, width=8, depth=4, eject_depth=4),
    "default": CrosspointConfig(dim=3),
    "narrow": CrosspointConfig(dim=4, width=8, packet_limit=2, eject_depth=16),
    "one_run": CrosspointConfig(dim=3, runs=1),
    "unicasts": CrosspointConfig(dim=3, multicast=False, packet_limit=1),
    "registers": CrosspointConfig(dim=3, link_regs=2, output_register=True, eject_depth=64),
}
# Configurations of the lockstep runs: their builds serve here, too.
BUILT = {
    "least": "--dim 2 --width 8 --depth 4 --packet-limit 1 --eject-depth 4 --pause-limit 1 --log-depth 1",
    "far": "--dim 3 --width 9 --link-regs 3 --output-register --eject-depth 32 --pause-limit 15",
}
RANDOM_POLICY = {"smallest": "either", "default": "valiant", "narrow": "random", "registers": "valiant"}


def random_values(source, config, count, dead=()):
    """Return random messages of all kinds; the first word of those that have data is their index."""
    values = []
    working = [node for node in range(config.nodes) if node not in dead]
    for index in range(count):
        node = source.choice(working)
        words = [source.randrange(1 << config.width) for _ in range(source.choice((0, 1, 3, 12)))]
        value = {"source": node, "data": source.choice(([], [index, *words], [index, *words]))}
        others = [other for other in range(config.nodes) if other != node]
        kind = source.randrange(8)
        base, mask = source.choice(others), source.randrange(config.nodes)
        kinds = [{"broadcast": True}, {"subcube": {"base": base, "mask": mask}}]
        wanted = {"destinations": source.sample(others, source.randint(1, min(len(others), 5)))}
        value |= kinds[kind] if kind < len(kinds) else wanted
        if source.random() < 0.3:
            value["cycle"] = source.randrange(200)
        values.append(value)
    return values


def told_of(found):
    """Return message and node of everything that an error says was not delivered."""
    return {(error["message"], node) for error in found["errors"] for node in error.get("destinations", ())}


@pytest.mark.parametrize("name", CONFIGS)
def test_every_message_arrives_once_whole_and_in_order(name):
    """Under every kind of policy; what the control ports counted is what the packets that were followed did."""
    config = CONFIGS[name]
    values = random_values(random.Random(name), config, 40)
    for policy in {"e-cube", RANDOM_POLICY.get(name, "e-cube")}:
        found, seen, left = play(config, values, stall=0.4, policy=policy)
        assert found["errors"] == [] and left == []
        assert sorted((d["message"], d["node"]) for d in found["deliveries"]) == wanted_of(config, values)
        for delivery in found["deliveries"]:
            assert delivery["data"] == values[delivery["message"]]["data"] and not delivery["error"]
            start = found["messages"][delivery["message"]]["start_cycle"]
            assert values[delivery["message"]].get("cycle", 0) <= start < delivery["first_cycle"]
            assert delivery["first_cycle"] <= delivery["last_cycle"] < found["cycles"]
        crossed = Counter((crossing["from"], crossing["dimension"]) for crossing in seen["crossings"])
        packets = {(link["from"], (link["from"] ^ link["to"]).bit_length() - 1): link for link in found["links"]}
        assert {place: link["packets"] for place, link in packets.items() if link["packets"]} == crossed
    # With one path for each pair of nodes, messages of one source come in the order in which it sent them.
    ends = {}
    found, _, _ = play(config, values, policy="e-cube")
    order = {message["message"]: message["start_cycle"] for message in found["messages"]}
    for delivery in sorted(found["deliveries"], key=lambda d: d["last_cycle"]):
        ends.setdefault((values[delivery["message"]]["source"], delivery["node"]), []).append(
            order[delivery["message"]]
        )
    assert all(cycles == sorted(cycles) for cycles in ends.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_events_in_the_middle_of_messages_lose_nothing_untold(name):
    """Links fail and come back: each destination gets its message, cut off and so marked, or is named with a reason."""
    config, source = CONFIGS[name], random.Random(3)
    values = random_values(source, config, 60)
    for cycle in range(10, 400, 7):
        faulty = source.sample(range(config.dim), source.randrange(config.dim))
        values.append({"cycle": cycle, "node": source.randrange(config.nodes), "fault": faulty})
    found, seen, left = play(config, values, stall=0.3)
    assert left == []
    routers = {"UNDELIVERABLE", "INPUT_CUT", "PACKET_CUT"} - ({"PACKET_CUT"} if config.packet_limit == 1 else set())
    if not (config.packet_limit > 1 or config.forward):
        routers.discard("INPUT_CUT")
    reasons = {error["reason"] for error in found["errors"]}
    assert routers <= reasons <= routers | {"CUT_OFF", "TWO_RELAYS", "OUT_OF_ORDER"}
    got = [(d["message"], d["node"]) for d in found["deliveries"]]
    assert len(set(got)) == len(got)
    assert {*got, *told_of(found)} == set(wanted_of(config, values))
    for delivery in found["deliveries"]:
        data = values[delivery["message"]]["data"]
        if not delivery["error"]:
            assert delivery["data"] == data
            assert (delivery["message"], delivery["node"]) not in told_of(found)
        else:
            assert len(delivery["data"]) < max(1, len(data))
        # What goes as one packet either comes, if cut off, or is lost.
        if len(data) < config.packet_limit:
            assert (delivery["message"], delivery["node"]) not in told_of(found)
    for node, lost in enumerate(seen["registers"]["3"]):
        count = sum(report["node"] == node for report in seen["reports"])
        assert count == lost + min(count, config.log_depth)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_dead_node_is_named_where_the_file_names_it(name):
    """A list that names it is not delivered there; a broadcast or a subcube is for the others; all else arrives."""
    config, source = CONFIGS[name], random.Random(name)
    dead = source.randrange(config.nodes)
    values = random_values(source, config, 30, [dead])
    found, seen, left = play(config, values, [dead])
    assert left == [] and seen["reports"] == []
    named = {(index, dead) for index, value in enumerate(values) if dead in value.get("destinations", ())}
    reachable = {(index, node) for index, node in wanted_of(config, values) if node != dead}
    reasons = {"FAULTY"} if config.runs == 2 else {"FAULTY", "TWO_RELAYS", "CUT_OFF"}
    assert {error["reason"] for error in found["errors"]} <= reasons
    assert named <= told_of(found) <= named | (reachable if config.runs == 1 or config.dim == 2 else set())
    got = {(d["message"], d["node"]) for d in found["deliveries"]}
    assert got | told_of(found) == named | reachable and not got & told_of(found)


def test_packets_take_the_links_of_the_plan():
    """A list becomes the packets of the algorithm, which cross the links of their trees, one cycle each."""
    config, nodes = CrosspointConfig(dim=5), [7, 20, 29, 18, 1, 0]
    found, seen, _ = play(config, [{"source": 6, "destinations": nodes, "data": [9, 8]}])
    packets = plan(config, 6, nodes).packets
    hops = [(hop.node, hop.dimension) for packet in packets for hop in tree(config, 6, packet.legs[0].header).hops]
    assert sorted(hops) == sorted((crossing["from"], crossing["dimension"]) for crossing in seen["crossings"])
    assert {d["node"] for d in found["deliveries"]} == set(nodes)
    # A word taken in cycle 0 is on its h-th link in cycle h, and h + 2 at the node; block RAM takes one more.
    alone, _, _ = play(config, [{"source": 0, "destinations": [31], "data": [5]}])
    assert [d["first_cycle"] for d in alone["deliveries"]] == [5 + 3]


def test_a_relay_sends_on():
    """Between the ends of a faulty link of the top dimension; the data come whole, and in order."""
    values = [
        {"cycle": 0, "node": 0, "fault": [2]},
        {"source": 0, "destinations": [4], "data": list(range(12)), "cycle": 3},
        {"source": 0, "destinations": [4], "data": [99], "cycle": 3},
    ]
    found, seen, left = play(CONFIGS["default"], values)
    assert found["errors"] == [] and left == []
    assert [(d["node"], d["data"]) for d in found["deliveries"]] == [(4, list(range(12))), (4, [99])]
    ways = {tuple((c["from"], c["dimension"], c["ends"]) for c in seen["crossings"] if c["message"] == 1)}
    assert ways == {((0, 0, False), (1, 2, False), (5, 0, True))}
    # The same link fails again, now in the middle of what the relay gets: it sends on what came.
    cut = [{"cycle": cycle, "node": 1, "fault": fault} for cycle, fault in ((6, [0]), (7, []))]
    found, _, left = play(CONFIGS["default"], [*values, *cut])
    assert left == [] and {error["reason"] for error in found["errors"]} >= {"INPUT_CUT"}
    assert any(d["error"] and len(d["data"]) < 12 for d in found["deliveries"])


def test_raw_packets_go_in_as_they_are():
    """Headers that go nowhere and packets that are too long are named with their reason; others arrive."""
    values = [
        {"source": 1, "raw": [5, 6], "r1": [2, 0]},
        {"source": 1, "raw": [5], "r1": [1], "r2": [2]},
        {"source": 1, "raw": [7], "r2": [0, 1, 2], "kind": 1},
        {"source": 1, "raw": [0b110, 8], "kind": 2},
        {"source": 1, "raw": [1]},
        {"source": 1, "raw": [1], "r1": [1], "r2": [1]},
        {"source": 1, "raw": [1], "r1": [1], "r2": [1], "kind": 1},
        {"source": 1, "raw": [1 << 8], "kind": 2},
        {"source": 1, "raw": [1], "kind": 2},
        {"source": 1, "raw": [1], "kind": 3},
        {"source": 1, "raw": [1, 2, 3, 4, 5, 6], "r1": [0]},
    ]
    found, _, left = play(CONFIGS["default"], values)
    assert left == []
    got = {(d["message"], d["node"]): d["data"] for d in found["deliveries"]}
    everyone = {(2, node): [7] for node in range(8) if node != 1}
    assert got == {(0, 4): [5, 6], (1, 7): [5], (3, 0): [8], (3, 3): [8], (10, 0): [1, 2, 3, 4]} | everyone
    reasons = {error["message"]: error["reason"] for error in found["errors"]}
    illegal = ("EMPTY", "TURN_BACK", "BAD_SET", "ADDRESS_BITS", "OWN_SOURCE", "BAD_KIND", "DATA_TOO_LONG")
    assert reasons == dict(enumerate(illegal, start=4))
    assert set(illegal) <= {reason.name for reason in CrosspointReason}
    assert [d["error"] for d in found["deliveries"] if d["message"] == 10] == [True]


def test_what_is_left_when_the_run_ends_is_told():
    """Packets inside, packets not injected, a message that never started, and who did not get them."""
    values = [
        {"source": 0, "destinations": [7], "data": [3] * 900},
        {"source": 3, "broadcast": True, "data": [1] * 20},
        {"source": 0, "destinations": [1], "cycle": 299},
        {"source": 5, "destinations": [1], "cycle": 400},
    ]
    found, _, left = play(CONFIGS["registers"], values, stall=1.0, most=300)
    assert [error["reason"] for error in found["errors"]] == ["NOT_DELIVERED"] * 4
    assert found["messages"][2] == {"message": 2, "source": 0, "start_cycle": None}
    assert any(re.fullmatch(r"still inside: \d+ of the packets of message 0 at node \d, queue .*", x) for x in left)
    assert any(re.fullmatch(r"not injected: \d+ of the packets of message 0", line) for line in left)
    assert "not injected: message 3" in left


@pytest.mark.core("verilator")
def test_simulation_of_the_rtl(capsys, simulator):
    """The documented object; the golden network's result is the same; text with trees, and what is not reached."""
    arguments = ["simulate", "--router", "crosspoint", "--dim", "3", "--messages", EXAMPLE]
    arguments += ["--simulator", simulator]
    agrees(capsys, arguments, CrosspointConfig(dim=3), EXAMPLE)
    assert main([*arguments, "--fault", "3", "--policy", "valiant", "--stall", "40"]) == 1
    out = capsys.readouterr().out
    assert "error: message 1, FAULTY at node 5, destinations 3\n" in out and out.endswith("golden: match\n")
    assert "cycle 30: node 0 has faulty dimensions 2\n" in out


@pytest.mark.parametrize(("name", "simulator"), [("least", QUICKEST), ("far", "verilator")])
def test_hostile_files_on_the_rtl(capsys, tmp_path, name, simulator):
    """Random messages, stalls, faults at any time and illegal packets: both sides agree, and nothing is left inside."""
    source, config = random.Random(name), CORNERS[name]
    values = random_values(source, config, 40)
    values += [{"source": 1, "raw": [source.randrange(256)], "kind": 3} for _ in range(3)]
    for cycle in range(10, 200, 9):
        node, faulty = source.randrange(config.nodes), source.sample(range(config.dim), source.randrange(config.dim))
        values.append({"cycle": cycle, "node": node, "fault": faulty})
    (tmp_path / "m.json").write_text(json.dumps(values))
    arguments = [
        "simulate",
        "--router",
        "crosspoint",
        *BUILT[name].split(),
        "--policy",
        "either",
        "--simulator",
        simulator,
    ]
    assert main([*arguments, "--messages", str(tmp_path / "m.json"), "--stall", "40", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["golden"] == "match" and "still inside" not in err
    assert {"BAD_KIND", "UNDELIVERABLE"} <= {error["reason"] for error in found["errors"]}


def test_mismatch_is_told(capsys, monkeypatch):
    """Status 1; cycle, port and replay command are printed."""
    monkeypatch.setattr(playback, "BENCH", wrong_delivery.CROSSPOINT)
    arguments = ["simulate", "--router", "crosspoint", "--dim", "3", "--messages", EXAMPLE]
    says_a_mismatch(capsys, arguments)


FILE = ["--dim", "3", "--router", "crosspoint", "--messages", "m.json"]
ERRORS = [
    (
        [*FILE, "--policy", "greedy"],
        "policy must be one of e-cube, either, random, valiant with the crosspoint router, not 'greedy'",
    ),
    ([*FILE, "--policy", "valiant", "--runs", "1"], "policy must be e-cube when runs is 1, not 'valiant'"),
    (
        ["--dim", "3", "--messages", "m.json", "--policy", "either"],
        "policy must be one of greedy, ordered, not 'either'",
    ),
    (
        [*FILE, "--policy", "shortest"],
        "argument --policy: invalid choice: 'shortest' (choose from 'greedy', 'ordered', 'e-cube', 'either', 'random', "
        "'valiant')",
    ),
    ([*FILE, "--lanes", "2"], "lanes must be given with the multicast router only, not with the crosspoint router"),
    ([*FILE, "--runs", "3"], "runs must be an integer from 1 to 2, not 3"),
    (
        [*FILE, "--eject-depth", "100"],
        "eject_depth must be one of 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, not 100",
    ),
    ([*FILE, "--fault", "1"], "messages[0].source must be a fault-free node, not 1"),
    *(
        ([*FILE, "--fault", "2", *more], "fault must not be given without a fault vector (--fault-tolerant), not 2")
        for more in (["--fault-free"], ["--preset", "small"])
    ),
    ([*FILE, "--max-cycles", "5"], "messages[0].cycle must be an integer from 0 to 4 (--max-cycles), not 5"),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line(capsys, tmp_path, monkeypatch, arguments, line):
    """Status 2, before anything is built."""
    refuses(capsys, tmp_path, monkeypatch, arguments, line)


BAD = [
    ({"source": 1}, "messages[0] must have exactly one of destinations, subcube, broadcast and raw, not none"),
    ({"source": 1, "subcube": 3}, "messages[0].subcube must be an object, not 3"),
    ({"source": 1, "subcube": {"base": 3}}, "messages[0].subcube.mask must be given"),
    (
        {"source": 1, "subcube": {"base": 8, "mask": 1}},
        "messages[0].subcube.base must be an integer from 0 to 7, not 8",
    ),
    (
        {"source": 1, "subcube": {"base": 1, "mask": 0}},
        "messages[0].subcube must hold another node than the source, not 1 alone",
    ),
    (
        {"source": 1, "subcube": {"base": 1, "mask": 1, "free": 1}},
        "messages[0].subcube must have no fields but base, mask, not 'free'",
    ),
    ({"source": 1, "destinations": [2, 1]}, "messages[0].destinations[1] must be another node than the source, not 1"),
    ({"source": 1, "destinations": [2], "r1": [1]}, "messages[0].r1 must be given with raw only"),
    ({"source": 1, "raw": [2], "r1": [3]}, "messages[0].r1[0] must be an integer from 0 to 2, not 3"),
    ({"source": 1, "raw": [2], "kind": 4}, "messages[0].kind must be an integer from 0 to 3, not 4"),
    (
        {"source": 1, "broadcast": True, "data": [1 << 32]},
        "messages[0].data[0] must be an integer from 0 to 4294967295, not 4294967296",
    ),
    (
        {"source": 1, "slots": [2]},
        "messages[0] must have no fields but source, destinations, subcube, broadcast, raw, r1, r2, kind, data, cycle, "
        "not 'slots'",
    ),
]


@pytest.mark.parametrize(("value", "line"), BAD, ids=[line[:50] for _, line in BAD])
def test_bad_messages_are_named(value, line):
    """Index, field, value and what is allowed."""
    with pytest.raises(UsageError) as error:
        parse([value], CrosspointConfig(dim=3), frozenset())
    assert str(error.value) == line


def test_a_subcube_of_faulty_nodes_alone_is_named():
    """Nothing would be sent, and nothing said of it."""
    value = {"source": 0, "subcube": {"base": 0, "mask": 1}}
    with pytest.raises(UsageError) as error:
        parse([value], CrosspointConfig(dim=3), frozenset({1}))
    line = "messages[0].subcube must hold a node that works besides the source, not faulty ones alone"
    assert str(error.value) == line
