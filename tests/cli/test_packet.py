"""``cubecast generate packet-router|packet-network`` and ``cubecast simulate --router packet``."""

import json
import random
import re
from pathlib import Path

import pytest

from cubecast.api.generation import generate
from cubecast.cli import main
from cubecast.golden.packet.algorithms.routing import broadcast_edges, fixed_choice, path
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import Head, source_word
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.contract.registers import c_header, plain
from cubecast.options.usage import UsageError
from cubecast.systems.packet.description import meaning
from cubecast.systems.packet.messages import parse
from cubecast.systems.report import answer
from cubecast.tb.packet import playback as packet_playback
from cubecast.tb.packet.driver import Driver, Packet, chunks
from tests.cli import wrong_delivery
from tests.cli.generated import compiles, described_by, lint, made_once, read_back
from tests.cli.playing import agrees, play, random_values, refuses, says_a_mismatch, wanted_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "examples" / "packets.json")
CONFIGS = {
    "adaptive": PacketConfig(dim=3, max_words=4, rows=3),
    "serial": PacketConfig(dim=3, max_words=3, rows=2, link="serial"),
    "fixed": PacketConfig(dim=3, max_words=5, rows=2, routing="fixed"),
    "fault_free": PacketConfig(dim=3, max_words=2, rows=1, routing="fixed", fault_tolerant=False),
}
OBEYING = [name for name, config in CONFIGS.items() if config.fault_tolerant]


def some(config, messages):
    """Return how many messages a run has: over a link of one bit each takes many times as long."""
    return messages // 2 if config.link == "serial" else messages


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_every_delivery_belongs_to_its_message(name, stall):
    """The index in the first data word is that of the message followed; nothing is lost, doubled or out of order."""
    config = CONFIGS[name]
    values = random_values(random.Random(name), config, some(config, 40), 9, 1 << config.width, 3)
    found, seen, left = play(config, values, stall=stall)
    assert found["errors"] == [] and left == []
    assert sorted((d["message"], d["node"]) for d in found["deliveries"]) == wanted_of(config, values)
    for delivery in found["deliveries"]:
        assert delivery["data"] == values[delivery["message"]]["data"] and not delivery["error"]
        assert values[delivery["message"]].get("cycle", 0) <= delivery["first_cycle"] <= delivery["last_cycle"]
        assert delivery["last_cycle"] < found["cycles"]
        start = found["messages"][delivery["message"]]
        assert start["source"] == values[delivery["message"]]["source"]
        assert values[delivery["message"]].get("cycle", 0) <= start["start_cycle"] < delivery["first_cycle"]
    # What the control ports counted is what the packets that were followed did.
    crossed = {(link["from"], link["to"]): 0 for link in found["links"]}
    for crossing in seen["crossings"]:
        crossed[crossing["from"], crossing["from"] ^ 1 << crossing["dimension"]] += 1
    assert {(link["from"], link["to"]): link["packets"] for link in found["links"]} == crossed


@pytest.mark.parametrize("name", CONFIGS)
def test_packets_take_the_paths_of_the_algorithm(name):
    """A unicast goes lowest dimension first after its first hop, all packets alike; a broadcast its tree."""
    config = CONFIGS[name]
    values = random_values(random.Random(7), config, some(config, 30), 9, 1 << config.width, 3)
    _, seen, _ = play(config, values)
    ways = {}
    for crossing in seen["crossings"]:
        way = ways.setdefault((crossing["message"], crossing["to"]), {})
        way.setdefault(crossing["number"], []).append((crossing["from"], crossing["dimension"]))
    assert len(ways) == sum(len(value.get("destinations", [0])) for value in values)
    for (index, to), way in ways.items():
        source, room = values[index]["source"], config.max_words - 1
        assert set(way) == set(range(len(values[index]["data"]) // room + 1))
        (taken,) = {tuple(sorted(hops)) for hops in way.values()}
        if "broadcast" in values[index]:
            assert set(taken) == set(broadcast_edges(source, config.dim))
            continue
        first = way[0][0][1]
        nodes = path(source, to, first, config.dim)
        assert [node for node, _ in way[0]] == list(nodes[:-1])
        assert config.routing == "quasi-adaptive" or first == fixed_choice(source, to, config.dim)


@pytest.mark.parametrize("name", OBEYING)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))])
def test_events_in_the_middle_of_messages_lose_nothing_untold(name, seed):
    """Links fail and come back: each destination gets its message, cut off and so marked, or is reported."""
    source, config = random.Random(seed), CONFIGS[name]
    values = random_values(source, config, 60, 9, 1 << config.width, 3)
    steps = 40 if config.link == "serial" else 13
    for cycle in range(10, 30 * steps, steps):
        faulty = source.sample(range(3), source.randrange(3))
        values.append({"cycle": cycle, "node": source.randrange(8), "fault": faulty})
    found, seen, left = play(config, values)
    assert left == []
    reasons = {error["reason"] for error in found["errors"]}
    assert {"INPUT_CUT", "PACKET_CUT", "UNDELIVERABLE"} <= reasons
    # LINK_PROTOCOL: a link that was cut and is not any more, when a head comes that a full unit was to swallow.
    assert reasons <= {"INPUT_CUT", "PACKET_CUT", "UNDELIVERABLE", "TRUNCATED", "LINK_PROTOCOL", "OUT_OF_ORDER"}
    mixed = {(error["message"], error["node"]) for error in found["errors"] if error["reason"] == "OUT_OF_ORDER"}
    got = [(d["message"], d["node"]) for d in found["deliveries"]]
    assert len(set(got)) == len(got)
    told = {(error["message"], node) for error in found["errors"] for node in error.get("destinations", ())}
    assert {*got, *told} == set(wanted_of(config, values))
    assert any(d["error"] for d in found["deliveries"])
    for delivery in found["deliveries"]:
        data = values[delivery["message"]]["data"]
        if not delivery["error"]:
            assert delivery["data"] == data
            assert (delivery["message"], delivery["node"]) not in told
        else:
            disordered = (delivery["message"], delivery["node"]) in mixed
            assert len(delivery["data"]) < len(data) or disordered
            assert disordered or delivery["data"] == [word for word in data if word in set(delivery["data"])]
    for node, lost in enumerate(seen["registers"]["3"]):
        count = sum(report["node"] == node for report in seen["reports"])
        assert count == lost + min(count, config.log_depth)


@pytest.mark.parametrize("name", OBEYING)
def test_a_dead_node_is_named_with_what_lies_behind_it(name):
    """Unicasts take another first hop; of a broadcast the whole part of the tree behind the dead node is missing."""
    config = CONFIGS[name]
    values = [{"source": 0, "destinations": [6, 3]}, {"source": 0, "broadcast": True}]
    found, seen, _ = play(config, values, faults=[2])
    assert {(d["message"], d["node"]) for d in found["deliveries"]} == {
        (0, 6),
        (0, 3),
        (1, 1),
        (1, 3),
        (1, 4),
        (1, 5),
        (1, 7),
    }
    # The copy for 2 goes on to 6; the one for 1 to 3, 5 and, from 3, to 7.
    errors = [{"node": 0, "reason": "UNDELIVERABLE", "message": 1, "destinations": [6]}]
    assert found["errors"] == errors
    assert not [c for c in seen["crossings"] if c["from"] ^ 1 << c["dimension"] == 2]


def test_identical_messages_are_told_apart():
    """Two sources, the same destination and data; and one source that sends the same message twice."""
    values = [{"source": node, "destinations": [7], "data": [1]} for node in (3, 5, 5, 3)]
    found, _, _ = play(CONFIGS["adaptive"], values)
    assert sorted(d["message"] for d in found["deliveries"]) == [0, 1, 2, 3]
    first = {d["message"]: d["first_cycle"] for d in found["deliveries"]}
    assert first[0] < first[3] and first[1] < first[2]


def test_messages_take_the_shortest_queue():
    """Quasi-adaptive: the second message goes another way, the long one counts by its packets; fixed: all one way."""
    values = [{"source": 0, "destinations": [7], "data": [0] * 20}, *[{"source": 0, "destinations": [3]}] * 3]
    firsts = {}
    for name in ("adaptive", "fixed"):
        _, seen, _ = play(CONFIGS[name], values)
        hops = [c for c in seen["crossings"] if c["from"] == 0 and c["number"] == 0]
        firsts[name] = {hop["message"]: hop["dimension"] for hop in hops}
    assert firsts == {"adaptive": {0: 0, 1: 1, 2: 1, 3: 1}, "fixed": {0: 0, 1: 0, 2: 0, 3: 0}}


def test_the_queues_around_a_fault():
    """The driver leaves out faulty dimensions; where there is no other, the slot has to say so."""
    driver = Driver(CONFIGS["adaptive"], 0, [])
    assert [driver.choose(3, faulty) for faulty in (0, 1, 2, 3)] == [0, 1, 0, 0]
    driver.queues[0].append(None)
    assert [driver.choose(3, faulty) for faulty in (0, 1, 2, 3)] == [1, 1, 0, 0]


def test_slots_with_room_take_turns():
    """A packet of each queue that has one, in turn; one that waits for room holds up no other."""
    messages = [
        (k, {"cycle": 0, "kind": "unicast", "destinations": [to], "data": []}) for k, to in enumerate((1, 1, 2, 4))
    ]
    driver = Driver(CONFIGS["adaptive"], 0, messages)
    driver.take(0, 0)
    slots = []
    for ready in (7, 7, 3, 7):
        _, data, last, mask = driver.offer(ready)
        assert (data, last, mask) == (mask, 0, mask)
        slots.append(mask)
        assert driver.moved(7) and driver.offer(7) == (1, 0, 1, mask) and driver.moved(7)
    assert slots == [1, 2, 1, 4] and driver.done


def test_a_broadcast_goes_into_the_slots_with_room_first():
    """And into the others when they have some; a slot without room in the middle of it stops it."""
    driver = Driver(CONFIGS["adaptive"], 5, [(0, {"cycle": 0, "kind": "broadcast", "data": [9]})])
    driver.take(0, 0)
    assert driver.offer(0) is None and driver.offer(3) == (1, 5, 0, 3)
    assert not driver.moved(1) and driver.offer(1) == (1, 5, 0, 3)
    assert [driver.moved(3) for _ in range(3)] == [True] * 3 and not driver.done
    assert driver.offer(7) == (1, 5, 0, 4)


def receive(*packets):
    """Return what a receiver at node 0 delivers of packets (message, number, count, slot, data words, error)."""
    config = CONFIGS["adaptive"]
    receiver = packet_playback.Receiver(config, 0)
    for message, number, count, slot, data, error in packets:
        packet = Packet((0, *data), message, number, count, raw=count == 0)
        receiver.take(packet, [0, source_word(config, slot, 7), *data], 10, 20, error)
    receiver.close()
    return [(d["message"], d["data"], d["error"], d["whole"], d["ordered"]) for d in receiver.deliveries]


def test_the_receiver_says_what_is_not_as_it_was_sent():
    """Cut off, incomplete, overtaken by the same message or by another one of its stream."""
    one, two = (1, 0, 2, 0, [4, 5, 6], False), (1, 1, 2, 0, [7, 8], False)
    assert receive(one, two) == [(1, [5, 6, 7, 8], False, True, True)]
    assert receive(two, one) == [(1, [7, 8, 5, 6], True, True, False)]
    assert receive(one) == [(1, [5, 6], True, False, True)]
    assert receive(one, (1, 1, 2, 0, [7], True)) == [(1, [5, 6, 7], True, True, True)]
    other = (2, 0, 1, 0, [0], False)
    assert receive(one, other, two) == [(2, [], False, True, True), (1, [5, 6, 7, 8], True, True, False)]
    elsewhere = (2, 0, 1, 1, [0], False)
    assert receive(one, elsewhere, two)[1] == (1, [5, 6, 7, 8], False, True, True)
    assert receive((3, 0, 1, 0, [1, 5], True)) == [(3, [5], True, True, True)]


def test_errors_that_no_router_reports():
    """What came out of order, and what came in part, is told beside the delivery."""
    config = CONFIGS["adaptive"]
    messages, _ = parse([{"source": 7, "destinations": [0], "data": [1, 2, 3, 4]}], config, frozenset())
    registers = {str(0x30 + 16 * row + port): [0] * 8 for row in range(3) for port in range(4)}
    delivery = {"message": 0, "node": 0, "first_cycle": 1, "last_cycle": 2, "data": [1], "error": True}
    reasons = {}
    for whole, ordered in ((True, True), (True, False), (False, True)):
        seen = {"cycles": 9, "deliveries": [delivery | {"whole": whole, "ordered": ordered}], "reports": []}
        seen |= {"starts": [], "registers": registers}
        errors = answer(config, messages, seen, matched=True)["errors"]
        reasons[whole, ordered] = [(error["reason"], error["node"]) for error in errors]
    assert reasons == {(True, True): [], (True, False): [("OUT_OF_ORDER", 0)], (False, True): [("NOT_DELIVERED", 7)]}


@pytest.mark.parametrize(("size", "parts"), [(0, [1]), (2, [3]), (3, [3, 1]), (5, [3, 3]), (6, [3, 3, 1])])
def test_messages_are_split(size, parts):
    """The length comes first, and every packet but the last is full."""
    data = list(range(50, 50 + size))
    made = chunks(CONFIGS["adaptive"], data)
    assert [len(part) for part in made] == parts
    assert [word for part in made for word in part] == [size, *data]


def test_messages_wait_for_their_cycle_and_the_head_for_nothing():
    """A packet of 2 words is complete 2 cycles after its first; 3 later its head is on the link, 4 per hop."""
    values = [{"source": 0, "destinations": [7], "cycle": 50}, {"source": 0, "destinations": [1], "cycle": 10}]
    found, seen, _ = play(CONFIGS["fixed"], values)
    # The second stands behind the first in the file.
    assert [d["message"] for d in found["deliveries"]] == [1, 0] or [d["message"] for d in found["deliveries"]] == [
        0,
        1,
    ]
    assert [c["cycle"] for c in seen["crossings"] if c["message"] == 0] == [55, 59, 63]
    assert all(c["cycle"] > 55 for c in seen["crossings"] if c["message"] == 1)


def test_raw_packets_go_in_as_they_are():
    """Malformed ones are named with their reason, well-formed ones arrive without a length taken off."""
    values = [
        {"source": 1, "raw": [0, 5, 6]},
        {"source": 1, "raw": [0, 5], "slots": [1]},
        {"source": 1, "raw": [9, 5], "slots": [0]},
        {"source": 1, "raw": [2, 5], "slots": []},
        {"source": 1, "raw": [2, 5], "slots": [0, 1]},
        {"source": 1, "raw": [0, 5, 6, 7, 8, 9]},
        {"source": 1, "raw": [1, 5]},
        {"source": 1, "destinations": [0], "data": [4]},
    ]
    found, _, left = play(CONFIGS["adaptive"], values)
    got = {(d["message"], d["node"]): d["data"] for d in found["deliveries"]}
    assert got == {(0, 0): [5, 6], (7, 0): [4]} | {(6, node): [5] for node in range(8) if node != 1}
    errors = {(e["message"], e["reason"], e["node"]) for e in found["errors"]}
    bad = {(index, "BAD_SLOT", 1) for index in (1, 3, 4)}
    assert errors == bad | {(2, "ADDRESS_BITS", 1), (5, "DATA_TOO_LONG", 1)} and left == []


def test_what_is_left_when_the_run_ends_is_told():
    """Packets inside, packets not injected, and destinations that neither got the message nor were reported."""
    values = [{"source": 0, "destinations": [7], "data": [3] * 60}, {"source": 3, "broadcast": True, "data": [1] * 60}]
    found, _, left = play(CONFIGS["adaptive"], values, stall=1.0, most=300)
    assert [error["reason"] for error in found["errors"]] == ["NOT_DELIVERED"] * 2
    assert [error["destinations"] for error in found["errors"]] == [[7], [0, 1, 2, 4, 5, 6, 7]]
    assert any(line.startswith("still inside: 2 of the packets of message 0 at node 0, slot 0") for line in left)
    assert any(re.fullmatch(r"not injected: \d+ of the packets of message 0", line) for line in left)
    never = {"source": 0, "destinations": [1], "cycle": 299}
    found, _, _ = play(CONFIGS["adaptive"], [*values, never], stall=1.0, most=300)
    assert found["messages"][2] == {"message": 2, "source": 0, "start_cycle": None}
    assert any("packet buffer unit" in line for line in left)


@pytest.mark.core
@pytest.mark.parametrize(
    "simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.soak)], indirect=["simulator"]
)
def test_simulation_of_the_rtl(capsys, tmp_path, simulator):
    """The documented object, with every delivery of the file; the golden network's result is the same."""
    arguments = ["simulate", "--dim", "3", "--router", "packet", "--messages", EXAMPLE, "--simulator", simulator]
    agrees(capsys, arguments, PacketConfig(dim=3), EXAMPLE)
    assert main([*arguments, "--fault", "3"]) == 1
    out = capsys.readouterr().out
    assert "error: message 1, UNDELIVERABLE at node 7, destinations 3\n" in out and out.endswith("golden: match\n")
    # Events, a malformed packet, and receivers that stall.
    events = [{"cycle": cycle, "node": 3, "fault": fault} for cycle, fault in ((9, [0, 2]), (18, [1]), (30, []))]
    values = json.loads(Path(EXAMPLE).read_text())
    (tmp_path / "m.json").write_text(json.dumps([*values, *events, {"source": 6, "raw": [6, 1], "slots": []}]))
    arguments[arguments.index(EXAMPLE)] = str(tmp_path / "m.json")
    assert main([*arguments, "--stall", "40", "--seed", "3"]) == 1
    out = capsys.readouterr().out
    assert "cycle 18: node 3 has faulty dimensions 1\n" in out and "error: message 7, BAD_SLOT at node 6\n" in out
    assert "INPUT_CUT at node 3" in out and out.endswith("golden: match\n")


def test_mismatch_is_told(capsys, monkeypatch):
    """Status 1; cycle, port and replay command are printed."""
    monkeypatch.setattr(packet_playback, "BENCH", wrong_delivery.PACKET)
    arguments = ["simulate", "--dim", "3", "--router", "packet", "--messages", EXAMPLE]
    says_a_mismatch(capsys, arguments)


FILE = ["--dim", "3", "--router", "packet", "--messages", "m.json"]
ERRORS = [
    (
        [*FILE, "--policy", "greedy"],
        "policy must be given with the multicast and crosspoint routers only, not with the packet router",
    ),
    ([*FILE, "--max-dest", "3"], "max-dest must be given with the multicast router only, not with the packet router"),
    (
        [*FILE, "--source-field"],
        "source-field must be given with the multicast router only, not with the packet router",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--link", "serial"],
        "link must be given with the packet router only, not with the multicast router",
    ),
    (
        ["--dim", "3", "--messages", "m.json", "--rows", "4"],
        "rows must be given with the packet router only, not with the multicast router",
    ),
    ([*FILE, "--rows", "1"], "rows must be an integer from 2 to 64 when routing is quasi-adaptive, not 1"),
    ([*FILE, "--width", "6"], "width must be an integer from 7 to 64, not 6"),
    ([*FILE, "--fifo-depth", "-1"], "fifo_depth must be a positive integer, not -1"),
    (
        [*FILE, "--routing", "random"],
        "argument --routing: invalid choice: 'random' (choose from 'fixed', 'quasi-adaptive')",
    ),
    (
        [*FILE, "--router", "crossbar"],
        "argument --router: invalid choice: 'crossbar' (choose from 'multicast', 'packet', 'crosspoint')",
    ),
    ([*FILE, "--fault", "1"], "messages[0].source must be a fault-free node, not 1"),
    *(
        ([*FILE, "--fault", "2", *more], "fault must not be given without a fault vector (--fault-tolerant), not 2")
        for more in (["--fault-free"], ["--preset", "small"])
    ),
    ([*FILE, "--max-words", "1"], "messages[0] must be raw when a packet has no room for data (--max-words 1)"),
    ([*FILE, "--max-cycles", "5"], "messages[0].cycle must be an integer from 0 to 4 (--max-cycles), not 5"),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line(capsys, tmp_path, monkeypatch, arguments, line):
    """Status 2, before anything is built."""
    refuses(capsys, tmp_path, monkeypatch, arguments, line)


BAD = [
    ({"source": 1, "destinations": [2, 1]}, "messages[0].destinations[1] must be another node than the source, not 1"),
    ({"source": 1, "destinations": []}, "messages[0].destinations must hold 1 to 8 addresses, not 0"),
    ({"source": 1, "destinations": [8]}, "messages[0].destinations[0] must be an integer from 0 to 7, not 8"),
    (
        {"source": 1, "destinations": [2], "data": [65536]},
        "messages[0].data[0] must be an integer from 0 to 65535, not 65536",
    ),
    ({"source": 1, "broadcast": 1}, "messages[0].broadcast must be true, not 1"),
    ({"source": 1, "broadcast": True, "slots": [1]}, "messages[0].slots must be given with raw only"),
    ({"source": 1, "raw": [2], "slots": [3]}, "messages[0].slots[0] must be an integer from 0 to 2, not 3"),
    ({"source": 1, "raw": [2], "data": [3]}, "messages[0].data must not be given with raw, which holds all words"),
    (
        {"source": 1, "words": [2]},
        "messages[0] must have no fields but source, destinations, broadcast, raw, slots, data, cycle, not 'words'",
    ),
    ({"node": 1, "fault": [3], "cycle": 1}, "messages[0].fault[0] must be an integer from 0 to 2, not 3"),
]


@pytest.mark.parametrize(("value", "line"), BAD, ids=[line[:50] for _, line in BAD])
def test_bad_messages_are_named(value, line):
    """Index, field, value and what is allowed."""
    with pytest.raises(UsageError) as error:
        parse([value], PacketConfig(dim=3), frozenset())
    assert str(error.value) == line


UNITS = {
    "packet_router": PacketConfig(dim=3, link="serial", rows=4),
    "packet_network": PacketConfig(dim=2, rows=2, max_words=2, routing="fixed", fault_tolerant=False),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a function that gives the folder with the files of a unit, made once."""
    return made_once(tmp_path_factory, lambda unit: generate(unit, UNITS[unit]))


@pytest.mark.parametrize("unit", UNITS)
def test_tools_take_the_verilog(files, unit):
    """Verilator lints without a warning; Icarus compiles unit and templates."""
    lint(files(unit), f"cubecast_{unit}")
    compiles(files(unit), unit)


@pytest.mark.parametrize("unit", UNITS)
def test_description_names_every_port_and_field(files, unit):
    """Ports are those of the module, fields those of a head, reasons and registers those of the packet router."""
    config, made = UNITS[unit], read_back(files(unit))
    description, _ = described_by(unit, config, made)
    assert description["reasons"] == {reason.name: reason.value for reason in PacketReason}
    assert set(description["reason_meanings"]) == set(description["reasons"])
    assert description["registers"] == plain(config)
    header = made["cubecast_regs.h"]
    assert header.endswith(c_header(config))
    assert re.findall(r"CUBECAST_REASON_(\w+) (\d+)u", header) == [(r.name, str(r.value)) for r in PacketReason]
    log = next(entry for entry in description["registers"] if entry["name"] == "LOG")
    assert "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot" in [f["meaning"] for f in log["fields"]]
    head = Head(contrary=1, next_port=2, length=1, destination=3)
    value = head.encode(config)
    for field in description["packet"]["head"]:
        assert value >> field["low"] & (1 << field["width"]) - 1 == getattr(head, field["name"])


def test_unknown_port_has_no_meaning():
    """A port that nobody described is an error of the program, not an empty text."""
    for port in ("link_out__0__colour", "inject__error", "colour"):
        with pytest.raises(KeyError):
            meaning(port)


def test_options_reach_the_parameters(capsys, tmp_path):
    """Every option, on the way into the description."""
    options = "--dim 2 --rows 3 --max-words 5 --width 20 --routing fixed --link serial --fault-free --fifo-depth 9"
    options += " --memories block"
    arguments = [
        "generate",
        "packet-router",
        *options.split(),
        "--log-depth",
        "0",
        "--counters",
        "none",
        "-o",
        str(tmp_path),
        "--json",
    ]
    assert main(arguments) == 0
    names = [Path(file).name for file in json.loads(capsys.readouterr().out)["files"]]
    ends = (".v", ".json", "_inst.v", "_inst.sv", ".sdc", ".xdc", ".lpf", ".rdl", ".vlt")
    shared = ("cubecast_regs.h", "cubecast_router.h", "cubecast_router.c")
    assert sorted(names) == sorted([*(f"cubecast_packet_router{end}" for end in ends), *shared])
    parameters = json.loads((tmp_path / "cubecast_packet_router.json").read_text())["parameters"]
    wanted = PacketConfig(
        dim=2,
        rows=3,
        max_words=5,
        width=20,
        routing="fixed",
        link="serial",
        fault_tolerant=False,
        fifo_depth=9,
        log_depth=0,
        counters=0,
        memories="block",
    )
    assert parameters == wanted.to_json()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["packet-router", "--dim", "11"], "dim must be an integer from 2 to 10, not 11"),
        (["packet-router", "--dim", "3", "--max-words", "64"], "max_words must be an integer from 1 to 63, not 64"),
        (
            ["router", "--dim", "3", "--routing", "fixed"],
            "routing must be given with the packet router only, not with the multicast router",
        ),
        (
            ["packet-router", "--dim", "3", "--lanes", "1"],
            "lanes must be given with the multicast router only, not with the packet router",
        ),
        (["packet-router", "--dim", "3", "--contrary-rule", "0"], "unrecognized arguments: --contrary-rule 0"),
    ],
)
def test_bad_parameters_are_one_line_and_leave_nothing(capsys, tmp_path, arguments, line):
    """Status 2; the folder is not made."""
    folder = tmp_path / "out"
    assert main(["generate", *arguments, "-o", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.endswith(f": {line}\n") and err.count("\n") == 1
    assert not folder.exists()
