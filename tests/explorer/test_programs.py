"""Recordings of programs of nodes: each packet is of the message or the answer whose words it has."""

import json
from collections import Counter, defaultdict

import pytest

from cubecast.cli import main, program_simulation
from cubecast.golden.node.algorithms.programs import read_programs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, Kind, Op, unpack
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.node.program_cases import cut_links, random_programs
from tests.explorer.programs import alone
from tests.explorer.test_recording import entries

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=1, reserved=0, buffer_bytes=64)
PARAMETERS = ["--dim", "2", "--buffers", "1", "--reserved", "0", "--buffer-bytes", "64"]


@pytest.fixture(autouse=True)
def golden(monkeypatch):
    """Let the golden network alone be what is simulated."""
    monkeypatch.setattr(program_simulation, "lockstep", alone)


def recorded(capsys, folder, programs, *arguments):
    """Run programs with ``--explore``; return the result, the header and the events by cycle."""
    folder.mkdir(exist_ok=True)
    (folder / "p.json").write_text(json.dumps(programs))
    command = ["simulate", "--router", "packet", "--programs", str(folder / "p.json"), *PARAMETERS, *arguments]
    main([*command, "--json", "--explore", str(folder)])
    found = json.loads(capsys.readouterr().out)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    assert main(["explore", str(folder / "recording.jsonl"), "-o", str(folder / "again")]) == 0
    capsys.readouterr()
    assert (folder / "again" / "index.html").read_bytes() == (folder / "index.html").read_bytes()
    return found, header, events


def crowded(seed, steps=10):
    """Return programs that mostly send to node 0, which has room for few messages."""
    return random_programs(seed, CONFIG.nodes, steps, crowd=0.5)


def steps_that_send(programs):
    """Return node and step of each message that programs send, in the order of a recording."""
    read = read_programs(programs, CONFIG)
    return [(node, step) for node, program in enumerate(read) for step in program if step.sends]


@pytest.mark.parametrize(("link", "links_fail"), [("parallel", False), ("parallel", True), ("serial", False)])
def test_a_recording_of_programs_tells_what_the_result_tells(capsys, tmp_path, link, links_fail):
    """Words, packets and waits of links, what is stored where and when, reports, and the end of each instruction."""
    programs, more = crowded(1), []
    if link == "serial":
        programs = crowded(4, 4)
    if links_fail:
        programs, more = cut_links(6, crowded(6), CONFIG.dim), ["--timeout", "1"]
    found, header, events = recorded(capsys, tmp_path, programs, "--link", link, *more)
    assert "recording" not in found and header["cycles"] == found["clocks"]
    words, runs, waiting = Counter(), Counter(), defaultdict(set)
    for _, node, dimension, _lane, message, sent, *_ in entries(events, "links"):
        words[node, node ^ 1 << dimension] += len(sent)
        runs[node, node ^ 1 << dimension] += 1
        assert message >= 0
    for cycle, node, _unit, port, _message, _why, _by, count in entries(events, "waits"):
        waiting[node, port].update(range(cycle, cycle + count))
    for link in found["links"]:
        ends, dimension = (link["from"], link["to"]), (link["from"] ^ link["to"]).bit_length() - 1
        counted = words[ends], runs[ends], len(waiting[link["from"], dimension])
        assert counted == (link["words"], link["packets"], link["waited"]), link
    assert max(cycle for cycle, *_ in entries(events, "links")) < found["clocks"]
    named = [(node, step.name) for node, step in steps_that_send(programs)]
    assert [(each["source"], each["what"].split()[-1]) for each in header["messages"][: len(named)]] == named
    stored = Counter(
        (*block["message"], entry["node"], block["matched"], block["done"], block["status"] != "OK")
        for entry in found["nodes"]
        for block in entry["blocks"]
        if "message" in block and block["done"] is not None
    )
    deliveries = [each for each in header["deliveries"] if each["message"] < len(named)]
    told = Counter((*named[each["message"]], each["node"], *list(each.values())[2:]) for each in deliveries)
    unclaimed = Counter((*each["message"], node["node"]) for node in found["nodes"] for each in node["unclaimed"])
    assert not stored - told and Counter(each[:3] for each in (told - stored).elements()) == unclaimed
    assert stored and unclaimed
    reports = Counter((each["node"], each["reason"], each["destination"]) for each in found["errors"])
    assert Counter((each["node"], each["reason"], each["destination"]) for each in header["errors"]) == reports
    assert bool(reports) == links_fail and bool(header["changes"]) == links_fail
    place = [name for name, _ in header["units"]].index("program")
    last = {node: values for _, node, unit, values in entries(events, "units") if unit == place}
    for entry in found["nodes"]:
        states = {0: "posted", 1: "started"}
        ends = (
            f"{block['name']} {states.get(block['flag'], block['status'])}"
            for block in entry["blocks"]
            if block["posted"] is not None
        )
        assert last.get(entry["node"], [""]) == [", ".join(ends)]


def fields_of(words):
    """Return source, kind and the words of the node interface of a packet that comes to a node."""
    _destination, source, *rest = words
    return source & CONFIG.nodes - 1, Kind(source >> 16 - PORT_BITS - KIND_BITS & (1 << KIND_BITS) - 1), rest


def number(words):
    """Return words as one number, the low word first."""
    return sum(word << 16 * place for place, word in enumerate(words))


@pytest.mark.parametrize("seed", [1, 2])
def test_packets_are_of_the_message_whose_bytes_they_have(capsys, tmp_path, seed):
    """By the words at the destination alone: source, envelope and bytes of messages; op and ticket of answers."""
    programs = crowded(seed)
    found, header, events = recorded(capsys, tmp_path, programs)
    steps = steps_that_send(programs)
    attempts, tickets, ops = defaultdict(list), {}, Counter()
    for _, node, message, words, *_ in entries(events, "eject"):
        source, kind, rest = fields_of(words)
        told = header["messages"][message]
        assert source == told["source"] and node in told["destinations"]
        if kind is not Kind.CONTROL:
            sender, step = steps[message]
            assert sender == source
            if kind is Kind.FIRST:
                envelope = unpack(ENVELOPE, number(rest[: CONFIG.prefix_words]))
                assert (envelope["type"], envelope["length"]) == (step.type, step.length)
                tickets[source, step.do == "broadcast", node, envelope["ticket"]] = told["what"]
                attempts[message, node].append(b"")
                rest = rest[CONFIG.prefix_words :]
            attempts[message, node][-1] += number(rest).to_bytes(2 * len(rest), "little")
            continue
        fields = unpack(CONTROL, number(rest))
        op = Op(fields["op"])
        ops[op.name] += 1
        if op is Op.REWIND and not fields["b"]:
            assert told["what"] == "REWIND"
        else:
            assert told["what"] == f"{op.name} of {tickets[node, bool(fields['b']), source, fields['ticket']]}"
    assert {"DONE", "POSTPONE"} <= {*ops} and sum(ops.values()) == len(header["messages"]) - len(steps)
    for (message, _node), sent in attempts.items():
        content = steps[message][1].content()
        padded = content + bytes(len(content) % 2)
        assert all(padded.startswith(each) for each in sent)
    for entry in found["nodes"]:
        for block in entry["blocks"]:
            if block.get("done") is not None and "message" in block:
                source, name = block["message"]
                message = [(node, step.name) for node, step in steps].index((source, name))
                assert len(steps[message][1].content()) <= max(map(len, attempts[message, entry["node"]]))


def test_packets_of_a_message_go_from_end_to_end(capsys, tmp_path):
    """As many as its bytes need leave the source and come to the destination; nodes between hand on all they get."""
    far = {"do": "send", "name": "far", "to": 3, "type": 1, "bytes": 200, "fill": 2}
    receive = {"do": "receive", "name": "r", "from": 0, "type": 1, "room": 200}
    programs = {"nodes": {"0": [far, {**far, "name": "twin"}], "3": [receive, {**receive, "name": "s"}]}}
    _, header, events = recorded(capsys, tmp_path, programs)
    packets = 1 + -(-(200 - CONFIG.first_bytes) // CONFIG.packet_bytes)
    assert [each["what"] for each in header["messages"][:2]] == ["send far", "send twin"] and packets > 3
    for place, message in enumerate(header["messages"]):
        balance, over = Counter(), 0
        for _, node, dimension, _lane, whose, *_ in entries(events, "links"):
            if whose == place:
                balance[node] += 1
                balance[node ^ 1 << dimension] -= 1
                over += 1
        count = packets if place < 2 else 1
        assert {node: left for node, left in balance.items() if left} == {
            message["source"]: count,
            message["destinations"][0]: -count,
        }
        assert over == 2 * count
        for kind, node in (("inject", message["source"]), ("eject", message["destinations"][0])):
            assert [each[1] for each in entries(events, kind) if each[2] == place] == [node] * count


def test_two_sides_that_differ_are_recorded(capsys, monkeypatch, tmp_path):
    """The page says so, and shows the cycles until then; a run that has not begun leaves nothing."""
    programs = {"nodes": {"0": [{"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 4, "fill": 0}]}}

    def differs(bench, config, **more):
        raise Mismatch("cycle 40\nirq", alone(bench, config, **more).collected)

    monkeypatch.setattr(program_simulation, "lockstep", differs)
    _, header, events = recorded(capsys, tmp_path / "one", programs)
    assert header["golden"] == "mismatch" and entries(events, "links")

    def fails(bench, config, **more):
        raise Mismatch("cycle 0\nirq", None)

    monkeypatch.setattr(program_simulation, "lockstep", fails)
    path = str(tmp_path / "one" / "p.json")
    command = ["simulate", "--dim", "2", "--router", "packet", "--programs", path, "--explore", str(tmp_path / "two")]
    assert main(command) == 1 and not [*tmp_path.glob("two/*")]
    capsys.readouterr()
