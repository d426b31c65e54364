"""Message files: what they may hold, and the one line that says what is wrong."""

import json
from pathlib import Path

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.options import inputs
from cubecast.options.usage import UsageError
from cubecast.systems.messages import load
from cubecast.systems.multicast.messages import parse

CONFIG = Config(dim=3, max_dest=2, max_list=4, max_data=3, width=8)
NONE = frozenset()


def test_every_kind_of_message():
    """Words as the processor injects them, and who has to get them."""
    values = [
        {"source": 1, "destinations": [7, 2, 7], "data": [5, 255], "cycle": 9},
        {"source": 2, "destinations": [0]},
        {"source": 3, "broadcast": True, "data": [1]},
        {"source": 4, "raw": [0, 255]},
    ]
    (listed, unicast, broadcast, raw), events = parse(values, CONFIG, frozenset([6]))
    assert events == []
    assert (listed.words, listed.expected, listed.cycle) == ((3, 7, 2, 7, 7, 5, 255), (2, 7), 9)
    assert (unicast.words, unicast.expected, unicast.cycle) == ((1, 0, 0), (0,), 0)
    assert (broadcast.words, broadcast.expected) == ((7, 7, 1), (0, 1, 2, 4, 5, 7))
    assert (raw.words, raw.expected, raw.raw) == ((0, 255), (), True)


GOOD = {"source": 1, "destinations": [2]}
EVENT = {"cycle": 4, "node": 7, "fault": [2, 0, 2]}


def test_events_stand_among_messages():
    """Both keep their place in the file."""
    (first, second), (event, repair) = parse([GOOD, EVENT, GOOD, EVENT | {"fault": []}], CONFIG, NONE)
    assert (first.index, second.index) == (0, 2)
    assert (event.index, event.cycle, event.node, event.vector) == (1, 4, 7, 0b101)
    assert (repair.index, repair.vector) == (3, 0)


def test_events_need_a_fault_vector():
    """Which only the fault-tolerant format has."""
    with pytest.raises(UsageError, match="must not be given without a fault vector"):
        parse([EVENT], Config(dim=3, fault_tolerant=False), NONE)


ERRORS = [
    ([{"node": 1, "fault": []}], "messages[0].cycle must be given"),
    ([{"cycle": 1, "fault": []}], "messages[0].node must be given"),
    ([{"cycle": 1, "node": 0}], "messages[0].fault must be given"),
    ([EVENT | {"node": 8}], "messages[0].node must be an integer from 0 to 7, not 8"),
    ([EVENT | {"fault": [3]}], "messages[0].fault[0] must be an integer from 0 to 2, not 3"),
    ([EVENT | {"fault": 1}], "messages[0].fault must be a list of dimensions, not 1"),
    ([EVENT | {"fault": [0, 1, 2, 0]}], "messages[0].fault must hold 0 to 3 dimensions, not 4"),
    ([EVENT | {"cycle": -1}], "messages[0].cycle must be an integer from 0 to 1000000000, not -1"),
    ([EVENT | {"source": 1}], "messages[0] must have no fields but cycle, node, fault, not 'source'"),
    ({}, "messages must be a list of objects, not {}"),
    ([GOOD, 3], "messages[1] must be an object, not 3"),
    ([{"source": 1}], "messages[0] must have exactly one of destinations, broadcast and raw, not none"),
    (
        [GOOD | {"raw": [1]}],
        "messages[0] must have exactly one of destinations, broadcast and raw, not destinations and raw",
    ),
    (
        [GOOD | {"payload": []}],
        "messages[0] must have no fields but source, destinations, broadcast, raw, data, cycle, not 'payload'",
    ),
    ([{"destinations": [1]}], "messages[0].source must be given"),
    ([GOOD, GOOD, GOOD | {"source": 8}], "messages[2].source must be an integer from 0 to 7, not 8"),
    ([GOOD | {"source": True}], "messages[0].source must be an integer from 0 to 7, not True"),
    ([GOOD | {"source": 1.0}], "messages[0].source must be an integer from 0 to 7, not 1.0"),
    ([GOOD | {"source": 6}], "messages[0].source must be a fault-free node, not 6"),
    ([GOOD | {"destinations": 3}], "messages[0].destinations must be a list of addresses, not 3"),
    ([GOOD | {"destinations": "12"}], "messages[0].destinations must be a list of addresses, not '12'"),
    ([GOOD | {"destinations": []}], "messages[0].destinations must hold 1 to 4 addresses, not 0"),
    ([GOOD | {"destinations": [0] * 5}], "messages[0].destinations must hold 1 to 4 addresses, not 5"),
    ([GOOD | {"destinations": [0, -1]}], "messages[0].destinations[1] must be an integer from 0 to 7, not -1"),
    ([{"source": 1, "broadcast": False}], "messages[0].broadcast must be true, not False"),
    ([{"source": 1, "broadcast": 1}], "messages[0].broadcast must be true, not 1"),
    ([GOOD | {"data": [1, 2, 3, 4]}], "messages[0].data must hold 0 to 3 words, not 4"),
    ([GOOD | {"data": [256]}], "messages[0].data[0] must be an integer from 0 to 255, not 256"),
    ([GOOD | {"cycle": -1}], "messages[0].cycle must be an integer from 0 to 1000000000, not -1"),
    ([{"source": 1, "raw": []}], "messages[0].raw must hold 1 to 100000 words, not 0"),
    ([{"source": 1, "raw": [256]}], "messages[0].raw[0] must be an integer from 0 to 255, not 256"),
    (
        [{"source": 1, "raw": [1], "data": [1]}],
        "messages[0].data must not be given with raw, which holds all words",
    ),
]


@pytest.mark.parametrize(("values", "line"), ERRORS, ids=[line[:48] for _, line in ERRORS])
def test_errors_name_message_field_value_and_range(values, line):
    """Exactly this line."""
    with pytest.raises(UsageError) as caught:
        parse(values, CONFIG, frozenset([6]))
    assert str(caught.value) == line


def test_files_that_cannot_be_read(tmp_path):
    """Missing, a folder, no text, no JSON, nested too deep, a field twice: one line each, with the name of the file."""
    bad = {
        "binary": b"\xff\xfe\x00",
        "cut": b'[{"source": 1,',
        "deep": b"[" * 100_000,
        "huge": b"[" + b"9" * 9000 + b"]",
        "twice": b'[{"source": 1, "source": 2, "destinations": [3]}]',
    }
    paths = [tmp_path / "missing.json", tmp_path]
    for name, content in bad.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(content)
        paths.append(path)
    for path in paths:
        with pytest.raises(UsageError, match="messages file ") as caught:
            parse(load(path), CONFIG, NONE)
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_never_ends_is_refused(monkeypatch):
    """It is read up to a limit, which is told."""
    monkeypatch.setattr(inputs, "MOST_TEXT", 1000)
    with pytest.raises(UsageError) as caught:
        load(Path("/dev/zero"))
    assert str(caught.value) == "messages file '/dev/zero' must be of at most 1,000 characters, not longer"


def test_position_of_a_syntax_error(tmp_path):
    """Line and column are given."""
    path = tmp_path / "messages.json"
    path.write_text('[\n  {"source": 1 "raw": [1]}\n]')
    with pytest.raises(UsageError, match="line 2 column 16"):
        parse(load(path), CONFIG, NONE)


def test_file_is_read(tmp_path):
    """The same as parsing its content."""
    path = tmp_path / "messages.json"
    path.write_text(json.dumps([GOOD]))
    assert parse(load(path), CONFIG, NONE) == parse([GOOD], CONFIG, NONE)
