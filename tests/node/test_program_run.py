"""Processors, memories and what is told of programs, around a network in which the message-level model moves messages.

Every result is judged by the judge that knows the rules alone.
"""

import contextlib
import random
from collections import Counter
from types import SimpleNamespace

import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.contract.block import Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.node.follower import Follower, Message, follow
from cubecast.tb.node.layout import FIRST, Layout, guard
from cubecast.tb.node.node_memory import NodeMemory
from cubecast.tb.node.playback import Playback, stimulus
from cubecast.tb.node.program_cases import random_programs
from cubecast.tb.node.program_run import ProgramRun
from tests.node.stand_in import StandIn, play
from tests.node.test_programs import CONFIG, OPERANDS, PROGRAMS

SEND = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 200, "fill": 9}
RECEIVE = {"do": "receive", "name": "r", "from": 0, "type": 0, "room": 200}
WAIT = {"do": "wait", "for": ["r"]}


def started(**settings):
    """Return a run of the example of the judge, with these settings."""
    return ProgramRun(random.Random(1), CONFIG, PROGRAMS, **settings)


def test_the_example_of_the_judge():
    """Doorbells come one per cycle; a wait, a read and a release follow what they come after; all rules are kept."""
    run = started()
    result = play(run, StandIn(run, 1))
    assert judge(run.programs, CONFIG, result) == []
    assert result["quiet"] and result["guards"] == "intact"
    assert result["config"]["dim"] == 2 and result["config"]["memory_latency"] == 1
    blocks = {block["name"]: block for node in result["nodes"] for block in node["blocks"]}
    assert [blocks[name]["posted"] for name in "abc"] == [0, 1, 2]
    assert [blocks[name]["posted"] for name in "rq"] == [0, 1]
    assert blocks["x"]["posted"] > max(blocks["r"]["done"], blocks["q"]["done"])
    assert (blocks["x"]["status"], blocks["y"]["status"]) == ("OK", "BAD_RELEASE")
    told = [entry for entry in result["nodes"][1]["interrupts"] if entry["reason"] == "BAD_OPERAND"]
    assert [(entry["name"], entry["status"]) for entry in told] == [("y", "BAD_RELEASE"), ("z", "BAD_SOURCE")]


def run_random(seed):
    """Judge a random run, and return what has happened in it."""
    generator = random.Random(seed)
    buffers = generator.choice((0, 1, 2, 16))
    config = NodeConfig(
        router=PacketConfig(dim=generator.choice((2, 2, 3))),
        buffers=buffers,
        buffer_bytes=64,
        reserved=generator.randint(0, min(1, buffers)),
        eager=generator.choice((1, 1, 2, 15)),
    )
    settings = {"latency": generator.choice((1, 1, 4)), "stall": generator.choice((0.0, 0.0, 0.3))}
    run = ProgramRun(generator, config, random_programs(seed, config.nodes, 8), **settings)
    result = play(run, StandIn(run, seed))
    assert judge(run.programs, config, result) == [] and result["quiet"], seed
    nodes = result["nodes"]
    seen = Counter(block["status"] for node in nodes for block in node["blocks"])
    seen.update(interrupt["reason"] for node in nodes for interrupt in node["interrupts"])
    return seen


def test_random_programs_are_told_by_the_rules():
    """With few buffers and many, fast memories and slow ones that stall."""
    seen = Counter()
    for seed in range(12):
        seen += run_random(seed)
    assert {"OK", "TRUNCATED", "NO_BUFFER", "BAD_OPERAND", "SYSTEM_MESSAGE", "BAD_RELEASE"} <= set(seen), seen


@pytest.mark.soak
def test_random_programs_are_told_by_the_rules_at_length():
    """The same with other seeds; all statuses of operands occur."""
    seen = Counter()
    for seed in range(12, 500):
        seen += run_random(seed)
    assert set(OPERANDS) <= set(seen), seen


def on_golden_nodes(config, programs, **settings):
    """Return the result of programs on a golden network alone."""
    playback, inputs = Playback(config), {}
    playback.step({"rst": 1})
    cycles = stimulus(random.Random(1), config, programs, **settings)
    change = next(cycles)
    with contextlib.suppress(StopIteration):
        while True:
            inputs |= change
            change = cycles.send(playback.step(inputs))
    return playback.result()


def test_links_tell_what_went_over_them_whatever_is_counted():
    """Counters that wrap, or that there are none of, are the golden network's."""
    programs = {"nodes": {"0": [SEND | {"bytes": 600}], "1": [RECEIVE | {"room": 600}, WAIT]}}

    def links(bits):
        return on_golden_nodes(NodeConfig(router=PacketConfig(dim=2, counters=bits)), programs)["links"]

    counted = links(32)
    assert links(8) == links(0) == counted
    assert max(link["words"] for link in counted) > 256


def test_a_run_that_the_limit_ends_tells_what_has_happened():
    """A match is told from its cycle on, and with it; the run is quiet as soon as nothing moves any more."""
    programs = {"nodes": {"0": [SEND | {"bytes": 4}], "1": [RECEIVE, WAIT]}}
    whole = on_golden_nodes(CONFIG, programs)
    end, decided = whole["clocks"], whole["nodes"][1]["blocks"][0]["matched"]
    assert whole["quiet"] and decided < end
    for most in (decided, decided + 1, decided + 2, end - 1, end + 2, end + 20):
        result = on_golden_nodes(CONFIG, programs, most=most)
        assert result["nodes"][1]["blocks"][0].get("matched") == (decided if most > decided else None), most
        assert (result["quiet"], result["clocks"]) == ((True, end) if most > end else (False, most)), most


def test_a_broadcast_that_waited_for_a_buffer_is_unexpected():
    """It is counted when it gets the buffer that a release has made free."""
    taken = {"do": "receive", "from": 3, "type": 5, "room": "system"}
    release = [{"do": "wait", "for": ["x"]}, {"do": "release", "name": "z", "of": "x"}]
    broadcast = {"do": "broadcast", "name": "m", "type": 1, "bytes": 4, "fill": 1}
    send = {"do": "send", "name": "k", "to": 1, "type": 5, "bytes": 4, "fill": 1}
    programs = {
        "0": [{"do": "compute", "clocks": 200}, broadcast],
        "1": [taken | {"name": "x"}, taken | {"name": "y"}, *release],
        "3": [{"do": "compute", "clocks": 600}, send],
    }
    config = NodeConfig(router=PacketConfig(dim=2), buffers=3, buffer_bytes=64, eager=2, hash_bits=1)
    node = on_golden_nodes(config, {"nodes": programs})["nodes"][1]
    assert [entry["message"] for entry in node["unclaimed"]] == [[0, "m"]]
    assert node["counters"]["unexpected"] == 1


def test_an_early_read_is_told():
    """With its interrupt; the same bytes are there when the message is complete."""
    read = {"do": "read", "of": "r", "offset": 196, "bytes": 4}
    receiver = [RECEIVE, WAIT | {"until": "started"}, read, WAIT, read]
    config = NodeConfig(router=PacketConfig(dim=2), eager=1)
    run = ProgramRun(random.Random(1), config, {"nodes": {"0": [SEND], "1": receiver}})
    result = play(run, StandIn(run, 1))
    assert judge(run.programs, config, result) == []
    node = result["nodes"][1]
    assert [entry["early"] for entry in node["reads"]] == [True, False]
    assert [(entry["reason"], entry["index"]) for entry in node["interrupts"]] == [("EARLY_READ", 2)]
    assert node["reads"][1]["data"] == run.programs[0][0].content()[196:].hex()


def test_a_run_that_is_not_quiet_tells_what_has_happened():
    """When its cycles have run out; the judge has nothing against it."""
    run = started(most=40)
    result = play(run, StandIn(run, 1))
    assert not result["quiet"] and judge(run.programs, CONFIG, result) == []


class Careless(StandIn):
    """A network that writes one more word when the receive ``r`` is complete."""

    def __init__(self, run, place):
        super().__init__(run, 1)
        self.place = place

    def _receive(self, node, index, flag, before):
        super()._receive(node, index, flag, before)
        if self.run.programs[node][index].name == "r" and flag == 3:
            slot = self.run.layouts[node].slots[index]
            self.nodes[node].write({"block": slot.block + 4 * Word.LINK, "behind": slot.buffer + 64}[self.place], 0)


@pytest.mark.parametrize(
    ("place", "told"),
    [("behind", "behind the buffer of r"), ("block", "the block of r, which is complete")],
)
def test_what_nobody_may_touch_is_guarded(place, told):
    """The bytes behind a buffer, and a block after its FLAG has said 3."""
    run = started()
    result = play(run, Careless(run, place))
    assert result["guards"].startswith("node 1: 0x") and result["guards"].endswith(told)


def test_places_do_not_meet():
    """Blocks are aligned to their size, buffers to words, and bytes that nobody may touch are between all of them."""
    programs = random_programs(3, 4, 8)
    for program in ProgramRun(random.Random(1), CONFIG, programs).programs:
        layout = Layout(program, CONFIG)
        slots = layout.slots.values()
        used = [(slot.block, slot.block_bytes) for slot in slots]
        used += [(slot.buffer, slot.buffer_bytes) for slot in slots if slot.buffer]
        used = sorted([*used, (layout.system, CONFIG.buffers * CONFIG.buffer_bytes)])
        assert all(slot.block % 32 == 0 for slot in slots) and layout.system % 32 == 0
        ends = [address + size for address, size in used]
        assert used[0][0] >= FIRST + 32 and ends[-1] + 32 <= layout.last + 1
        assert all(used[place + 1][0] - end >= 30 for place, end in enumerate(ends[:-1]))


def test_memory_answers_in_order_after_its_latency():
    """A word taken in cycle t comes in t + L, a write stands there from t + L on, and a read sees cycle t."""
    memory, seen = NodeMemory(FIRST + 63, 3, 0.0, random.Random(1)), []
    read = {"read_valid": 1, "read_address": FIRST // 4, "read_beats": 1}
    write = {"write_valid": 1, "write_address": FIRST // 4, "write_data": 0xABCD, "write_strobe": 3}
    nothing = dict.fromkeys((*read, *write), 0)
    old = int.from_bytes(bytes(map(guard, range(FIRST, FIRST + 4))), "little")
    new = old & 0xFFFF0000 | 0xABCD
    for cycle in range(10):
        shown, written = memory.drive()
        if shown["data_valid"]:
            seen.append((cycle, "read", shown["data_word"]))
        if shown["done"]:
            seen.append((cycle, "written", written))
        offered = {0: read | write, 3: read}.get(cycle, {})
        memory.take(nothing | offered)
    assert seen[:3] == [(3, "read", old), (3, "written", FIRST), (4, "read", memory.word(FIRST + 4))]
    assert seen[3:] == [(6, "read", new), (7, "read", memory.word(FIRST + 4))]


def test_memory_outside_answers_with_an_error():
    """Reads and writes; nothing changes."""
    memory = NodeMemory(FIRST + 63, 1, 0.0, random.Random(1))
    before = bytes(memory.content)
    asked = {"read_valid": 1, "read_address": FIRST // 4 + 16, "read_beats": 0}
    memory.drive()
    memory.take(asked | {"write_valid": 1, "write_address": FIRST // 4 - 1, "write_data": 1, "write_strobe": 15})
    shown, written = memory.drive()
    assert (shown["data_error"], shown["done_error"], written) == (1, 1, None)
    assert bytes(memory.content) == before


def test_reads_of_what_is_complete_are_told():
    """Each word that is closed, and none beside it."""
    memory = NodeMemory(FIRST + 63, 1, 0.0, random.Random(1))
    memory.close(FIRST + 4, 6, "it")
    memory.drive()
    memory.take({"read_valid": 1, "read_address": FIRST // 4, "read_beats": 7, "write_valid": 0})
    assert memory.late == [(FIRST + 4, "it"), (FIRST + 8, "it")]


class Unit:
    """A unit that does nothing but to be looked at."""

    def __init__(self):
        self.envelope = {"ticket": 7}

    def edge(self, inputs, outputs):
        """Take the edge."""


QUIET = {
    "part__ready": 1,
    **dict.fromkeys(
        ("first__ready", "post__ready", "verdict", "lost", "settled", "prepare__valid", "released", "kept"), 0
    ),
}
"""Outputs of units that say nothing."""


def test_messages_are_followed_by_the_ports_of_units():
    """An offer, a verdict, a claim, an envelope that is lost or waits for a place; equal messages are told apart."""
    units = [SimpleNamespace(cutter=Unit(), matcher=Unit(), pool=Unit(), engine=Unit()) for _ in range(2)]
    follower, released = Follower(2, lambda: 5), []
    for node, own in enumerate(units):
        follow(follower, node, own, released.append)
    part = {"part__valid": 1, "part__rest": 0, "part__ticket": 7}
    first = {"first__valid": 1, "first__source": 0, "first__type": 3, "first__length": 4}
    matcher = units[1].matcher

    def offer(buffer, b):
        units[0].cutter.edge(part | {"part__destination": 0 if b else 1, "part__buffer": buffer}, QUIET)
        matcher.edge(first | {"first__b": b}, QUIET | {"first__ready": 1})

    offer(0x100, 0)
    matcher.edge({}, QUIET | {"verdict": 1, "placed": 1, "user": 1, "block": 4})
    offer(0x200, 0)
    matcher.edge({}, QUIET | {"verdict": 1, "placed": 1, "user": 0, "number": 2})
    offer(0x280, 1)
    matcher.edge({}, QUIET | {"verdict": 1, "placed": 0, "lost": 1})
    assert not follower.held[1]
    offer(0x300, 1)
    matcher.edge({}, QUIET | {"verdict": 1, "placed": 0})
    assert follower.matched[1] == {128: (5, Message(0, 0x100))}
    assert [(entry.number, entry.message) for entry in follower.unclaimed[1]] == [(2, Message(0, 0x200))]
    assert follower.held[1] == {0: (Message(0, 0x300), (0, 3, 4))}
    units[1].engine.edge({}, QUIET | {"kept": 1, "kept_number": 2})
    assert follower.complete[1] == {2: 5}
    matcher.edge({"post__valid": 1, "post__block": 6}, QUIET | {"post__ready": 1})
    matcher.edge({}, QUIET | {"settled": 1, "how": 1, "number": 2})
    place = {
        "prepare__valid": 1,
        "prepare__source": 0,
        "prepare__user": 1,
        "prepare__block": 7,
        "prepare__number": None,
    }
    matcher.edge({"prepare__ready": 1}, QUIET | place)
    assert follower.matched[1] | {128: None} == {
        128: None,
        192: (5, Message(0, 0x200)),
        224: (5, Message(0, 0x300)),
    }
    units[1].pool.edge({}, QUIET | {"released": 1, "accepted": 0})
    assert released == [False] and not follower.unclaimed[1] and not follower.held[1]
