"""Recordings of merges and rings by collective units: what moves, what is merged, who waits."""

import json
import random
from collections import defaultdict
from itertools import pairwise

import pytest

from cubecast.cli import collective_simulation, main
from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, PART, plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables, relays_needed
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind, kind_fields
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.collective.pieces import told_of_merge
from cubecast.tb.collective.playback import Playback, group, play_golden, stimulus
from cubecast.tb.common.recording import NO_CREDIT, NO_MESSAGE
from cubecast.tb.harness.bench import RESET_CYCLES
from cubecast.tb.harness.lockstep import Mismatch
from tests.explorer.test_recording import entries, times

FAULTY = (4, [(0, 4), (1, 5), (0, 8)], [2])
MERGE = ["reduce", "--dim", "4", "--faulty-links", "0-4,1-5,0-8", "--fault", "2"]
RING = ["ring", "--dim", "3", "--nodes", "0,3,5,6"]
LONG = 20
MASK = (1 << 32) - 1


def twin(config, groups, faults, simulator, **more):
    """Stand in for ``play``: what hardware and golden network have in common is what the golden network does."""
    return play_golden(config, groups, faults, **more)


def recorded(capsys, folder, *arguments):
    """Run a command with ``--simulate --explore``; return its JSON, the header and the events by cycle."""
    assert main([*arguments, "--simulate", "--json", "--explore", str(folder)]) == 0
    answer = json.loads(capsys.readouterr().out)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    assert main(["explore", str(folder / "recording.jsonl"), "-o", str(folder / "again")]) == 0
    capsys.readouterr()
    assert (folder / "again" / "index.html").read_bytes() == (folder / "index.html").read_bytes()
    return answer, header, events


@pytest.fixture
def golden(monkeypatch):
    """Let the golden network alone be what is simulated."""
    monkeypatch.setattr(collective_simulation, "play", twin)


@pytest.fixture(scope="module")
def merge():
    """A merge with parts, a detour and a node that is excluded: plan, vectors and what was recorded."""
    plan = plan_merge(*FAULTY)
    config = CollectiveConfig(router=Config(dim=4), max_relays=max(4, relays_needed(plan)))
    source = random.Random(4)
    vectors = {node: [source.getrandbits(32) for _ in range(LONG)] for node in plan.members}
    groups = [group(merge_tables(plan, config, LONG, "spread"), [vectors])]
    (found,) = play_golden(config, groups, plan.words, explore=told_of_merge(plan, everybody=True))
    return plan, vectors, found


def segments(entry):
    """Return kind, place in the vector and words of a segment of which a run of words on a link is."""
    words = entry[5]
    header = 1 + words[0] + 1
    kind, *_ = kind_fields(words[header])
    return kind, words[header + 1], words[header + 2 :]


def alone(events):
    """Return whether no link has two words in a cycle."""
    taken = [
        (node, j, time) for at, node, j, _, _, sent, *m in entries(events, "links") for time in times(at, sent, *m)
    ]
    return len({*taken}) == len(taken)


def counted(found):
    """See that the recording has, of each link, the words, messages and waits that the routers count."""
    links = {(link["from"], link["to"]): link for link in found["recording"]["links"]}
    for node, ports in enumerate(found["words"]):
        for j, words in enumerate(ports[:-1]):
            link = links.get((node, node ^ 1 << j), {"words": 0, "messages": 0, "waited": 0})
            wanted = words, found["messages"][node][j], found["waited"][node][j]
            assert (link["words"], link["messages"], link["waited"]) == wanted, (node, j)


def test_words_on_links_are_those_that_the_routers_count(merge):
    """Words, router messages and cycles of waiting, link by link; the run is as long as the nodes were busy."""
    _, _, found = merge
    told = found["recording"]
    counted(found)
    assert told["cycles"] == found["clocks"] and alone(told["events"])
    assert max(event["cycle"] for event in told["events"]) <= told["cycles"]


def test_pieces_take_their_ways_with_the_sums_of_those_below(merge):
    """Each over the links of its path, whole: with what its sender and those that it merged have; the result to all."""
    plan, vectors, found = merge
    told = found["recording"]
    hops = [(stage.index, hop) for stage in plan.stages for hop in stage.messages]
    assert {hop.kind for _, hop in hops} >= {PART, DETOUR}
    crossed = defaultdict(lambda: defaultdict(dict))
    for entry in entries(told["events"], "links"):
        _, node, j, _, message, *_ = entry
        kind, start, words = segments(entry)
        if message < len(hops):
            assert kind in (Kind.DATA, Kind.RELAY)
            crossed[message][node, node ^ 1 << j] |= {start + at: word for at, word in enumerate(words)}
    held = {node: list(vector) for node, vector in vectors.items()}
    for place, (stage, hop) in enumerate(hops):
        message = told["messages"][place]
        kind = {PART: f", part {hop.part + 1} of {hop.parts}", DETOUR: ", detour"}.get(hop.kind, "")
        assert message["what"] == f"stage {stage}{kind}"
        assert (message["source"], message["destinations"]) == (hop.sender, [hop.receiver])
        assert [*crossed[place]] == [*pairwise(hop.path)]
        (sent,) = {tuple(sorted(words.items())) for words in crossed[place].values()}
        assert all(word == held[hop.sender][at] for at, word in sent)
        assert len(sent) == LONG if hop.kind != PART else 0 < len(sent) < LONG
        for at, word in sent:
            held[hop.receiver][at] = held[hop.receiver][at] + word & MASK
    result = [sum(vector[at] for vector in vectors.values()) & MASK for at in range(LONG)]
    assert held[plan.tree.sink] == result
    assert told["messages"][len(hops)]["what"] == "result"
    loaded, out = defaultdict(list), {}
    for _, node, message, words, *_ in entries(told["events"], "inject"):
        loaded[node] += words
        assert told["messages"][message]["source"] == node
        if message < len(hops):
            (sent, *_) = crossed[message].values()
            assert words == vectors[node][min(sent) : max(sent) + 1]
    assert loaded == vectors
    for _, node, message, words, *_ in entries(told["events"], "eject"):
        out[node] = message, words
    assert out == {node: (len(hops), result) for node in plan.members}
    came = {(delivery["message"], delivery["node"]) for delivery in told["deliveries"]}
    assert came == {(message["message"], node) for message in told["messages"] for node in message["destinations"]}
    assert all(message["what"].startswith("credit") for message in told["messages"][len(hops) + 1 :])


def test_values_are_merged_word_by_word(merge):
    """What the operation unit gets are words of the vector and of a piece; the sum is in the vector a cycle later."""
    plan, vectors, found = merge
    told = found["recording"]
    place = {name: unit for unit, (name, _) in enumerate(told["units"])}
    pieces = sum(len(stage.messages) for stage in plan.stages)
    held, sums, merged, shown = {node: [] for node in vectors}, {}, defaultdict(int), 0
    for event in told["events"]:
        changed = {(node, unit): values for node, unit, values in event.get("units", ())}
        for node in vectors:
            held[node] = (changed.get((node, place["vector memory"])) or [held[node]])[0]
            if (node, event["cycle"]) in sums:
                at, word = sums.pop((node, event["cycle"]))
                assert held[node][at] == word
            message, own, other = changed.get((node, place["operation unit"])) or (pieces, 0, 0)
            if message < pieces:
                merged[message] += 1
                if own in held[node]:
                    shown += 1
                    sums[node, event["cycle"] + 1] = held[node].index(own), own + other & MASK
    assert not sums
    result = [sum(vector[at] for vector in vectors.values()) & MASK for at in range(LONG)]
    assert all(held[node] == [*result[:16], "..."] for node in plan.members)
    parts = [hop.parts if hop.kind == PART else 1 for stage in plan.stages for hop in stage.messages]
    assert [merged[message] for message in range(pieces)] == [LONG // count for count in parts]
    # Of the words of each vector the first 16 are recorded, be they merged whole or in parts.
    assert shown == 16 * sum(1 / count for count in parts)


def test_waits_end_when_what_is_waited_for_is_there(merge):
    """A piece, a result or a credit: the last cycle of waiting is the one in which its last word comes."""
    plan, _, found = merge
    told = found["recording"]
    ends = {(delivery["message"], delivery["node"]): delivery["last_cycle"] for delivery in told["deliveries"]}
    hops = [hop for stage in plan.stages for hop in stage.messages]
    seen = set()
    for cycle, node, _, _, _, why, by, count in entries(told["events"], "waits"):
        if by >= 0 and why in (NO_MESSAGE, NO_CREDIT):
            seen.add((why, node, by))
            # The result goes on to others before it is given to the node's host.
            assert cycle + count - 1 == ends[by, node] if by != len(hops) else cycle + count <= ends[by, node]
    assert {(NO_MESSAGE, hop.receiver, place) for place, hop in enumerate(hops) if hop.kind == DETOUR} <= seen
    assert {(NO_MESSAGE, node, len(hops)) for node in plan.members if node != plan.tree.sink} <= seen
    assert any(why == NO_CREDIT for why, *_ in seen)


def test_messages_circulate_on_their_ring(capsys, golden, tmp_path):
    """Link after link and member after member, until all have it; pass buffers hold what is on its way; none waits."""
    answer, header, events = recorded(capsys, tmp_path / "out", *RING)
    ring = group_ring(3, [0, 3, 5, 6], "ascending")
    assert (header["golden"], header["system"], header["dim"]) == ("match", "collective", 3)
    assert "time" not in header and header["cycles"] == answer["simulation"]["clocks"]
    assert sum(link["words"] for link in header["links"]) == answer["simulation"]["words"]
    assert not entries(events, "waits") and alone(events)
    members = ring.ring
    assert [message["source"] for message in header["messages"]] == [*members]
    known = [entry[1:3] for entry in entries(events, "arbiters") if entry[0] == 0]
    assert sorted(known) == [(node, port) for node in range(8) for port in range(4)]
    ways = defaultdict(list)
    for entry in entries(events, "links"):
        kind, origin, words = segments(entry)
        assert kind == Kind.RING and header["messages"][entry[4]]["source"] == origin
        ways[origin].append((entry[0], entry[1], entry[1] ^ 1 << entry[2], words))
    for turn, member in enumerate(members):
        path = [link for leap in range(len(members) - 1) for link in pairwise(ring.paths[(turn + leap) % len(members)])]
        firsts = list(dict.fromkeys((a, b) for _, a, b, _ in ways[member]))
        assert firsts == path
        for link in path:
            sent = [word for _, *ends, words in ways[member] if (*ends,) == link for word in words]
            assert sent == [member << 8 | place for place in range(16)]
    got = defaultdict(list)
    for _, node, message, (origin, *words), *_ in entries(events, "eject"):
        assert header["messages"][message]["source"] == origin
        assert words == [origin << 8 | place for place in range(16)]
        got[node].append(origin)
    for turn, member in enumerate(members):
        assert got[member] == [members[turn - back] for back in range(1, len(members))]
    buffers = [name for name, _ in header["units"]].index("pass buffer")
    passed = defaultdict(set)
    for _, node, unit, values in entries(events, "units"):
        if unit == buffers and values:
            passed[node].update(values[1])
    for turn, member in enumerate(members):
        # The message of the next member ends here.
        following = members[(turn + 1) % len(members)]
        wanted = {place for place, origin in enumerate(members) if origin not in (member, following)}
        assert passed[member] == wanted


@pytest.mark.parametrize("command", [MERGE, RING], ids=["merge", "ring"])
def test_a_simulation_is_recorded_from_its_run(capsys, tmp_path, monkeypatch, golden, command):
    """Two sides that differ: the page says so, and shows the cycles until then; without --simulate there are steps."""
    _, header, events = recorded(capsys, tmp_path / "match", *command)
    assert (header["golden"], header["simulator"]) == ("match", "verilator")

    def differs(config, groups, faults, simulator, **more):
        found = play_golden(config, groups, faults, **more)[0]["recording"]
        found["events"] = [event for event in found["events"] if event["cycle"] <= 40]
        raise Mismatch("cycle 40\nbusy", [{"recording": found}])

    monkeypatch.setattr(collective_simulation, "play", differs)
    assert main([*command, "--simulate", "--explore", str(tmp_path / "differs")]) == 1
    header, *differing = map(json.loads, (tmp_path / "differs" / "recording.jsonl").read_text().splitlines())
    assert header["golden"] == "mismatch" and differing == [event for event in events if event["cycle"] <= 40]
    assert main([*command, "--explore", str(tmp_path / "steps")]) == 0
    steps = json.loads((tmp_path / "steps" / "recording.jsonl").read_text().splitlines()[0])
    assert (steps["golden"], steps["time"]) == ("model", "step")
    capsys.readouterr()


def test_a_merge_that_hangs_is_recorded_until_it_is_given_up():
    """What the record has then: who waits for whom."""
    plan = plan_merge(2)
    config = CollectiveConfig(router=Config(dim=2))
    tables = merge_tables(plan, config, 1)
    tables[1]["RECEIVE"] = 0
    run = Playback(config)
    for _ in range(RESET_CYCLES):
        run.step({"rst": 1})
    steps = stimulus(
        random.Random(1),
        config,
        [group(tables, [{node: [node] for node in range(4)}])],
        plan.words,
        most=300,
        explore=told_of_merge(plan, everybody=False),
    )
    inputs = dict(next(steps))
    with pytest.raises(TimeoutError):
        while True:
            inputs |= steps.send(run.step(inputs))
    (found,) = run.result()
    told = found["recording"]
    place = {message["source"]: message["message"] for message in told["messages"][:3]}
    waits = entries(told["events"], "waits")
    left = {(node, why, by) for cycle, node, _, _, _, why, by, count in waits if cycle + count == told["cycles"]}
    assert told["cycles"] >= 300
    assert left == {(3, NO_CREDIT, -1), (1, NO_MESSAGE, place[3]), (0, NO_MESSAGE, place[1])}


def test_what_cannot_be_recorded_is_refused(capsys, tmp_path, golden):
    """Vectors that are too long, in one line, and nothing is written; several rounds."""
    (tmp_path / "v.json").write_text(json.dumps([[1] * 1025] * 64))
    given = ["--values", str(tmp_path / "v.json"), "--simulate", "--explore", str(tmp_path / "out")]
    assert main(["reduce", "--dim", "6", *given]) == 2
    line = "cubecast reduce: vectors must have at most 1024 words with --explore, not 1025\n"
    assert capsys.readouterr() == ("", line) and not (tmp_path / "out").exists()
    config = CollectiveConfig(router=Config(dim=2))
    tables = merge_tables(plan_merge(2), config, 1)
    rounds = [{node: [1] for node in range(4)}] * 2
    with pytest.raises(ValueError, match=r"^rounds must be 1 in a group that is recorded, not 2$"):
        play_golden(config, [group(tables, rounds)], explore=told_of_merge(plan_merge(2), everybody=True))
