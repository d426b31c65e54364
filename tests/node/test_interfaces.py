"""Golden node interfaces with programs on them, around packets that overtake each other as no router lets them.

The contract of the units is judged here, before any hardware: every result by the judge that knows the rules alone.
"""

import random
from collections import Counter

import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.contract.block import Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.node.follower import follow
from cubecast.tb.node.ideal_network import IdealNetwork, between
from cubecast.tb.node.node_memory import NodeMemory
from cubecast.tb.node.program_cases import cut_links, random_programs
from cubecast.tb.node.program_run import ProgramRun
from cubecast.tb.node.world import ALL, happenings, life

PARAMETERS = {
    "buffers": (0, 1, 2, 16),
    "eager": (1, 1, 2, 8, 15),
    "tracked": (1, 8),
    "hash_bits": (1, 4),
}
"""Values that are drawn for runs."""


def drawn(generator, dim, **router):
    """Return parameters of nodes."""
    own = {name: generator.choice(values) for name, values in PARAMETERS.items()}
    reserved = generator.randint(0, min(1, own["buffers"]))
    words = PacketConfig(dim=dim, width=generator.choice((16, 16, 32)), **router)
    return NodeConfig(router=words, buffer_bytes=64, reserved=reserved, **own)


def play(run, network):
    """Run programs on golden nodes; return the result, and how often what happened."""
    for node, (_, interface) in enumerate(network.nodes):
        processor = run.processors[node]
        follow(run.follower, node, interface, lambda accepted, own=processor: own.released(run.clock, accepted))
    network.step({"rst": 1})
    cycles, inputs, seen, outputs = run.cycles(network.quiet), {}, Counter(), None
    while True:
        try:
            inputs |= cycles.send(outputs)
        except StopIteration:
            return run.result() | {"golden": "match"}, seen
        outputs = network.step(inputs)
        for interface in network.awake:
            seen.update(happenings(interface))


def check(seed, dim, steps, ideal=True, cut=False):
    """Judge a random run, and return what has happened in it; ``cut``: links fail, and offers may time out."""
    generator = random.Random(seed)
    link, routing = generator.choice(("parallel", "serial")), generator.choice(("fixed", "quasi-adaptive"))
    config = drawn(generator, dim, **({} if ideal else {"link": link}), routing=routing)
    settings = {"latency": generator.choice((1, 1, 4)), "stall": generator.choice((0.0, 0.0, 0.3))}
    programs = random_programs(seed, config.nodes, steps)
    if cut:
        programs, settings["timeout"] = cut_links(seed, programs, dim), generator.choice((0, 1, 2))
        settings["faults"] = [generator.randrange(config.nodes)] * (generator.random() < 0.2)
    run = ProgramRun(generator, config, programs, **settings)
    if ideal:
        network = between(config, IdealNetwork(config, generator, generator.choice((0.01, 0.1, 0.5))))
    else:
        network = NodeNetwork(config)
    result, seen = play(run, network)
    assert judge(run.programs, config, result) == [] and result["quiet"], (seed, config)
    return seen


@pytest.mark.core
def test_interfaces_keep_all_rules():
    """A few random programs, over ideal packets and over routers."""
    seen = Counter()
    for seed in range(4):
        seen += check(seed, 2, 8)
    seen += check(100, 2, 8, ideal=False)
    assert {"message in a receive", "message refused", "posted", "send OK", "receive OK"} <= set(seen), seen


def test_interfaces_keep_all_rules_where_links_fail():
    """Messages end badly then, and some receives wait for ever; what is told of them is true."""
    seen = Counter()
    for seed in (1, 4, 8):
        seen += check(seed, 2, 10, ideal=False, cut=True)
    assert {"send UNDELIVERABLE", "send TIMEOUT", "send OK", "receive OK"} <= set(seen), seen


def test_a_broadcast_that_is_given_up_stops_no_other():
    """Node 2 holds the first when its source gives it up; the second ends all the same, the third comes everywhere."""
    config = NodeConfig(router=PacketConfig(dim=2), buffers=0)
    sends = [{"do": "broadcast", "name": name, "type": kind, "data": "01020304"} for kind, name in enumerate("abc")]
    receives = [{"do": "receive", "name": name, "from": 0, "type": kind, "room": 4} for kind, name in enumerate("abc")]
    first, second, third = ([send, {"do": "wait", "for": [send["name"]]}] for send in sends)
    cut, mend = ({"do": "fault", "dimensions": dimensions} for dimensions in ([0], []))
    source = [cut, *first, mend, *second, {"do": "compute", "clocks": 500}, *third]
    other = [*receives[1:], {"do": "compute", "clocks": 300}, receives[0]]
    programs = {"nodes": {"0": source, **dict.fromkeys("123", other)}}
    run = ProgramRun(random.Random(1), config, programs)
    result, _ = play(run, NodeNetwork(config))
    assert judge(run.programs, config, result) == [] and result["nodes"][0]["at"] == len(source)
    ends = [[block["status"] for block in node["blocks"] if block["flag"]] for node in result["nodes"]]
    assert ends == [["UNDELIVERABLE", "DAMAGED", "OK"], ["OK", "OK"], ["OK", "DAMAGED"], ["OK", "OK"]]


def test_a_further_round_is_not_taken_for_a_broadcast_that_is_given_up():
    """Node 2 has a place for the first when node 1 asks for the second once more."""
    config = NodeConfig(router=PacketConfig(dim=2), buffers=0)
    first, second = ({"do": "broadcast", "name": f"b{kind}", "type": kind, "data": f"0{kind}" * 4} for kind in (1, 2))
    receives = [{"do": "receive", "name": f"r{kind}", "from": 0, "type": kind, "room": 4} for kind in (1, 2)]
    cut, mend = ({"do": "fault", "dimensions": dimensions} for dimensions in ([0], []))
    early, late = ({"do": "compute", "clocks": cycles} for cycles in (900, 1500))
    source = [cut, first, {"do": "wait", "for": ["b1"]}, mend, second, {"do": "wait", "for": ["b2"]}]
    nodes = {"0": source, "1": [late, receives[1]], "2": [early, receives[0]], "3": [receives[1]]}
    run = ProgramRun(random.Random(1), config, {"nodes": nodes})
    result, _ = play(run, NodeNetwork(config))
    assert judge(run.programs, config, result) == [] and result["nodes"][0]["at"] == len(source)
    ends = [[block["status"] for block in node["blocks"] if block["flag"]] for node in result["nodes"]]
    assert ends == [["UNDELIVERABLE", "DAMAGED"], ["OK"], [], ["OK"]]


@pytest.mark.parametrize(("pauses", "told"), [((8, 8), [2, 4, 6]), ((0, 2), [2, 5])])
def test_each_event_of_an_early_read_names_its_read(pauses, told):
    """Of reads of one address: each after the handler of the one before, or one that comes before and has no event."""
    read = {"do": "read", "of": "r", "offset": 196, "bytes": 4}
    receive = {"do": "receive", "name": "r", "from": 0, "type": 0, "room": 200}
    program = [receive, {"do": "wait", "for": ["r"], "until": "started"}, read]
    for pause in pauses:
        program += [*([{"do": "compute", "clocks": pause}] if pause else []), read]
    send = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 200, "fill": 9}
    config = NodeConfig(router=PacketConfig(dim=2), eager=1)
    run = ProgramRun(random.Random(1), config, {"nodes": {"0": [send], "1": program}})
    result, _ = play(run, NodeNetwork(config))
    assert judge(run.programs, config, result) == []
    node = result["nodes"][1]
    assert all(read["early"] for read in node["reads"])
    assert [(entry["reason"], entry["index"]) for entry in node["interrupts"]] == [("EARLY_READ", k) for k in told]


class Failing(NodeMemory):
    """A memory that is made to fail at one word."""

    def fail(self, address, answers):
        """From now on answer accesses to a word with an error where there is a 0, and as before when all are used."""
        self.spoilt, self.answers = address, [*answers]

    def _inside(self, address):
        """Return whether there is a word at a byte address, and it answers."""
        return super()._inside(address) and not (address == self.spoilt and self.answers and not self.answers.pop(0))


def failing(config, programs, step, word, answers):
    """Run programs where the memory of node 1 fails at a word of a step's block; return results, and its blocks.

    Without a word it fails at the first one of the step's buffer.
    """
    run = ProgramRun(random.Random(1), config, {"nodes": programs})
    memory = run.memories[1]
    memory.__class__ = Failing
    blocks = [slot.block for slot in run.layouts[1].slots.values()]
    buffers = [slot.buffer for slot in run.layouts[1].slots.values()]
    memory.fail(buffers[step] if word is None else blocks[step] + 4 * word, answers)
    nodes = play(run, NodeNetwork(config))[0]["nodes"]
    assert not memory.answers
    return nodes, blocks


TOLD = {"reason": "MEMORY_ERROR", "status": "MEMORY_ERROR"}
"""Of an event that the memory has failed."""


@pytest.mark.parametrize(("do", "buffers"), [("send", 0), ("send", 1), ("broadcast", 0), ("broadcast", 1)])
@pytest.mark.parametrize("fails", [1, 2])
def test_memory_fails_while_a_message_looks_for_its_receive(do, buffers, fails):
    """It is told, and once more looked at; then the message is damaged, and the receive has the next one."""
    to = {"to": 1} if do == "send" else {}
    receives = [{"do": "receive", "name": name, "from": 0, "type": 0, "room": 4} for name in "rq"]
    sends = [{"do": do, "name": name, **to, "type": 0, "data": "01020304"} for name in "ab"]
    source = [{"do": "compute", "clocks": 80}, *sends, {"do": "wait", "for": ["a", "b"]}]
    config = NodeConfig(router=PacketConfig(dim=2), buffers=buffers, reserved=0)
    programs = {"0": source, **dict.fromkeys("123", receives)}
    # The link is written first, when the second receive is posted.
    nodes, blocks = failing(config, programs, 0, Word.LINK, [1] + [0] * fails)
    assert [entry["status"] for entry in nodes[0]["blocks"]] == [("OK", "DAMAGED")[fails - 1], "OK"]
    places = [entry.get("message") for entry in nodes[1]["blocks"]]
    assert places == ([[0, "a"], [0, "b"]] if fails == 1 else [[0, "b"], None])
    told = [{key: entry[key] for key in entry if key != "clock"} for entry in nodes[1]["interrupts"]]
    assert told == [TOLD | {"source": 0, "value": blocks[0]}] * fails
    assert all(node["counters"]["postponed"] == 0 for node in nodes)


def test_memory_fails_while_a_receive_leaves_its_list():
    """The link is written once more, and the event names the receive."""
    receives = [
        {"do": "receive", "name": name, "from": "any", "type": kind, "room": 4} for kind, name in enumerate("xry")
    ]
    send = {"do": "send", "name": "a", "to": 1, "type": 1, "data": "01020304"}
    config = NodeConfig(router=PacketConfig(dim=2), buffers=0)
    source = [{"do": "compute", "clocks": 80}, send, {"do": "wait", "for": ["a"]}]
    # When the second receive is posted, when the message walks, and when the receive is taken out of the middle.
    nodes, blocks = failing(config, {"0": source, "1": receives}, 0, Word.LINK, [1, 1, 0, 1, 1])
    assert [entry.get("message") for entry in nodes[1]["blocks"]] == [None, [0, "a"], None]
    assert nodes[0]["blocks"][0]["status"] == "OK"
    (told,) = nodes[1]["interrupts"]
    assert told["reason"] == "MEMORY_ERROR" and told["source"] == 0 and told["value"] == blocks[1]


@pytest.mark.parametrize(
    ("step", "word", "answers", "status"),
    [
        # What is written there by the processor is read first.
        ({"do": "receive", "from": 0, "type": 0, "room": "system"}, Word.BUFFER, [1, 0], "MEMORY_ERROR"),
        ({"do": "neighbours", "to": [0], "type": 0, "bytes": 4, "fill": 0}, Word.STATE, [0], "MEMORY_ERROR"),
        ({"do": "send", "to": 0, "type": 0, "bytes": 4, "fill": 0}, Word.FLAG, [1, 0], "OK"),
    ],
)
def test_memory_fails_when_an_instruction_writes_its_block(step, word, answers, status):
    """It is told; who cannot do without what was written ends, and nothing is written or kept for it."""
    receive = {"do": "receive", "name": "r", "from": 1, "type": 0, "room": 4}
    send = {"do": "send", "name": "a", "to": 1, "type": 0, "bytes": 4, "fill": 0}
    programs = {"0": [{"do": "compute", "clocks": 80}, send, receive], "1": [step | {"name": "s"}]}
    config = NodeConfig(router=PacketConfig(dim=2), buffers=2, reserved=0)
    nodes, blocks = failing(config, programs, 0, word, answers)
    (block,) = nodes[1]["blocks"]
    assert block["flag"] == 3 and block["status"] == status
    assert nodes[1]["buffers"]["free"] == 1 and nodes[1]["unclaimed"][0]["message"] == [0, "a"]
    assert ("message" in nodes[0]["blocks"][1]) == (status == "OK")
    told = [{key: entry[key] for key in entry if key != "clock"} for entry in nodes[1]["interrupts"]]
    assert told == [TOLD | {"source": 0, "value": blocks[0]}]


@pytest.mark.parametrize("do", ["send", "broadcast"])
@pytest.mark.parametrize(("size", "word", "answers"), [(4, None, [0]), (600, None, [0]), (4, Word.LENGTH, [1, 1, 0])])
def test_memory_fails_when_a_message_is_stored(do, size, word, answers):
    """At its data, or at the block of its receive, which is read twice before: its source is told of it."""
    receives = [{"do": "receive", "name": "r", "from": 0, "type": 0, "room": size}]
    send = {"do": do, "name": "a", **({"to": 1} if do == "send" else {}), "type": 0, "bytes": size, "fill": 0}
    source = [{"do": "compute", "clocks": 80}, send, {"do": "wait", "for": ["a"]}]
    programs = {"0": source, **dict.fromkeys("123", receives)}
    config = NodeConfig(router=PacketConfig(dim=2), buffers=2, reserved=0)
    nodes, blocks = failing(config, programs, 0, word, answers)
    assert nodes[0]["blocks"][0]["status"] == "DAMAGED" and nodes[1]["blocks"][0]["status"] == "MEMORY_ERROR"
    told = [{key: entry[key] for key in entry if key != "clock"} for entry in nodes[1]["interrupts"]]
    assert told == [TOLD | {"source": 0, "value": blocks[0]}]


def test_memory_fails_when_a_receive_is_complete():
    """The send has ended by then; it is told that FLAG may not stand there, and the next receive is complete."""
    receives = [{"do": "receive", "name": name, "from": 0, "type": 0, "room": 4} for name in "rq"]
    sends = [{"do": "send", "name": name, "to": 1, "type": 0, "data": "01020304"} for name in "ab"]
    source = [{"do": "compute", "clocks": 80}, *sends, {"do": "wait", "for": ["a", "b"]}]
    config = NodeConfig(router=PacketConfig(dim=2), buffers=0)
    # FLAG is read before, and written when the receive is posted.
    nodes, blocks = failing(config, {"0": source, "1": receives}, 0, Word.FLAG, [1, 1, 0])
    assert [entry["status"] for entry in nodes[0]["blocks"]] == ["OK", "OK"]
    assert [(entry["flag"], entry["message"]) for entry in nodes[1]["blocks"]] == [(0, [0, "a"]), (3, [0, "b"])]
    told = [{key: entry[key] for key in entry if key != "clock"} for entry in nodes[1]["interrupts"]]
    assert told == [TOLD | {"source": 0, "value": blocks[0]}]


@pytest.mark.soak
def test_interfaces_keep_all_rules_where_links_fail_at_length():
    """Many, with damaged messages among them, one of which is read."""
    seen = Counter()
    short, long = (77, *range(100, 150)), (*range(308, 318), 334)
    for seed, steps in (*((seed, 14) for seed in short), *((seed, 24) for seed in long)):
        seen += check(seed, 2, steps, ideal=False, cut=True)
    assert {"send DAMAGED", "receive DAMAGED", "send UNDELIVERABLE", "send TIMEOUT"} <= set(seen), seen


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
def test_hard_lives_lead_to_everything(seed):
    """Stray packets, errors of memories, doorbells at any time: each status, interrupt and corner case occurs."""
    generator, seen = random.Random(seed), Counter()
    own = {"buffers": 2, "buffer_bytes": 96, "reserved": 1, "eager": 2, "tracked": 1, "hash_bits": 1}
    config = NodeConfig(router=PacketConfig(dim=2), instructions=3, events=2, **own)
    for _ in range(40):
        pace = generator.choice((0.02, 0.1, 0.5))
        network = between(config, IdealNetwork(config, generator, pace, stray=0.002))
        for _ in life(generator, config, network, hostile=True):
            for interface in network.awake:
                seen.update(happenings(interface))
        if set(ALL) <= set(seen):
            break
    assert set(ALL) <= set(seen), set(ALL) - set(seen)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(8))
@pytest.mark.parametrize(("dim", "steps", "ideal", "runs"), [(2, 16, True, 12), (3, 8, True, 8), (2, 12, False, 5)])
def test_interfaces_keep_all_rules_at_length(dim, steps, ideal, runs, block):
    """Many, of up to 16 steps a node."""
    for seed in range(1000 + runs * block, 1000 + runs * (block + 1)):
        check(seed, dim, steps, ideal)
