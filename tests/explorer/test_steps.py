"""Recordings of routes, merges and rings: each says what the golden model's result says, step by step."""

import json
from collections import defaultdict

import pytest

from cubecast.cli import main
from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.multicast.algorithms.route import route
from tests.explorer.explored import explored
from tests.explorer.test_recording import entries


def each_alone(events):
    """Return whether no link has two messages in a step."""
    taken = [(step, node, j) for step, node, j, *_ in entries(events, "links")]
    return len(set(taken)) == len(taken)


@pytest.mark.parametrize("broadcast", [False, True])
def test_a_tree_crosses_its_links_step_by_step(capsys, tmp_path, broadcast):
    """Every link of the tree once, in the step of its depth, with its part of the list; all that is delivered."""
    what = ["--broadcast"] if broadcast else ["--dest", "7,20,29,18,1,0"]
    arguments = ["route", "--dim", "5", "--source", "6", *what, "--fault", "4"]
    answer, header, events = explored(capsys, tmp_path, *arguments)
    assert each_alone(events)
    tree = route(5, 6, [] if broadcast else [7, 20, 29, 18, 1, 0], faults=[4], broadcast=broadcast)
    crossed = {(node, node ^ 1 << j): (step, sent) for step, node, j, _, _, sent, *_ in entries(events, "links")}
    assert sorted(crossed) == sorted(map(tuple, answer["edges"]))
    for node, decisions in tree.nodes.items():
        for decision in decisions:
            sent = [len(decision.destinations), *decision.destinations]
            assert crossed[node, decision.to] == (len(tree.path(node)) - 1, sent)
    ejected = {node: step for step, node, *_ in entries(events, "eject")}
    assert ejected == {node: len(tree.path(node)) - 1 for node in tree.delivered}
    assert header["cycles"] == tree.time + 1 and header["faults"] == [4]


def test_packets_cross_the_links_of_their_legs(capsys, tmp_path):
    """Of a list of several packets, and of one over a relay: each link in its step, each destination once."""
    for place, what in enumerate((["--dest", "1,2,9,62"], ["--dest", "4,3", "--runs", "1", "--faulty-links", "4-5"])):
        arguments = ["route", "--router", "crosspoint", "--dim", "6", "--source", "5", *what]
        answer, header, events = explored(capsys, tmp_path / str(place), *arguments)
        wanted = []
        for number, packet in enumerate(answer["packets"]):
            begin = number
            for leg in packet["legs"]:
                wanted += [(begin + hop["step"] - 1, hop["from"], hop["dimension"], number) for hop in leg["hops"]]
                begin += max(hop["step"] for hop in leg["hops"])
        crossed = [(step, node, j, message) for step, node, j, _, message, *_ in entries(events, "links")]
        assert sorted(crossed) == sorted(wanted)
        assert place == 0 or any(len(packet["legs"]) > 1 for packet in answer["packets"])
        got = sorted(node for _, node, *_ in entries(events, "eject"))
        assert got == sorted(node for packet in answer["packets"] for node in packet["destinations"])
        assert [message["destinations"] for message in header["messages"]] == [
            packet["destinations"] for packet in answer["packets"]
        ]


@pytest.mark.parametrize("faults", ["", "--faulty-links 0-4,1-5,0-8 --fault 2", "--faulty-links 4-6,4-0,7-5,1-3"])
def test_a_merge_can_be_summed_up_again_from_its_recording(capsys, tmp_path, faults):
    """What every node holds at the end of a step is its own vector and all that came; in the end all have the sum."""
    vectors = [[3 * node + 1, (1 << 59) + node, node] for node in range(16)]
    (tmp_path / "v.json").write_text(json.dumps(vectors))
    arguments = [
        "reduce",
        "--dim",
        "4",
        "--width",
        "64",
        "--values",
        str(tmp_path / "v.json"),
        *faults.split(),
        "--all",
    ]
    answer, header, events = explored(capsys, tmp_path / "out", *arguments)
    assert each_alone(events)
    members = [node for node in range(16) if node not in answer["excluded"]]
    back = len(header["messages"]) - 1
    cut = {tuple(link) for link in header["faulty_links"]}
    parts = defaultdict(list)
    for stage in answer["stages"]:
        for part in stage["partitions"]:
            parts[part["from"], part["to"]].append((part["part"], part["parts"]))
    held = {node: vectors[node] for node in members}
    at = {}
    for event in events:
        step = event["cycle"]
        for node, message, words, *_ in event.get("eject", ()):
            words = [int(word) for word in words if word is not None]
            if message == back:
                held[node] = words
                continue
            source = header["messages"][message]["source"]
            part, count = (parts[source, node] or [(0, 1)])[0]
            start = 3 * part // count if len(words) < 3 else 0
            # A part is where its words are those of the sender.
            spread = [0] * start + words + [0] * (3 - start - len(words))
            held[node] = [a + b for a, b in zip(held[node], spread, strict=True)]
        for node, _, (_, words) in event.get("units", ()):
            assert [int(word) for word in words] == held[node], (step, node)
        for node, j, _, message, *_ in event.get("links", ()):
            ends = min(node, node ^ 1 << j), max(node, node ^ 1 << j)
            assert ends not in cut and not {*ends} & {*header["faults"]}
            assert message == back or at.get(message, header["messages"][message]["source"]) == node
            at[message] = node ^ 1 << j
    assert all(
        held[node] == answer["result"] == [sum(vectors[n][k] for n in members) for k in range(3)] for node in members
    )
    assert {(d["message"], d["node"]) for d in header["deliveries"]} == {
        (message["message"], node) for message in header["messages"] for node in message["destinations"]
    }
    waits = entries(events, "waits")
    assert all(by >= 0 or why == "link in use" for *_, why, by, _ in waits)


def test_the_messages_of_a_ring_never_wait(capsys, tmp_path):
    """No link has two in a step; every member gets those of all others, on the paths of the ring."""
    nodes = [0, 2, 3, 5, 6, 10, 13, 15]
    arguments = ["ring", "--dim", "4", "--nodes", ",".join(map(str, nodes))]
    answer, header, events = explored(capsys, tmp_path, *arguments)
    ring = group_ring(4, nodes)
    assert each_alone(events) and answer["disjoint"] and not entries(events, "waits")
    used = {(node, node ^ 1 << j) for _, node, j, *_ in entries(events, "links")}
    assert used == set(ring.link_use)
    last = defaultdict(dict)
    for step, node, message, words in entries(events, "eject"):
        assert words == [header["messages"][message]["source"]]
        last[node][words[0]] = step
    for member in nodes:
        assert sorted([*last[member], member]) == nodes
        # Those who are further back in the ring come later.
        turn = ring.ring.index(member)
        order = [ring.ring[turn - back] for back in range(1, len(nodes))]
        assert sorted(last[member], key=last[member].get) == order


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["route", "--dim", "11", "--source", "0", "--dest", "1"],
            "dim must be an integer from 2 to 10 with --explore, not 11",
        ),
        (["ring", "--dim", "1", "--nodes", "0,1"], "dim must be an integer from 2 to 10 with --explore, not 1"),
        (
            ["ring", "--dim", "10", "--nodes", ",".join(map(str, range(513)))],
            "nodes must be at most 512 with --explore, not 513",
        ),
        (["reduce", "--dim", "12"], "dim must be an integer from 2 to 10 with --explore, not 12"),
        (
            ["reduce", "--dim", "9", "--router", "crosspoint"],
            "dim must be an integer from 2 to 8 with --explore, not 9",
        ),
    ],
)
def test_what_is_not_drawn_is_refused(capsys, tmp_path, arguments, told):
    """In one line; nothing is written."""
    assert main([*arguments, "--explore", str(tmp_path / "out")]) == 2
    assert capsys.readouterr() == ("", f"cubecast {arguments[0]}: {told}\n")
    assert not (tmp_path / "out").exists()
