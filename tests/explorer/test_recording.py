"""Recordings: they tell what the run's own result tells, and what is no recording is refused in one line."""

import json
import random
from collections import Counter, defaultdict

import pytest

from cubecast.cli import main
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from tests.cli import playing
from tests.explorer.explored import record


def entries(events, kind):
    """Return all entries of a kind, each with its cycle before it."""
    return [(event["cycle"], *entry) for event in events for entry in event.get(kind, ())]


def times(cycle, words, offsets=None):
    """Return the cycles in which the words of a run move."""
    return [cycle + offset for offset in offsets or range(len(words))]


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_a_recording_tells_what_the_result_tells(tmp_path, stall):
    """Words, messages and waits of every link are the registers' counts; deliveries word by word; every report."""
    source = random.Random(5)
    config = Config(dim=3, max_dest=3)
    values = playing.random_values(source, config, 30, 5, 99, config.max_list)
    faults = [6]
    values = [value for value in values if value["source"] not in faults]
    found, header, events = record(tmp_path, config, values, faults, stall=stall)
    assert header["deliveries"] == [{k: v for k, v in each.items() if k != "data"} for each in found["deliveries"]]
    words, runs, waiting = Counter(), Counter(), defaultdict(set)
    for cycle, node, dimension, _lane, _message, sent, *offsets in entries(events, "links"):
        link = node, node ^ 1 << dimension
        words[link] += len(sent)
        runs[link] += 1
        assert len(set(times(cycle, sent, *offsets))) == len(sent)
    for cycle, node, _unit, port, _message, _why, _by, count in entries(events, "waits"):
        waiting[node, port].update(range(cycle, cycle + count))
    for link in found["links"]:
        ends, dimension = (link["from"], link["to"]), (link["from"] ^ link["to"]).bit_length() - 1
        waited = len(waiting[link["from"], dimension])
        assert (words[ends], runs[ends], waited) == (link["words"], link["messages"], link["waited"]), link
    assert sum(link["waited"] for link in found["links"]) > 0
    ejected = [
        (message, node, cycle, times(cycle, sent, *offsets)[-1], sent[1:])
        for cycle, node, message, sent, *offsets in entries(events, "eject")
    ]
    delivered = [(d["message"], d["node"], d["first_cycle"], d["last_cycle"], d["data"]) for d in found["deliveries"]]
    assert sorted(ejected) == sorted(delivered)
    injected = {message: cycle for cycle, _node, message, *_ in entries(events, "inject")}
    assert injected == {each["message"]: each["start_cycle"] for each in found["messages"]}
    reported = {(node, message, reason) for _, node, message, reason, _ in entries(events, "reports")}
    told = {(each["node"], each["message"], each["reason"]) for each in found["errors"]}
    assert told <= reported and {reason for *_, reason in told} == {"UNDELIVERABLE"}


@pytest.mark.parametrize(
    "config",
    [
        CrosspointConfig(dim=3),
        CrosspointConfig(dim=3, link_regs=1),
        PacketConfig(dim=3),
        PacketConfig(dim=3, rows=4, routing="fixed"),
        PacketConfig(dim=3, rows=2, link="serial"),
    ],
    ids=["crosspoint", "crosspoint with link registers", "packet", "packet fixed", "packet serial"],
)
def test_recordings_of_packets_tell_what_the_result_tells(tmp_path, config):
    """Words, packets and waits of every link are the registers' counts; every message is where the result says."""
    source = random.Random(6)
    values = []
    for index in range(40):
        node = source.randrange(8)
        nodes = source.sample([other for other in range(8) if other != node], source.randint(1, 3))
        values.append({"source": node, "destinations": nodes, "data": [index] * source.randint(1, 9)})
    found, _, events = record(tmp_path, config, values, stall=0.4)
    words, runs, waiting, crossed = Counter(), Counter(), defaultdict(set), defaultdict(set)
    for _, node, dimension, _lane, message, sent, *_offsets in entries(events, "links"):
        link = node, node ^ 1 << dimension
        words[link] += len(sent)
        runs[link] += 1
        crossed[message].add(link)
    for cycle, node, _unit, port, message, _why, by, count in entries(events, "waits"):
        waiting[node, port].update(range(cycle, cycle + count))
        assert message >= 0 and by < len(values)
    for link in found["links"]:
        ends, dimension = (link["from"], link["to"]), (link["from"] ^ link["to"]).bit_length() - 1
        waited = len(waiting[link["from"], dimension])
        assert (words[ends], runs[ends], waited) == (link["words"], link["packets"], link["waited"]), link
    assert sum(link["waited"] for link in found["links"]) > 0
    ejected = defaultdict(list)
    for cycle, node, message, sent, *offsets in entries(events, "eject"):
        ejected[message, node] += times(cycle, sent, *offsets)
    delivered = {(d["message"], d["node"]): (d["first_cycle"], d["last_cycle"]) for d in found["deliveries"]}
    assert {place: (min(cycles), max(cycles)) for place, cycles in ejected.items()} == delivered
    for message, node in delivered:
        assert any(link[1] == node for link in crossed[message])
    injected = {}
    for cycle, _node, message, *_ in entries(events, "inject"):
        injected.setdefault(message, cycle)
    assert injected == {each["message"]: each["start_cycle"] for each in found["messages"]}
    last = {(node, unit): fields for _, node, unit, fields in entries(events, "units")}
    assert last and not any(last.values())


def test_words_of_a_serial_link_come_bit_by_bit(tmp_path):
    """As far apart as they have bits, in the order of the packet; the serializer holds it from its first bit on."""
    config = PacketConfig(dim=3, link="serial")
    sent = [{"source": 0, "destinations": [3], "data": [5, 6, 7]}, {"source": 4, "destinations": [5], "data": [8]}]
    _, header, events = record(tmp_path, config, sent)
    units = [name for name, _ in header["units"]]
    runs = entries(events, "links")
    assert sorted((e[1], e[1] ^ 1 << e[2], e[4]) for e in runs) == [(0, 1, 0), (1, 3, 0), (4, 5, 1)]
    for cycle, node, j, _, message, words, offsets in runs:
        # Destination in the head, source word, length of the message, data; 1 and 0 begin each word.
        data = sent[message]["data"]
        assert words[0] % 2**16 == sent[message]["destinations"][0] and words[2:] == [len(data), *data]
        assert offsets == [place * (config.width + 2) for place in range(len(words))]
        place = node, units.index(f"serializer {j}")
        held = [(at, values) for at, *where, values in entries(events, "units") if (*where,) == place]
        first = cycle - config.head_bits - 1
        assert held == [(first, ["head", message]), (cycle + 1, ["word", message]), (cycle + offsets[-1] + 1, [])]


@pytest.mark.soak
def test_serial_links_of_the_rtl_network(capsys, tmp_path):
    """What is read from its wires is what is read from those of the golden network."""
    sent = [{"source": 0, "destinations": [3, 1], "data": [5, 6, 7]}, {"source": 2, "broadcast": True, "data": [8]}]
    (tmp_path / "m.json").write_text(json.dumps(sent))
    given = ["--dim", "2", "--router", "packet", "--link", "serial", "--messages", str(tmp_path / "m.json")]
    assert main(["simulate", *given, "--explore", str(tmp_path / "rtl")]) == 0
    header, *events = map(json.loads, (tmp_path / "rtl" / "recording.jsonl").read_text().splitlines())
    assert header["golden"] == "match"
    assert events == record(tmp_path / "golden", PacketConfig(dim=2, link="serial"), sent)[2]
    capsys.readouterr()


def test_units_hold_a_message_from_its_arrival_until_they_are_free(tmp_path):
    """A copy that crosses a link is in the unit of its lane from the next cycle on; in the end all units are empty."""
    config = Config(dim=3)
    values = [{"source": 0, "destinations": [7, 3], "data": [5]}, {"source": 1, "broadcast": True}]
    _, header, events = record(tmp_path, config, values)
    held = {}
    for cycle, node, unit, fields in entries(events, "units"):
        held.setdefault((node, unit), []).append((cycle, fields))
    for cycle, node, dimension, lane, message, *_ in entries(events, "links"):
        unit = dimension * config.lanes + lane
        assert header["units"][unit] == [f"channel {dimension}, lane {lane}", "message handling unit"]
        assert (cycle + 1, message) in [(at, fields[1]) for at, fields in held[node ^ 1 << dimension, unit] if fields]
    assert all(changes[-1][1] == [] for changes in held.values())
    assert header["ring"] == []


def test_a_deadlock_is_a_ring_of_waits_that_do_not_end(tmp_path):
    """Every buffer of the ring holds a message that waits till the end for that of the next one."""
    config = Config(dim=3, lanes=1)
    values = [
        {"source": 1, "destinations": [4, 6], "data": [16]},
        {"source": 3, "destinations": [4], "data": [48]},
        {"source": 5, "destinations": [2], "data": [80]},
        {"source": 6, "destinations": [2, 0], "data": [96]},
    ]
    _, header, events = record(tmp_path, config, values)
    end = max(cycle + wait[-1] for cycle, *wait in entries(events, "waits"))
    last = {
        (node, unit): (message, by)
        for cycle, node, unit, _, message, _, by, count in entries(events, "waits")
        if cycle + count == end
    }
    ring = [tuple(place) for place in header["ring"]]
    assert len(ring) == 4
    for place, following in zip(ring, [*ring[1:], ring[0]], strict=True):
        assert last[place][1] == last[following][0]


def test_data_words_are_told_where_all_copies_have_as_many(tmp_path):
    """Not of a message that is cut off on its way, by a link that fails or for its length."""
    config = Config(dim=2, max_data=16)
    values = [
        {"source": 0, "destinations": [1], "data": [*range(12)]},
        {"source": 2, "destinations": [3, 0], "data": [1, 2]},
        {"source": 3, "raw": [1, 2, 0, *range(20)]},
        {"source": 1, "broadcast": True, "data": [7]},
        {"cycle": 8, "node": 1, "fault": [0]},
    ]
    found, header, events = record(tmp_path, config, values)
    assert {1, 2} == {len(each["data"]) for each in found["deliveries"] if not each["error"]}
    assert [message["data_words"] for message in header["messages"]] == [None, 2, None, 1]
    for _, _, _, _, place, words, *_ in entries(events, "links"):
        if (data := header["messages"][place]["data_words"]) is not None:
            listed = 0 if words[0] == config.broadcast_k else words[0]
            assert len(words) - data == 2 + listed


def test_a_saved_recording_makes_the_same_page(tmp_path, capsys):
    """``cubecast explore`` writes what the run wrote."""
    record(tmp_path / "a", Config(dim=2), [{"source": 0, "destinations": [3]}])
    assert main(["explore", str(tmp_path / "a" / "recording.jsonl"), "-o", str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/b/index.html\n"
    assert (tmp_path / "b" / "index.html").read_bytes() == (tmp_path / "a" / "index.html").read_bytes()


HEADER = {"format": "cubecast recording", "version": 1, "dim": 2, "cycles": 1, "kinds": {"u": ["a"], "v": ["messages"]}}
HEADER |= {name: [] for name in ("messages", "deliveries", "links", "errors", "faults", "ring")}
HEADER |= {"units": [["x", "u"], ["y", "u"], ["z", "v"]]}
MESSAGE = {"message": 0, "source": 0, "destinations": [1], "start_cycle": None}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "must have a header, not be empty"),
        (
            [{"format": "cubecast recording"}, "{"],
            ", line 1, must be of format 'cubecast recording', version 1, not 'cubecast recording', None",
        ),
        ([HEADER, "{"], ", line 2, must be a JSON object, not '{'"),
        (
            [HEADER, '{"cycle": 3, "cycle": 4}'],
            ", line 2, must be JSON that can be read: 'cycle' is there twice in one object",
        ),
        ([{"format": "x"}], ", line 1, must be of format 'cubecast recording', version 1, not 'x', None"),
        ([HEADER | {"dim": 11}], ", line 1: dim must be an integer from 2 to 10, not 11"),
        ([HEADER | {"cycles": -1}], ", line 1: cycles must be an integer from 0 to 1000000000, not -1"),
        ([HEADER | {"links": 3}], ", line 1: links must be a list, not 3"),
        *(
            (
                [HEADER | {"units": [["x", kind]]}],
                ", line 1: units must be lists of a name and one of kinds, which names its fields",
            )
            for kind in ("w", [], {})
        ),
        (
            [HEADER | {"messages": [{}]}],
            ", line 1: messages[0] must be an object with destinations, message, source, start_cycle, not {}",
        ),
        (
            [HEADER | {"deliveries": [None]}],
            ", line 1: deliveries[0] must be an object with first_cycle, last_cycle, message, node, not None",
        ),
        ([HEADER | {"links": [{"to": 0}]}], ", line 1: links[0] must be an object with from, to, not {'to': 0}"),
        *(
            (
                [HEADER | {field: [value]}],
                f", line 1: {field}[0].{part} must be as docs/explorer.md describes it, not {value[part]!r}",
            )
            for field, part, value in (
                ("messages", "source", MESSAGE | {"source": 4}),
                ("messages", "destinations", MESSAGE | {"destinations": 1}),
                ("errors", "reason", {"node": 0, "reason": 1}),
                ("changes", "node", {"cycle": 0, "node": 4, "vector": 1}),
            )
        ),
        ([HEADER | {"changes": 1}], ", line 1: changes must be a list, not 1"),
        ([HEADER | {"faults": [4]}], ", line 1: faults must be addresses of nodes, not [4]"),
        ([HEADER | {"ring": [[0, 3]]}], ", line 1: ring must be pairs of a node and one of units, not [[0, 3]]"),
        (
            [HEADER | {"arbiters": [["a", 3]]}],
            ", line 1: arbiters must be lists of a name and a port, an integer from 0 to 2 or null, not [['a', 3]]",
        ),
        *(
            (
                [HEADER | {"arbiters": [["a", None]]}, {"cycle": 3, "arbiters": [entry]}],
                f", line 2: arbiters[0] must be an entry as docs/explorer.md describes it, not {entry}",
            )
            for entry in ([0, 1, [0]], [4, 0, [0]], [0, 0, [3]], [0, 0, 0])
        ),
        ([HEADER | {"lines": 2}, {"cycle": 3}], "must have 2 lines behind line 1, not 1"),
        ([HEADER, {"cycle": 3}, {"cycle": 3}], ", line 3: cycle must be above 3, not 3"),
        (
            [HEADER, {"cycle": 3, "word": []}],
            ", line 2: events must be lists of links, inject, eject, units, arbiters, waits, reports, not 'word'",
        ),
        (
            [HEADER, {"cycle": 3, "links": [[4, 0, 0, 0, [1]]]}],
            ", line 2: links[0] must be an entry as docs/explorer.md describes it, not [4, 0, 0, 0, [1]]",
        ),
        *(
            (
                [HEADER, {"cycle": 3, kind: [entry]}],
                f", line 2: {kind}[0] must be an entry as docs/explorer.md describes it, not {entry}",
            )
            for kind, entry in (
                ("units", [0, 3, []]),
                ("units", [0, 0, [1, 2]]),
                ("units", [0, 2, [1]]),
                ("links", [0, 0, 0, -1, [1, 2], [0]]),
                ("eject", [0, -1, [1], [0, 1]]),
            )
        ),
        ([HEADER, {"cycle": 10**9 + 1}], ", line 2: cycle must be at most 1000000000, not 1000000001"),
        *(
            ([HEADER, f'{{"cycle": {name}}}'], f", line 2, must be JSON that can be read: {name} is no number of JSON")
            for name in ("NaN", "-Infinity")
        ),
        (
            [HEADER, '{"cycle": 1}\f{"cycle": 2}'],
            ', line 2, must be a JSON object, not \'{"cycle": 1}\\x0c{"cycle": 2}\'',
        ),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path, capsys, monkeypatch, lines, told):
    """In one line that names the line, the field and its value; nothing is written."""
    monkeypatch.chdir(tmp_path)
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (tmp_path / "r.jsonl").write_text("".join(f"{line}\n" for line in text))
    assert main(["explore", "r.jsonl", "-o", "out"]) == 2
    glue = "" if told.startswith(",") else " "
    assert capsys.readouterr() == ("", f"cubecast explore: recording 'r.jsonl'{glue}{told}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.jsonl", "-o", "out"], "file 'nothing.jsonl' must be one that can be read: No such file"),
        (
            ["m.json", "-o", "m.json"],
            "file 'm.json' must be a recording, or the result of a command with --json, not '[]'",
        ),
        (
            ["twice.json", "-o", "out"],
            "file 'twice.json' must be JSON that can be read: 'run' is there twice in one object",
        ),
    ],
)
def test_bad_usage_is_one_line(tmp_path, capsys, monkeypatch, arguments, told):
    """A file that is not there, or is something else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text("[]")
    (tmp_path / "twice.json").write_text('{"run": 1, "run": 2}')
    assert main(["explore", *arguments]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1) and error.startswith(f"cubecast explore: {told}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--explore", "m.json"], "folder 'm.json' must be one that can be written: File exists"),
        (["--explore", ""], "argument --explore: must be the name of a folder, not ''"),
    ],
)
def test_a_run_that_cannot_be_recorded_is_refused(tmp_path, capsys, monkeypatch, arguments, told):
    """Before anything is built."""
    run = ["--dim", "2", "--messages", "m.json", "--explore", "out", *arguments]
    playing.refuses(capsys, tmp_path, monkeypatch, run, told)
    assert not (tmp_path / "out").exists()
