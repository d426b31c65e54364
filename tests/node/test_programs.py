"""Programs of nodes: what a file may hold, runs on the message-level model, and a judge that sees every broken rule."""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.algorithms.program_run import digest, run_programs
from cubecast.golden.node.algorithms.programs import Step, read_programs
from cubecast.golden.node.contract.block import Status
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.node.program_cases import random_programs

Result = dict[str, Any]

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=4, buffer_bytes=64, reserved=1)

PROGRAMS: Result = {
    "nodes": {
        "0": [
            {"do": "send", "name": "a", "to": 1, "type": 7, "bytes": 100, "fill": 3},
            {"do": "send", "name": "b", "to": 1, "type": 7, "data": "01020304"},
            {"do": "broadcast", "name": "c", "type": 0x8000, "bytes": 8},
            {"do": "wait", "for": ["a", "b"]},
            {"do": "compute", "clocks": 5},
        ],
        "1": [
            {"do": "receive", "name": "r", "from": 0, "type": 7, "room": 64},
            {"do": "receive", "name": "q", "from": "any", "type": "any", "room": "system"},
            {"do": "wait", "for": ["r"]},
            {"do": "read", "of": "r", "offset": 60, "bytes": 4},
            {"do": "wait", "for": ["q"]},
            {"do": "release", "name": "x", "of": "q"},
            {"do": "release", "name": "y", "of": "q"},
            {"do": "receive", "name": "z", "from": 1, "type": 7, "room": 4},
            {"do": "receive", "name": "w", "from": 2, "type": 9, "room": 4},
        ],
        "3": [
            {"do": "receive", "name": "s", "from": "any", "type": "any system", "room": 8},
            {"do": "wait", "for": ["s"]},
        ],
    }
}


def ran(seed: int = 0) -> tuple[tuple[tuple[Step, ...], ...], Result]:
    """Return the programs above and the result of a run."""
    programs = read_programs(PROGRAMS, CONFIG)
    return programs, run_programs(programs, CONFIG, seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_run_of_the_example(seed: int) -> None:
    """Truncated, lent and released, refused, unclaimed, still waiting: and nothing to say against it."""
    programs, result = ran(seed)
    assert judge(programs, CONFIG, result) == []
    blocks = {block["name"]: block for node in result["nodes"] for block in node["blocks"]}
    statuses = {name: (block["flag"], block["status"]) for name, block in blocks.items()}
    assert statuses == {
        **{name: (3, "OK") for name in "abcqxs"},
        "r": (3, "TRUNCATED"),
        "y": (3, "BAD_RELEASE"),
        "z": (3, "BAD_SOURCE"),
        "w": (0, "OK"),
    }
    content = bytes((3 + 31 * k + 17 * (k // 256)) % 256 for k in range(64))
    assert (blocks["r"]["message"], blocks["r"]["length"], blocks["r"]["digest"]) == ([0, "a"], 100, digest(content))
    assert result["nodes"][1]["reads"][0]["data"] == content[60:].hex()
    assert [entry["message"] for entry in result["nodes"][2]["unclaimed"]] == [[0, "c"]]


def run_random(seed: int, crowd: float = 0.0) -> Counter[str]:
    """Judge a random run, and return what has happened in it; ``crowd``: the share of sends that go to node 0."""
    generator = random.Random(seed)
    buffers = generator.choice((0, 1, 2, 16))
    config = NodeConfig(
        router=PacketConfig(dim=generator.choice((2, 2, 3))),
        buffers=buffers,
        buffer_bytes=64,
        reserved=generator.randint(0, min(1, buffers)),
        eager=generator.choice((1, 1, 2, 15)),
    )
    programs = read_programs(random_programs(seed, config.nodes, 8, crowd=crowd), config)
    result = run_programs(programs, config, seed)
    assert judge(programs, config, result) == [], seed
    nodes = result["nodes"]
    seen = Counter(block["status"] for node in nodes for block in node["blocks"])
    seen.update(interrupt["reason"] for node in nodes for interrupt in node["interrupts"])
    return seen


OPERANDS = ("BAD_LIST", "BAD_DESTINATION", "BAD_SOURCE", "BAD_TYPE", "BAD_LENGTH", "BAD_BUFFER", "BAD_RELEASE")


def test_random_programs_keep_all_rules() -> None:
    """With few buffers and many, legal steps and illegal ones; all statuses and interrupts of a sound network occur."""
    seen: Counter[str] = Counter()
    for seed in range(100):
        seen += run_random(seed)
    due = {"OK", "TRUNCATED", "NO_BUFFER", *OPERANDS, "BAD_OPERAND", "SYSTEM_MESSAGE"}
    assert due <= set(seen), due - set(seen)


def test_random_programs_keep_all_rules_where_most_send_to_one_node() -> None:
    """It receives most of all, and has no buffer left for some."""
    seen: Counter[str] = Counter()
    for seed in range(30):
        seen += run_random(seed, crowd=0.8)
    assert {"OK", "TRUNCATED", "NO_BUFFER", "SYSTEM_MESSAGE"} <= set(seen), seen


def test_a_read_of_a_message_that_is_arriving() -> None:
    """It is early in some orders of events, with an interrupt, and sees the bytes in others."""
    send = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 200, "fill": 9}
    receive = {"do": "receive", "name": "r", "from": 0, "type": 0, "room": 200}
    wait = {"do": "wait", "for": ["r"], "until": "started"}
    read = {"do": "read", "of": "r", "offset": 0, "bytes": 2}
    programs = read_programs({"nodes": {"0": [send], "1": [receive, wait, read]}}, CONFIG)
    config = NodeConfig(router=PacketConfig(dim=2), eager=1)
    seen = set()
    for seed in range(20):
        result = run_programs(programs, config, seed)
        assert judge(programs, config, result) == []
        node = result["nodes"][1]
        seen.add((node["reads"][0]["early"], node["reads"][0]["data"], len(node["interrupts"])))
    assert seen == {(True, "0000", 1), (False, "0928", 0)}


@pytest.mark.soak
def test_random_programs_keep_all_rules_at_length() -> None:
    """The same with other seeds."""
    for seed in range(100, 5000):
        run_random(seed)


def block(result: Result, name: str) -> Result:
    """Return what a result tells of a step."""
    found: Result = next(each for node in result["nodes"] for each in node["blocks"] if each["name"] == name)
    return found


def swap(result: Result) -> None:
    """Let the two receives of node 1 have each other's message."""
    one, other = block(result, "r"), block(result, "q")
    for key in ("message", "length", "digest"):
        one[key], other[key] = other[key], one[key]


def forget(result: Result, name: str, place: int) -> None:
    """Let a receive never have had its message."""
    for key in ("message", "matched", "source", "type", "length", "digest"):
        block(result, name).pop(key)
    block(result, name).update(flag=0, started=None, done=None)
    result["nodes"][place]["at"] = 1


def drop_unclaimed(result: Result) -> None:
    """Let node 2 postpone what it has a buffer for."""
    node = result["nodes"][2]
    node["unclaimed"].clear()
    node["buffers"]["free"] += 1
    node["interrupts"].clear()
    block(result, "c").update(flag=1, done=None, started=block(result, "c")["posted"])


BROKEN: dict[str, tuple[Callable[[Result], object], str]] = {
    "twin": (lambda r: r.update(golden="mismatch"), "golden is 'mismatch'"),
    "guard": (lambda r: r.update(guards="node 1, r"), "guards is"),
    "node": (lambda r: r["nodes"].pop(), "nodes are not all nodes"),
    "block": (lambda r: r["nodes"][0]["blocks"].pop(), "node 0: blocks are not those"),
    "status": (lambda r: block(r, "r").update(status="OK"), "r: status OK, not TRUNCATED"),
    "damaged": (lambda r: block(r, "a").update(status="DAMAGED"), "a: status DAMAGED, not OK"),
    "operand": (lambda r: block(r, "z").update(status="BAD_TYPE"), "z: status BAD_TYPE, not BAD_SOURCE"),
    "release": (lambda r: block(r, "y").update(status="OK"), "y: status OK, not BAD_RELEASE"),
    "flag": (lambda r: block(r, "b").update(flag=1), "b: flag 1 where 3 is due"),
    "times": (lambda r: block(r, "b").update(done=0), "b: posted, started and done are"),
    "kind of buffer": (lambda r: block(r, "q").update(buffer="user"), "q: buffer user"),
    "digest": (lambda r: block(r, "r").update(digest="0" * 16), "r: digest"),
    "length": (lambda r: block(r, "r").update(length=64), "r: length 64, not 100"),
    "source": (lambda r: block(r, "s").update(source=2), "s: source 2, not 0"),
    "type": (lambda r: block(r, "s").update(type=1), "s: type 1, not 32768"),
    "pattern": (lambda r: block(r, "s").update(message=[0, "a"]), "s: has .* which does not fit"),
    "twice": (lambda r: r["nodes"][2]["unclaimed"].extend(r["nodes"][2]["unclaimed"][:]), "there twice"),
    "foreign": (lambda r: r["nodes"][2]["unclaimed"][0].update(message=[0, "a"]), "was not sent here"),
    "before it was sent": (lambda r: block(r, "q").update(matched=0), "q: matched 0"),
    "order of messages": (swap, r"q: has a|r: has b, and a was sent before \(O1\)"),
    "order of receives": (lambda r: forget(r, "r", 1), r"q: has b, and r is older \(O2\)"),
    "apart": (lambda r: forget(r, "s", 3), r"s: apart from c of node 0 \(O3\)"),
    "never comes": (lambda r: block(r, "s").update(flag=0, done=None, started=None), "s: c of node 0 never comes"),
    "flag of a send": (lambda r: forget(r, "s", 3), "c: flag 3, stored everywhere: False"),
    "waits beside a buffer": (drop_unclaimed, "node 2: c of node 0 waits, and a buffer is free"),
    "lost buffer": (lambda r: r["nodes"][3]["buffers"].update(free=1, least_free=1), "node 3: buffers"),
    "lent buffer": (lambda r: r["nodes"][1]["buffers"].update(lent=1), "1 buffers are lent where 0 are due"),
    "least": (lambda r: r["nodes"][0]["buffers"].update(least_free=9), "node 0: buffers"),
    "interrupt": (lambda r: r["nodes"][2]["interrupts"].clear(), r"0 too many|\[\] too many, \[\('SYSTEM"),
    "two interrupts": (lambda r: r["nodes"][1]["interrupts"].extend(r["nodes"][1]["interrupts"][:1]), r"\[\('.* too"),
    "early interrupt": (
        lambda r: r["nodes"][1]["interrupts"].append({"clock": 1, "reason": "EARLY_READ", "index": 3}),
        r"EARLY_READ for steps \[3\], early reads are \[\]",
    ),
    "early read": (lambda r: r["nodes"][1]["reads"][0].update(early=True), "read 3 is early"),
    "read": (lambda r: r["nodes"][1]["reads"][0].update(data="00000000"), "read 3 sees 00000000, not"),
    "no read": (lambda r: r["nodes"][1]["reads"].clear(), r"reads \[\], not \[3\]"),
    "stands": (lambda r: r["nodes"][0].update(at=3), "step 3 waits for what has come"),
    "stands at no wait": (lambda r: r["nodes"][0].update(at=4), "stands at step 4, which is no wait"),
    "goes on": (lambda r: block(r, "q").update(flag=0, done=None), "step 4 waits for what has not come"),
    "posted": (lambda r: block(r, "c").update(posted=None), "c: posted None, and the program is at 5"),
    "posted too early": (lambda r: block(r, "x").update(posted=1), "x: posted 1, before what it comes after"),
}
"""What is changed in a right result, and what is to be said of it."""


@pytest.mark.parametrize("name", BROKEN)
def test_the_judge_sees_each_broken_rule(name: str) -> None:
    """One change each, in a result that was right."""
    programs, result = ran()
    broken = copy.deepcopy(result)
    change, message = BROKEN[name]
    change(broken)
    lines = judge(programs, CONFIG, broken)
    assert any(re.search(message, line) for line in lines), lines


def test_only_what_has_happened_is_judged_before_all_is_quiet() -> None:
    """A message that is still under way is no fault then."""
    programs, result = ran()
    forget(result, "s", 3)
    assert judge(programs, CONFIG, result)
    assert judge(programs, CONFIG, result | {"quiet": False}) == []


def test_reads_of_a_damaged_message_are_not_judged_where_links_are_cut() -> None:
    """Any part of it may be missing."""
    programs, result = ran()
    damaged = copy.deepcopy(result)
    (read,) = damaged["nodes"][1]["reads"]
    block(damaged, programs[1][programs[1][read["index"]].steps[0]].name).update(status="DAMAGED")
    read.update(data="00000000")
    assert any("read 3 sees" in line for line in judge(programs, CONFIG, damaged))
    damaged["config"]["faults"] = [0]
    assert judge(programs, CONFIG, damaged) == []


def test_every_status_that_operands_can_have_is_in_the_contract() -> None:
    """The names in results are those of the statuses."""
    assert set(OPERANDS) <= {status.name for status in Status}


SEND = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 4}
RECEIVE = {"do": "receive", "name": "r", "from": 1, "type": 0, "room": 8}
WAIT = {"do": "wait", "for": ["r"]}

NAME = "must be a text of printable characters that no step of the node before has"

WRONG: list[tuple[object, str]] = [
    ([], "programs must be an object, not []"),
    ({}, "nodes must be an object of programs, not None"),
    ({"nodes": {}, "n": 1}, "programs must have no fields but nodes, not 'n'"),
    ({"nodes": {"x": []}}, "nodes must have numbers of nodes for keys, not 'x'"),
    ({"nodes": {"9" * 5000: []}}, "nodes must have numbers of nodes for keys, not '999"),
    ({"nodes": {"4": []}}, "nodes: key must be an integer from 0 to 3, not 4"),
    ({"nodes": {"0": 1}}, "nodes.0 must be a list of steps, not 1"),
    ([1], "nodes.0[0] must be an object, not 1"),
    (
        [{"do": "fly"}],
        "nodes.0[0].do must be one of send, broadcast, neighbours, receive, release, wait, compute, read, fault",
    ),
    ([SEND | {"x": 1}], "nodes.0[0] must have no fields but do, name, to, type, data, bytes, fill, misplaced, not 'x'"),
    ([{"do": "send", "name": "a"}], "nodes.0[0].to must be given"),
    ([SEND, SEND], f"nodes.0[1].name {NAME}, not 'a'"),
    *(
        ([SEND | {"name": each}], f"nodes.0[0].name {NAME}, not {each!r}")
        for each in ("", "a\nb", "\x1b[31m", "\ud800")
    ),
    ([SEND | {"to": -1}], "nodes.0[0].to must be an integer from 0 to 4294967295, not -1"),
    ([SEND | {"to": True}], "nodes.0[0].to must be an integer from 0 to 4294967295, not True"),
    ([SEND | {"fill": 256}], "nodes.0[0].fill must be an integer from 0 to 255, not 256"),
    ([SEND | {"data": "00"}], "nodes.0[0].bytes must not be given with data"),
    ([{key: SEND[key] for key in ("do", "name", "to", "type")}], "nodes.0[0].data or bytes must be given"),
    (
        [{"do": "broadcast", "name": "a", "type": 0, "data": "0x"}],
        "nodes.0[0].data must be pairs of hex digits, not '0x'",
    ),
    ([SEND | {"misplaced": 1}], "nodes.0[0].misplaced must be true or false, not 1"),
    ([SEND | {"do": "neighbours"}], "nodes.0[0].to must be a list of 0 to 64 nodes, not 1"),
    ([RECEIVE | {"from": "all"}], "nodes.0[0].from must be an integer from 0 to 4294967295, or 'any', not 'all'"),
    (
        [RECEIVE | {"type": None}],
        "nodes.0[0].type must be an integer from 0 to 4294967295, or 'any', 'any system', not",
    ),
    ([RECEIVE | {"room": -1}], "nodes.0[0].room must be an integer from 0 to 4294967295, or 'system', not -1"),
    (
        [RECEIVE | {"room": "system", "misplaced": True}],
        "nodes.0[0].misplaced must not be true with a system buffer",
    ),
    ([WAIT], "nodes.0[0].for must have names of steps of the node before it, not 'r'"),
    ([RECEIVE, WAIT | {"for": []}], "nodes.0[1].for must be a list of names, not []"),
    ([RECEIVE, WAIT | {"until": "now"}], "nodes.0[1].until must be one of done, started, not 'now'"),
    (
        [RECEIVE, WAIT | {"until": "started"}, {"do": "release", "name": "x", "of": "r"}],
        "nodes.0[2].of must be a receive that was waited for until done, not 'r'",
    ),
    ([SEND, {"do": "release", "name": "x", "of": "a"}], "nodes.0[1].of must be a receive that was waited for until"),
    (
        [RECEIVE, {"do": "read", "of": "r", "offset": 0, "bytes": 4}],
        "nodes.0[1].of must be a receive that was waited for, not 'r'",
    ),
    (
        [RECEIVE, WAIT, {"do": "read", "of": "r", "offset": 0, "bytes": 3}],
        "nodes.0[2].bytes must be one of 1, 2, 4, not 3",
    ),
    (
        [RECEIVE, WAIT, {"do": "read", "of": "r", "offset": 6, "bytes": 4}],
        "nodes.0[2].offset must be a multiple of 4 inside the 8 bytes of room, not 6",
    ),
    ([{"do": "compute", "clocks": -1}], "nodes.0[0].clocks must be an integer from 0 to 1000000000, not -1"),
    ([{"do": "fault", "dimensions": 1}], "nodes.0[0].dimensions must be a list of 0 to 2 dimensions, not 1"),
    (
        [{"do": "fault", "dimensions": [0, 2]}],
        "nodes.0[0].dimensions[1] must be an integer from 0 to 1, not 2",
    ),
    (
        [{"do": "fault", "dimensions": [1, 1]}],
        "nodes.0[0].dimensions[1] must be another than those before, not 1",
    ),
    ([SEND | {"type": "x" * 100}], "nodes.0[0].type must be an integer from 0 to 4294967295, not 'xxx"),
]


@pytest.mark.parametrize(("value", "message"), WRONG, ids=[message[:60] for _, message in WRONG])
def test_a_wrong_file_is_told_in_one_line(value: object, message: str) -> None:
    """The field, what is allowed, and the value."""
    if isinstance(value, list) and value:
        value = {"nodes": {"0": value}}
    with pytest.raises(ValueError) as caught:
        read_programs(value, CONFIG)
    text = str(caught.value)
    assert text.startswith(message) and "\n" not in text and len(text) < 200


def test_words_of_a_block() -> None:
    """ANY is bit 16 of a word, beside the class of types; numbers reach the hardware as they are."""
    steps = read_programs(
        {
            "nodes": {
                "2": [
                    RECEIVE | {"from": "any", "type": "any"},
                    RECEIVE | {"name": "s", "from": 0x10001, "type": "any system", "room": "system"},
                ]
            }
        },
        CONFIG,
    )[2]
    assert [(step.partner, step.type, step.room) for step in steps] == [(0x10000, 0x10000, 8), (0x10001, 0x18000, None)]
