"""Recordings of reductions by join units: they tell what the units count, and what has to come out."""

import json
from collections import Counter

import pytest

from cubecast.cli import main, reduce_crosspoint
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.operations import Collective
from cubecast.golden.reduction.algorithms.tree import join_cycles, plan_contexts, plan_group
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.tb.common.recording import IN_USE, NO_ROOM, NOBODY, NOT_HERE
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.reduction.playback import group, play_golden
from tests.explorer.test_recording import entries, times

COMMAND = ["reduce", "--router", "crosspoint", "--dim", "3"]
LONG = 40


def recorded(capsys, folder, *arguments):
    """Run the command with ``--explore``; return its JSON, the header and the events by cycle."""
    assert main([*COMMAND, *arguments, "--json", "--explore", str(folder)]) == 0
    answer = json.loads(capsys.readouterr().out)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    assert main(["explore", str(folder / "recording.jsonl"), "-o", str(folder / "again")]) == 0
    capsys.readouterr()
    assert (folder / "again" / "index.html").read_bytes() == (folder / "index.html").read_bytes()
    return answer, header, events


def below(tree):
    """Return the members at and below every node of a tree."""
    found = {node: {node} & {*tree.members} for node in tree.nodes}
    for node in sorted(tree.parents, key=tree.levels.__getitem__, reverse=True):
        found[tree.parents[node]] |= found[node]
    return found


@pytest.mark.parametrize("words", [1, LONG])
def test_words_are_joined_on_their_way_and_results_come_back(capsys, tmp_path, words):
    """What goes to a parent is the sum of all that are below, the result comes to all; each link is used twice."""
    vectors = [[(1 << 55) * node + 3 * place for place in range(words)] for node in range(8)]
    (tmp_path / "v.json").write_text(json.dumps(vectors))
    given = ("--width", "64", "--values", str(tmp_path / "v.json"), "--fault", "5", "--faulty-links", "0-1", "--all")
    answer, header, events = recorded(capsys, tmp_path / "out", *given)
    tree = plan_group(3, links=[(0, 1)], faults=[5])
    assert (header["golden"], header["faults"], header["faulty_links"]) == ("model", [5], [[0, 1]])
    assert answer["cycles"] == header["cycles"] == join_cycles(tree) + words - 1
    messages = header["messages"]
    place = {message["source"]: message["message"] for message in messages}
    result = messages[place[tree.root]]
    assert result["destinations"] == [*tree.members] and len(messages) == len(tree.nodes)
    wanted = {
        node: [sum(vectors[member][at] for member in members) % 2**64 for at in range(words)]
        for node, members in below(tree).items()
    }
    crossed = {}
    for _, node, j, _, message, sent, *_ in entries(events, "links"):
        crossed.setdefault((node, node ^ 1 << j), []).extend((message, int(word)) for word in sent)
    ways = {(node, parent): (place[node], wanted[node]) for node, parent in tree.parents.items()}
    ways |= {(parent, node): (place[tree.root], wanted[tree.root]) for node, parent in tree.parents.items()}
    assert crossed == {way: [(message, word) for word in sent] for way, (message, sent) in ways.items()}
    assert wanted[tree.root] == answer["result"]
    offered = {node: (place[node], [int(word) for word in sent]) for _, node, _, sent in entries(events, "inject")}
    assert offered == {node: (place[node], vectors[node]) for node in tree.members}
    came = {node: (message, [int(word) for word in sent]) for _, node, message, sent, *_ in entries(events, "eject")}
    assert came == {node: (place[tree.root], wanted[tree.root]) for node in tree.members}
    got = {(delivery["message"], delivery["node"]) for delivery in header["deliveries"]}
    assert got == {(place[node], parent) for node, parent in tree.parents.items()} | {
        (place[tree.root], node) for node in tree.members
    }
    trees = {node: ends for _, node, unit, ends in entries(events, "units") if header["units"][unit][0] == "tree"}
    children = tree.children()
    assert {node: parent for node, (parent, *_) in trees.items() if parent} == {
        node: [parent] for node, parent in tree.parents.items()
    }
    assert all([end or [-1] for end in trees[node][1:]] == [[end] for end in children[node]] for node in tree.nodes)


def test_waits_are_those_that_the_units_count():
    """Of two trees that share links, with a member that is late: for operands, links and room; so do the words."""
    config = ReductionConfig(router=CrosspointConfig(dim=3, runs=1), contexts=2, reduce_depth=8)
    trees = plan_contexts(3, [range(8), range(8)], contexts=2)
    jobs = []
    for context, tree in trees:
        operation = Collective("all-reduce", {node: tuple(range(LONG)) for node in tree.members}, node=0)
        jobs.append(group(config, tree, [operation], starts={7: 25} if context else {}, context=context))
    found = play_golden(config, jobs, explore=True)
    told = found["recording"]
    names = [name for name, _ in told["units"]]
    waits = entries(told["events"], "waits")
    assert {why for *_, why, _, _ in waits} == {NOT_HERE, IN_USE, NO_ROOM}
    counted = Counter()
    for _, node, unit, port, _, why, by, cycles in waits:
        context = int(names[unit][-1])
        tree = trees[context][1]
        ends = (tree.parents.get(node), *tree.children()[node])
        to = node ^ 1 << port if port < 3 else None
        if why != NOT_HERE:
            if names[unit].startswith("join"):
                counted["STALL_LINK", context, node] += cycles
                assert to == ends[0]
            # Whoever has the link is of the other context.
            assert why == NO_ROOM or told["messages"][by]["message"] // 8 != context
        elif to is None:
            counted["STALL_OWN", context, node] += cycles
            assert by == NOBODY
        else:
            counted["STALL_A" if to == ends[1] else "STALL_B", context, node] += cycles
            assert told["messages"][by]["source"] == to and by // 8 == context
    for _, node, j, context, message, sent, *_ in entries(told["events"], "links"):
        if message % 8 != 7:
            counted["COUNT_UP", context, node] += len(sent)
            assert trees[context][1].parents[node] == node ^ 1 << j
    for context, (_, tree) in enumerate(trees):
        registers = found["registers_1" if context else "registers"]
        for name in ("STALL_OWN", "STALL_A", "STALL_B", "STALL_LINK", "COUNT_UP"):
            wanted = {node: registers[name][node] for node in range(8)}
            if name == "COUNT_UP":
                wanted[tree.root] -= LONG
            assert {node: counted[name, context, node] for node in range(8)} == wanted, (name, context)
    taken = [
        (cycle, node, at)
        for cycle, node, j, _, _, sent, *m in entries(told["events"], "links")
        for at in [(j, time) for time in times(cycle, sent, *m)]
    ]
    assert len({(node, at) for _, node, at in taken}) == len(taken)


def test_what_a_join_holds_in_a_cycle(capsys, tmp_path):
    """Two words of the 2-cube meet at their parent in stage 1 and the one of child b in stage 2."""
    _, header, events = recorded(capsys, tmp_path, "--dim", "2", "--all")
    tree = plan_group(2)
    a, b = tree.children()[tree.root]
    join = [name for name, _ in header["units"]].index("join")
    stages = [values for _, node, unit, values in entries(events, "units") if (node, unit) == (tree.root, join)]
    below_of = below(tree)
    assert [tree.root + sum(below_of[a]), []] in stages and [[], sum(range(4))] in stages and stages[-1] == []
    # A word stands in stage 2 in the cycle in which it crosses the link, and is gone in the next.
    for cycle, node, _, _, message, (word,) in entries(events, "links"):
        if header["messages"][message]["source"] != tree.root:
            held = [
                (at, values) for at, where, unit, values in entries(events, "units") if (where, unit) == (node, join)
            ]
            assert (cycle + 1, []) in held and ([[], word] in [values for at, values in held if at == cycle])
    assert sum(below_of[a]) + sum(below_of[b]) + tree.root == sum(range(4))


def test_a_simulation_is_recorded_from_its_run(capsys, tmp_path, monkeypatch):
    """The page says that both sides agree, or that they differ, and then shows the cycles until then."""

    def twin(config, groups, simulator, **more):
        return play_golden(config, groups, **more)

    def differs(config, groups, simulator, **more):
        found = play_golden(config, groups, **more)
        found["recording"]["events"] = [event for event in found["recording"]["events"] if event["cycle"] <= 8]
        raise Mismatch("cycle 8\nown_ready", found)

    monkeypatch.setattr(reduce_crosspoint, "play", twin)
    _, _, alone = recorded(capsys, tmp_path / "alone", "--all")
    _, header, events = recorded(capsys, tmp_path / "match", "--all", "--simulate")
    assert (header["golden"], header["simulator"], events) == ("match", "verilator", alone)
    monkeypatch.setattr(reduce_crosspoint, "play", differs)
    assert main([*COMMAND, "--simulate", "--explore", str(tmp_path / "differs")]) == 1
    capsys.readouterr()
    header, *events = map(json.loads, (tmp_path / "differs" / "recording.jsonl").read_text().splitlines())
    assert header["golden"] == "mismatch" and events == [event for event in alone if event["cycle"] <= 8]


@pytest.mark.soak
def test_of_the_rtl_network(capsys, tmp_path, simulator):
    """What hardware and golden network have in common is what the golden network alone does."""
    given = ("--dim", "2", "--contexts", "2", "--group", "0,1", "--group", "1,3", "--all")
    answer, _, alone = recorded(capsys, tmp_path / "alone", *given)
    found, header, events = recorded(capsys, tmp_path / "both", *given, "--simulate", "--simulator", simulator)
    assert (header["golden"], header["simulator"], events) == ("match", simulator, alone)
    assert found == answer | {"golden": "match", "run": found["run"]}


def test_what_is_too_long_is_refused(capsys, tmp_path):
    """In one line, and nothing is written; a run with packets is not recorded."""
    (tmp_path / "v.json").write_text(json.dumps([[1] * 8193] * 8))
    given = ["--values", str(tmp_path / "v.json"), "--explore", str(tmp_path / "out")]
    assert main([*COMMAND, *given]) == 2
    line = "cubecast reduce: vectors must have at most 8192 words with --explore, not 8193\n"
    assert capsys.readouterr() == ("", line) and not (tmp_path / "out").exists()
    config = ReductionConfig(router=CrosspointConfig(dim=2, runs=1))
    with pytest.raises(ValueError, match=r"^load must be 0 in a run that is recorded, not 0\.5$"):
        play_golden(config, [], explore=True, load=0.5)
