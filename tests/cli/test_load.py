"""``cubecast load``: both engines say the same, what theory says, and every kind of harm to the traffic is seen."""

import itertools
import json
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cubecast.cli import main
from cubecast.golden.common.algorithms.faults import faults_of
from cubecast.golden.common.algorithms.load import Lists, Traffic, permutation
from cubecast.golden.common.algorithms.load_packets import Packets, mean_words
from cubecast.golden.common.contract.load import LoadShape
from cubecast.golden.common.twins.load_node import LoadNode
from cubecast.golden.crosspoint.algorithms import load
from cubecast.golden.crosspoint.algorithms.packets import Header
from cubecast.golden.crosspoint.algorithms.routes import is_clear, lengths
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.golden.reduction.algorithms.load import FACTOR
from cubecast.golden.reduction.algorithms.tree import join_cycles, plan_group
from cubecast.golden.reduction.twins.alu import Alu
from cubecast.tb.campaigns.curves.booksim import ROUTERS
from cubecast.tb.campaigns.curves.figures import _packets
from cubecast.tb.campaigns.curves.plan import PLAN, tables
from cubecast.tb.campaigns.curves.records import RECORD
from cubecast.tb.harness.pages import replace
from tests.cli.answers import answer_in

DOCS = Path(__file__).resolve().parents[2] / "docs"

GOLDEN = ["load", "--router", "crosspoint", "--dim", "2", "--engine", "golden", "--jobs", "1", "--json"]

MILLION = 1_000_000

MASK = 0xFFFFFFFF

OVERLOADS = {
    "e-cube": ("--runs 1", 1),
    "random": ("--policy random", 1),
    # Up to half of the nodes sends nothing.
    "valiant": ("--policy valiant --traffic reverse --eject 16", 2),
    # A message, with bitmaps, makes the network deliver 5 (0.88 + 3 x 0.1 x 6 / 5 + 0.02 (2^n - 1)) words.
    "mixed": ("--policy either --length 5 --multicast 0.1:3 --broadcast 0.02", 10),
}
"""Options of an overload, and words per cycle and node that its messages have at most."""


def measured(capsys, *arguments, status=0):
    """Run the command; return its JSON without what the machine's speed is."""
    router = () if "--router" in arguments else ("--router", "crosspoint")
    assert main(["load", *router, *arguments, "--json"]) == status
    found = answer_in(capsys.readouterr().out, "load")
    for point in found["points"]:
        del point["seconds"]
    del found["parameters"]["engine"]
    return found


@pytest.mark.cosim
def test_both_engines_say_the_same(capsys, tmp_path):
    """All figures, under overload and far below it, with messages of several packets to all kinds of destinations;
    around a faulty link, with messages of many lengths; and of a trace."""
    window = ["--dim", "2", "--cycles", "200", "--rates", "0.2,1", "--jobs", "1", "--policy", "valiant"]
    what = [*window, "--length", "7", "--multicast", "0.2:2", "--broadcast", "0.1"]
    rtl, golden = measured(capsys, *what), measured(capsys, *what, "--engine", "golden")
    assert rtl == golden
    light, heavy = rtl["points"]
    assert light["offered"] < 0.5 < heavy["offered"]
    assert light["latency"]["multicast"]["mean"] > light["latency"]["unicast"]["mean"] > 7
    assert light["latency"]["multicast"]["max"] <= light["latency"]["max"]
    assert heavy["latency"]["mean"] > 2 * light["latency"]["mean"] > 2 * light["latency"]["network"]["mean"]
    for latency in (light["latency"], heavy["latency"]["multicast"]):
        queue, network = latency["queue"], latency["network"]
        assert latency["mean"] == pytest.approx(queue["mean"] + network["mean"], abs=0.02)
        assert all(max(queue[name], network[name]) <= latency[name] <= latency["max"] for name in ("p50", "p95", "p99"))
        assert queue["max"] + network["max"] >= latency["max"] > queue["max"]
    assert heavy["worst_node"] < heavy["mean_node"] < heavy["best_node"] and not heavy["unreachable"]
    explored = measured(capsys, *what, "--rates", "0.2", "--explore", str(tmp_path / "explored"))
    assert explored["points"] == [light]
    with (tmp_path / "explored" / "recording.jsonl").open() as recording:
        assert json.loads(recording.readline())["golden"] == "match"
    what = [*window, "--length", "1-9", "--multicast", "0.2:2", "--broadcast", "0.1", "--faulty-links", "0-2"]
    rtl, golden = measured(capsys, *what), measured(capsys, *what, "--engine", "golden")
    assert rtl == golden and rtl["points"][0]["unreachable"] > 0
    trace = tmp_path / "trace.txt"
    trace.write_text("3 0 3 20\n3 0 2 1  # one cycle later\n\n0 1 all 5\n110 2 1 255\n")
    what = ["--dim", "2", "--traffic", f"trace:{trace}"]
    rtl, golden = measured(capsys, *what), measured(capsys, *what, "--engine", "golden")
    assert rtl == golden
    (point,) = rtl["points"]
    assert point["messages"] == 4 and point["rate"] is None
    assert point["latency"]["multicast"]["max"] == 2 + 3 + 4 and point["latency"]["max"] == 2 + 3 + 254


ROUTERS_SOAK = {
    "packet": (
        "--max-words 5",
        "--max-words 3 --routing fixed --fault-free",
        # A wire takes many cycles for a word: overload begins far below, and what comes beyond it would not drain.
        "--link serial --max-words 4 --rows 3 --rates 0.02,0.2",
    ),
    "multicast": ("", "--policy ordered --max-data 20", "--fault-free --max-dest 1", "--source-field --max-data 3"),
}
"""Options of routers, each in several forms."""


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize(
    ("router", "options"), [(name, each) for name, forms in ROUTERS_SOAK.items() for each in forms]
)
def test_both_engines_say_the_same_of_all_routers_soak(capsys, router, options):
    """All figures, of the other routers too: messages of several packets to one node, to lists, to all."""
    what = ["--router", router, "--dim", "2", "--rates", "0.2,1", *options.split(), "--jobs", "1"]
    mixed = [
        *what,
        "--cycles",
        "200",
        "--length",
        "1-9",
        "--multicast",
        "0.2:2",
        "--broadcast",
        "0.1",
    ]
    assert measured(capsys, *mixed) == measured(capsys, *mixed, "--engine", "golden")


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize(
    "options",
    [
        "--router packet --dim 2 --faulty-links 0-2",
        "--router packet --dim 3 --fault 6 --faulty-links 0-4,1-3",
        "--router packet --dim 3 --fault 6 --faulty-links 0-4,1-3 --routing fixed",
        "--router multicast --dim 2 --fault 3 --broadcast 0.1",
        "--router multicast --dim 3 --fault 0,7 --policy ordered --broadcast 0.1",
    ],
)
def test_both_engines_say_the_same_around_faults_soak(capsys, options):
    """All figures of the other routers."""
    what = [*options.split(), "--length", "1-9", "--multicast", "0.2:2", "--rates", "0.2,1", "--cycles", "200"]
    rtl = measured(capsys, *what, "--jobs", "1")
    assert rtl == measured(capsys, *what, "--jobs", "1", "--engine", "golden")
    assert rtl["points"][1]["unreachable"] > 0


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize("options", ["--router packet", "--router multicast --policy ordered"])
def test_both_engines_say_the_same_of_64_nodes_soak(capsys, options):
    """All figures of the other routers, with messages to one node, to lists, to all."""
    what = [*options.split(), "--dim", "6", "--length", "5", "--multicast", "0.1:4", "--broadcast", "0.01"]
    what += ["--rates", "0.3", "--cycles", "100", "--warmup", "0", "--jobs", "1"]
    assert measured(capsys, *what) == measured(capsys, *what, "--engine", "golden")


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize("router", ["crosspoint", "packet", "multicast"])
def test_verilator_says_the_same_soak(capsys, router):
    """The RTL in the bit-parallel engine and as Verilator translates it."""
    what = ["--router", router, "--dim", "2", "--length", "7", "--multicast", "0.2:2", "--rates", "0.2,1"]
    assert measured(capsys, *what, "--jobs", "1") == measured(capsys, *what, "--jobs", "1", "--engine", "verilator")


@pytest.mark.cosim
@pytest.mark.soak
def test_reductions_are_the_same_soak(capsys):
    """All figures of RTL, by either simulation, and golden network, with all-reduces beside packets; around faults."""
    what = [
        "--dim",
        "3",
        "--length",
        "5",
        "--rates",
        "0.3,0.9",
        "--reduce",
        "40:150",
        "--cycles",
        "1000",
        "--jobs",
        "1",
    ]
    golden = measured(capsys, *what, "--engine", "golden")
    assert golden == measured(capsys, *what) == measured(capsys, *what, "--engine", "verilator")
    light, heavy = (point["reductions"] for point in golden["points"])
    assert light["right"] and heavy["right"] and light["cycles"]["mean"] < heavy["cycles"]["mean"]
    what += ["--fault", "5", "--faulty-links", "0-1"]
    assert measured(capsys, *what) == measured(capsys, *what, "--engine", "golden")


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize("dim", ["3", "4"])
@pytest.mark.parametrize("how", [["--runs", "1"], ["--policy", "random", "--length", "20"], ["--multicast", "0.1:5"]])
def test_saturation_is_the_same_soak(capsys, dim, how):
    """All figures of a point at overload are those of the golden network."""
    what = ["--dim", dim, "--saturation", "--cycles", "400", "--eject-depth", "16", *how]
    assert measured(capsys, *what) == measured(capsys, *what, "--engine", "golden")


@pytest.mark.cosim
@pytest.mark.soak
@pytest.mark.parametrize("dim", [3, 4, 5])
@pytest.mark.parametrize("how", OVERLOADS)
def test_a_million_messages_of_overload_drain_soak(capsys, dim, how):
    """Each of one packet; all come once, whole and in order, and the network is empty in the end."""
    options, words = OVERLOADS[how]
    cycles = 100 * math.ceil(1.01 * MILLION * words / (100 << dim))
    (point,) = measured(capsys, "--dim", str(dim), "--saturation", "--cycles", str(cycles), *options.split())["points"]
    assert point["exactly_once"] and point["in_order"] and point["drained"]
    assert point["messages"] >= MILLION


def test_reductions_beside_packets(capsys, monkeypatch):
    """Where hardly a packet is, an all-reduce takes what its tree says; a wrong sum, or a missing one, is seen."""
    what = [*GOLDEN[3:-1], "--runs", "1", "--zero-load", "--cycles", "200", "--warmup", "0", "--reduce", "16:50"]
    (point,) = measured(capsys, *what)["points"]
    cycles = join_cycles(plan_group(2)) + 15
    assert point["reductions"] == {
        "words": 16,
        "operations": 2,
        "cycles": {"mean": cycles, "min": cycles, "max": cycles},
        "right": True,
    }
    # The first sum of all nodes is one less.
    monkeypatch.setattr(Alu, "join", lambda alu, a, b, rop: a + b - ((a + b - 16 * FACTOR) % (1 << 32) == 0) & MASK)
    (point,) = measured(capsys, *what, status=1)["points"]
    assert not point["reductions"]["right"] and point["exactly_once"]


def test_faults_that_leave_no_tree_are_an_answer(capsys):
    """Four nodes around one need three children there: status 1, and one line, as of ``cubecast reduce``."""
    star = ["--fault", "3,5,6,7,9,10,11,12,13,14,15", "--reduce", "4:100", "--cycles", "100", "--rates", "0.1"]
    assert main([*GOLDEN[:3], "--dim", "4", *GOLDEN[5:], *star]) == 1
    line = "no tree: no tree with 2 children at most was found over 5 nodes; one with 3 there is"
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": line} and err == f"cubecast load: {line}\n"


def test_latency_of_an_empty_network(capsys):
    """A cycle per hop, one into the first queue, one out of the last and one more with block RAM; and the words."""
    (point,) = measured(capsys, *GOLDEN[3:-1], "--zero-load", "--length", "5", "--cycles", "4000")["points"]
    assert point["latency"]["mean"] == pytest.approx(4 / 3 + 3 + 4, abs=0.3)
    assert point["latency"]["p50"] == 8 and point["offered"] == pytest.approx(0.01, rel=0.4)
    assert point["steady"] and point["accepted"] == pytest.approx(point["offered"], rel=0.2)


@pytest.mark.parametrize("options", ["--cycles 100", "--cycles 200 --warmup 0"])
def test_two_batches_are_too_few_to_be_steady(capsys, options):
    """There is one beginning alone, which no other is compared with."""
    (point,) = measured(capsys, *GOLDEN[3:-1], *options.split(), "--rates", "64")["points"]
    assert not point["steady"]


@pytest.fixture
def pairs(monkeypatch):
    """Source and destination of every packet that comes in the golden network."""
    seen = set()
    take = LoadNode.take

    def noted(node, word):
        take(node, word)
        if node.done:
            seen.add((node.ended.source, node.address))

    monkeypatch.setattr(LoadNode, "take", noted)
    return seen


@pytest.mark.parametrize(
    ("traffic", "destinations"),
    [
        ("complement", {0: 3, 1: 2, 2: 1, 3: 0}),
        ("transpose", {1: 2, 2: 1}),
        ("reverse", {1: 2, 2: 1}),
        ("shuffle", {1: 2, 2: 1}),
        ("tornado", {0: 1, 1: 2, 2: 3, 3: 0}),
        ("neighbour", {0: 1, 1: 2, 2: 3, 3: 0}),
        ("hotspot:2:1", {0: 2, 1: 2, 3: 2}),
        ("permutation:1", dict(enumerate(permutation(2, 1)))),
    ],
)
def test_patterns(capsys, pairs, traffic, destinations):
    """Packets come where the pattern says."""
    measured(capsys, *GOLDEN[3:-1], "--traffic", traffic, "--cycles", "100", "--rates", "0.3")
    # From the node of the hot spot anywhere else.
    assert {pair for pair in pairs if not (traffic.startswith("hotspot") and pair[0] == 2)} == {*destinations.items()}


FAULTY = ["--fault", "6", "--faulty-links", "0-4,1-3"]


@pytest.mark.parametrize(
    ("options", "reached"),
    [
        ("--policy random", lambda node, faults: lengths(3, node, faults)),
        ("--broadcast 1", lambda node, faults: descending(node, faults)),
        ("--multicast 1:7", lambda node, faults: descending(node, faults)),
    ],
)
def test_what_is_reached_around_faults(capsys, pairs, options, reached):
    """Unicasts come wherever two runs lead, lists and broadcasts wherever descending ones do; the rest is counted."""
    what = ["--dim", "3", *GOLDEN[5:-1], *FAULTY, *options.split(), "--rates", "1", "--cycles", "300"]
    (point,) = measured(capsys, *what)["points"]
    faults = faults_of(3, [6], [(0, 4), (1, 3)])
    working = {*range(8)} - faults.nodes
    assert pairs == {(node, there) for node in working for there in reached(node, faults) if there != node}
    assert point["unreachable"] > 0


def packet_ways(node, there, faults, adaptive):
    """Return all ways of a packet router: any first hop, or the lowest, that works, then the lowest dimensions."""
    useful = [k for k in range(3) if (node ^ there) >> k & 1]
    for first in [k for k in useful if faults.passes(node, k)][: 3 if adaptive else 1]:
        at, way = node, []
        for k in (first, *(k for k in useful if k != first)):
            way.append((at, k))
            at ^= 1 << k
        yield way


@pytest.mark.parametrize("routing", ["fixed", "quasi-adaptive"])
def test_packets_are_reached_around_faults(capsys, pairs, routing):
    """Where all ways lead that the router may choose; all that is sent comes."""
    what = ["--router", "packet", "--dim", "3", *GOLDEN[5:-1], *FAULTY, "--routing", routing, "--multicast", "0.2:2"]
    (point,) = measured(capsys, *what, "--rates", "1", "--cycles", "500")["points"]
    faults, reached = faults_of(3, [6], [(0, 4), (1, 3)]), set()
    for node, there in itertools.permutations({*range(8)} - faults.nodes, 2):
        ways = [*packet_ways(node, there, faults, routing != "fixed")]
        if ways and all(faults.passes(at, k) for way in ways for at, k in way):
            reached.add((node, there))
    assert pairs == reached and point["unreachable"] > 0


@pytest.mark.core("--policy ordered --fault 0,7")
@pytest.mark.parametrize("options", ["--fault 6", "--policy ordered --fault 0,7"])
def test_multicast_routers_reach_all_that_work(capsys, pairs, options):
    """With at most one faulty neighbour each; broadcasts are lists of them."""
    what = ["--router", "multicast", "--dim", "3", *GOLDEN[5:-1], *options.split(), "--broadcast", "0.1"]
    (point,) = measured(capsys, *what, "--multicast", "0.1:3", "--rates", "0.5", "--cycles", "500")["points"]
    working = {*range(8)} - {int(node) for node in options.split()[-1].split(",")}
    assert pairs == {*itertools.permutations(working, 2)} and point["unreachable"] > 0


def descending(node, faults):
    """Return the nodes that a descending path without faults leads to."""
    return [there for there in range(8) if is_clear(node, Header(Kind.UNICAST, node ^ there), faults)]


def test_faults_are_real(capsys, monkeypatch):
    """A route over a faulty link loses its packets, and that is seen."""
    monkeypatch.setattr(load, "two_run_route", lambda n, node, there, *_: Header(Kind.UNICAST, node ^ there))
    what = ["--faulty-links", "0-1", "--rates", "0.5", "--cycles", "100"]
    (point,) = measured(capsys, *GOLDEN[3:-1], *what, status=1)["points"]
    assert not point["exactly_once"]


@pytest.mark.parametrize(
    ("length", "shares"),
    [("2-5", dict.fromkeys((2, 3, 4, 5), 0.25)), ("bimodal:1:9:0.3", {1: 0.7, 9: 0.3}), ("bimodal:1:9:1", {9: 1})],
)
def test_lengths(capsys, monkeypatch, length, shares):
    """Messages have the words that they should have, each number as often as it should."""
    drawn = Counter()
    draw = LoadNode._draw

    def noted(node):
        draw(node)
        drawn[node.whole] += node.drawn

    monkeypatch.setattr(LoadNode, "_draw", noted)
    measured(capsys, *GOLDEN[3:-1], "--length", length, "--cycles", "300", "--rates", "1")
    assert {*drawn} == {*shares} and drawn.total() > 100
    assert all(drawn[words] / drawn.total() == pytest.approx(share, abs=0.1) for words, share in shares.items())


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ({"length": 4}, 4 + 1),
        ({"length": 5}, 5 + 2),
        ({"length": 3, "spread": 4}, 4.5 + 1.5),
        ({"length": 1, "other": 5, "other_share": 0.5}, 3 + 1.5),
        ({"length": 4, "spread": 2, "other": 4, "other_share": 0.5}, 4.25 + 1.25),
    ],
)
def test_lists_are_offered_with_the_bitmaps_of_all_lengths(lengths, words):
    """Each packet of a list brings its bitmap beside four words: as many as messages have, not one of mean length."""
    shape = LoadShape(dim=2, width=32, packet_limit=5, block_dims=2, bitmaps=True)
    traffic = Traffic(dim=2, lists=Lists(share=1.0, members=3), **lengths)
    assert mean_words(shape, traffic) == pytest.approx(3 * words)
    numbers = np.arange(256)
    assert {each for each, share in traffic.lengths.items() if share} == {*numbers[traffic.may_have(numbers)]}


class Harmed:
    """What stands between the network and its sinks, and does harm once.

    Parameters
    ----------
    harm : str
        What is done to the first word that fits, some time after the beginning.
    """

    def __init__(self, harm):
        self.harm = harm
        self.place = 0
        self.waiting = []
        self.done = False

    def __call__(self, node, word):
        """Let a node take a word, or what has become of it."""
        take = self.take
        ready = next((held for held in self.waiting if held[0] == node.address and held[2] <= self.place), None)
        if word is None:
            if ready is not None and not node._within:
                self.waiting.remove(ready)
                word = ready[1]
            take(node, word)
            return
        self.place += 1
        inside = node._tagged and not word.last
        if not self.done and self.place > 20:
            self.done = True
            if self.harm == "lost word" and inside:
                return take(node, None)
            if self.harm == "doubled word" and inside:
                take(node, word)
            elif self.harm == "wrong word" and inside:
                word = word._replace(data=word.data ^ 4)
            elif self.harm == "lost packet" and not node._within and word.last:
                return take(node, None)
            elif self.harm == "doubled packet" and not node._within and word.last:
                self.waiting.append((node.address, word, 0))
            elif self.harm == "wrong node" and not node._within and word.last:
                self.waiting.append((node.address ^ 1, word, 0))
                return take(node, None)
            elif self.harm == "late packet" and not node._within and word.last:
                self.waiting.append((node.address, word, self.place + 60))
                return take(node, None)
            else:
                self.done = False
        take(node, word)


def test_numbers_that_come_round():
    """A packet that 1,024 others of its source have passed is known by its destination; what nobody has sent is not."""
    shape = LoadShape(dim=2, width=12, packet_limit=1, block_dims=0)
    heads = np.zeros(1025, dtype=RECORD)
    heads["cycle"] = np.arange(1025)
    sent = Packets(**dict.fromkeys(Packets._fields))._replace(owner=np.arange(1025), destination=np.full(1025, 2))
    sent.destination[0] = 1
    came = np.zeros(5, dtype=RECORD)
    # The last packet at node 2, the first one at node 1, again at node 1, at node 3, and the second one too early.
    came["what"], came["value"], came["cycle"] = [2, 1, 1, 3, 2], [0, 0, 0, 0, 1 << 10], [1030, 1031, 1032, 1033, 1]
    found = _packets(shape, heads, np.array([0, 1025, 1025, 1025, 1025]), sent, came)
    assert found.tolist() == [1024, 0, -1, -1, -1]


@pytest.mark.parametrize(
    ("harm", "length"),
    [
        ("none", 1),
        ("none", 4),
        ("lost word", 4),
        ("doubled word", 4),
        ("wrong word", 4),
        ("lost packet", 1),
        ("doubled packet", 1),
        ("wrong node", 1),
        ("late packet", 1),
    ],
)
def test_harm_is_seen(capsys, monkeypatch, harm, length):
    """One word or packet of many: status 1, and which of the two promises is broken."""
    harmed = Harmed(harm)
    harmed.take = LoadNode.take
    monkeypatch.setattr(LoadNode, "take", lambda node, word: harmed(node, word))
    status = int(harm != "none")
    what = ["--length", str(length), "--rates", "0.4", "--cycles", "200"]
    (point,) = measured(capsys, *GOLDEN[3:-1], *what, status=status)["points"]
    assert harmed.done == (harm != "none")
    assert point["exactly_once"] == (harm in ("none", "late packet"))
    assert point["in_order"] == (harm != "late packet")


@pytest.mark.parametrize(
    ("router", "harm"),
    [
        (router, harm)
        for router in ("packet", "multicast")
        for harm in ("none", "lost word", "doubled word", "wrong word")
    ],
)
def test_harm_is_seen_with_all_routers(capsys, monkeypatch, router, harm):
    """A word that is lost, doubled or another one, behind the other routers too."""
    harmed = Harmed(harm)
    harmed.take = LoadNode.take
    monkeypatch.setattr(LoadNode, "take", lambda node, word: harmed(node, word))
    what = ["--router", router, *GOLDEN[3:-1], "--length", "4", "--rates", "0.3", "--cycles", "200"]
    (point,) = measured(capsys, *what, status=int(harm != "none"))["points"]
    assert harmed.done == (harm != "none") == (not point["exactly_once"])
    assert point["in_order"] is (None if router == "multicast" else True)


@pytest.mark.parametrize(("router", "members"), [("packet", 3), ("multicast", 5), ("crosspoint", 5)])
def test_lists_have_their_nodes(capsys, router, members):
    """As many as asked for, more than there are dimensions, too."""
    what = ["--router", router, "--dim", "2" if members == 3 else "3", *GOLDEN[5:-1], "--fault-free"]
    what += ["--multicast", f"1:{members}", "--rates", "0.2", "--cycles", "200"]
    (point,) = measured(capsys, *what)["points"]
    assert point["messages"] > 5 and not point["unreachable"]


def test_flits_count_headers(capsys):
    """Far below saturation a word in takes its destination with it, and comes behind two; k, the list and Control."""
    what = ["--dim", "2", "--engine", "golden", "--jobs", "1", "--rates", "0.02", "--cycles", "2000"]
    for router, into, out in (("packet", 2, 3), ("multicast", 4, 2)):
        (point,) = measured(capsys, "--router", router, *what)["points"]
        words = {name: point[name] for name in ("accepted", "delivered")}
        assert point["flits"]["accepted"] == pytest.approx(into * words["accepted"])
        assert point["flits"]["delivered"] == pytest.approx(out * words["delivered"], rel=0.05)


def test_latency_of_empty_networks(capsys):
    """A word over two hops: for packets it and its destination enter a slot, 3 cycles to the link, 4 a hop, and two
    words come before it; for multicast routers k + 2 cycles at each of three routers, and Control comes before it."""
    what = ["--dim", "2", "--engine", "golden", "--jobs", "1", "--traffic", "complement", "--rates", "0.002"]
    for router, latency in (("packet", 2 + 3 + 2 * 4 + 2), ("multicast", 3 * 3 + 1)):
        (point,) = measured(capsys, "--router", router, *what, "--cycles", "2000")["points"]
        assert point["latency"]["p50"] == latency


@pytest.mark.parametrize("router", ["packet", "multicast", "crosspoint"])
def test_what_is_given_up_is_not_lost(capsys, router):
    """In an overload that does not drain; the run ends amid the packets of a message at most nodes."""
    line = f"--router {router} --dim 2 --engine golden --jobs 1 --cycles 100 --rates 64 --length 255"
    (point,) = measured(capsys, *line.split(), status=1)["points"]
    assert not point["drained"] and point["exactly_once"] and point["in_order"] is not False


@pytest.mark.parametrize("router", ["packet", "multicast"])
def test_a_trace_of_all_routers(capsys, tmp_path, router):
    """All messages of it come; one with more words than a packet has takes several."""
    (tmp_path / "trace").write_text("3 0 3 20\n3 0 2 1\n0 1 all 5\n")
    what = ["--router", router, *GOLDEN[3:-1], "--traffic", f"trace:{tmp_path / 'trace'}"]
    (point,) = measured(capsys, *what)["points"]
    assert point["messages"] == 3 and point["exactly_once"] and point["latency"]["multicast"]["max"] < 30


@pytest.mark.parametrize("last", [97, 98, 99, 100])
def test_the_window_of_a_trace_has_its_last_message(capsys, tmp_path, last):
    """Whichever of its hundred cycles that one arrives in."""
    (tmp_path / "trace").write_text(f"0 0 1 1\n{last} 0 3 1\n")
    (point,) = measured(capsys, *GOLDEN[3:-1], "--traffic", f"trace:{tmp_path / 'trace'}")["points"]
    assert point["messages"] == 2 and point["latency"]["max"] == 2 + 3


def test_points_are_kept(capsys, tmp_path):
    """A second run takes them from the folder, and writes the same files."""
    words = [*GOLDEN[:-1], "--cycles", "100", "--rates", "0.1,0.2", "-o", str(tmp_path)]
    assert main(words) == 0
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {*first} == {"load.json", "load.svg", "load.png", "points.jsonl"}
    run = {"command": "load", "arguments": [*GOLDEN[1:-3], "--cycles", "100", "--rates", "0.1,0.2"], "files": {}}
    assert json.loads(first["load.json"])["run"] == run
    assert "offered  accepted  delivered" in capsys.readouterr().out
    assert main([*words[:-4], "--rates", "0.2,0.1,0.3", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "points.jsonl").read_bytes().startswith(first["points.jsonl"])
    assert len((tmp_path / "points.jsonl").read_text().splitlines()) == 4
    assert main(words) == 0
    assert (tmp_path / "load.json").read_bytes() == first["load.json"]
    assert (tmp_path / "load.svg").read_bytes() == first["load.svg"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--traffic random", "traffic must be one of uniform, complement, .*, hotspot, trace, not 'random'"),
        ("--traffic hotspot", "traffic must be hotspot:NODE:SHARE, not 'hotspot'"),
        ("--traffic hotspot:1", "traffic must be hotspot:NODE:SHARE, not 'hotspot:1'"),
        ("--traffic hotspot:4:0.1", "hotspot must be an integer from 0 to 3, not 4"),
        ("--traffic hotspot:1:1.5", "share of the hot spot must be a number from 0 to 1, not 1.5"),
        ("--traffic shuffle:1", "traffic must be one of .*, not 'shuffle:1'"),
        ("--traffic transpose --dim 3", "dim must be even with traffic transpose, not 3"),
        ("--traffic permutation", "traffic must be permutation:SEED, not 'permutation'"),
        ("--traffic permutation:0.5", "seed of the permutation must be an integer, not 0.5"),
        ("--booksim build/b --traffic tornado", "traffic must be one of uniform, .* with --booksim, not 'tornado'"),
        *(
            (f"--booksim build/b {option}", f"{name} must not be given with booksim, which measures nothing")
            for option, name in (
                ("-o build/o", "out"),
                ("--explore build/e", "explore"),
                ("--reduce 1:100", "reduce"),
                ("--warmup 100", "warmup"),
                ("--engine verilator", "engine"),
                ("--jobs 2", "jobs"),
                ("--policy valiant", "policy"),
            )
        ),
        ("--booksim build/b --broadcast 0.1", "multicast and broadcast must have share 0 with --booksim"),
        ("--booksim /dev/null", "folder '/dev/null' must be one that can be written: .*"),
        ("--length 0", "length must be an integer from 1 to 255, not 0"),
        ("--length 1-256", "greatest length must be an integer from 1 to 255, not 256"),
        ("--length 250-256", "greatest length must be an integer from 250 to 255, not 256"),
        ("--length 9-8", "length must be N, A-B or bimodal:A:B:SHARE, B at least A, not '9-8'"),
        ("--length x", "length must be N, A-B or bimodal:A:B:SHARE, not 'x'"),
        ("--length bimodal:1:2", "length must be bimodal:A:B:SHARE, not 'bimodal:1:2'"),
        ("--length bimodal:1:300:0.5", "other length must be an integer from 1 to 255, not 300"),
        ("--length bimodal:1:2:1.5", "share of other lengths must be a number from 0 to 1, not 1.5"),
        ("--fault 4", "fault must be an integer from 0 to 3, not 4"),
        ("--fault 0,1,2,3", "faults must leave a node that works"),
        ("--faulty-links 0-3", "link must join neighbours, not 0 and 3"),
        ("--fault 1 --fault-free", "fault and faulty links must not be given without fault tolerance"),
        ("--booksim build/b --runs 1", "runs must not be given with booksim, which has routers of its own"),
        ("--booksim build/b --preset small", "preset must not be given with booksim, which has routers of its own"),
        ("--traffic trace:", "traffic must be trace:FILE, not 'trace:'"),
        ("--traffic trace:/dev/null", "trace must be a file, which is read for each point, not '/dev/null'"),
        ("--traffic trace:none.txt", "trace file '.*none.txt' must be one that can be read: No such file or directory"),
        (f"--traffic trace:{'x' * 300}", "trace file '.*x' must be one that can be read: File name too long"),
        ("--traffic trace:examples/trace.txt --length 2", "length must not be given with traffic trace, .*"),
        ("--booksim build/b --length 1-2", "length must be one number, and nothing faulty, with --booksim"),
        ("--multicast 0.5", "multicast must be SHARE:K, not '0.5'"),
        ("--multicast 0.5:4", "nodes of a list must be an integer from 1 to 3, not 4"),
        ("--multicast 0.5:2 --no-multicast", "multicast and broadcast must have share 0 without multicast"),
        ("--multicast 0.7:2 --broadcast 0.4", "share of lists and broadcasts must be a number from 0 to 1, not 1.1"),
        (
            "--broadcast x",
            "argument --broadcast: must be a decimal number of at most 12 digits after the point, .* 'x'",
        ),
        ("--policy valiant --runs 1", "policy must be e-cube when runs is 1, not 'valiant'"),
        ("--rates 0.1,0", "argument --rates: must be different numbers above 0, up to 64, .*, not '0.1,0'"),
        ("--rates 1.5e-1", "argument --rates: must be a decimal number of at most 12 digits .*, not '1.5e-1'"),
        ("--rates 0.1 --saturation", "argument --saturation: not allowed with argument --rates"),
        ("--cycles 150", "cycles must be a multiple of 100 from 100 to 10000000, not 150"),
        ("--warmup -100", "warmup must be a multiple of 100 from 0 to 10000000, not -100"),
        ("--seed -1", "seed must be an integer from 0 to 2\\*\\*64 - 1, not -1"),
        ("--jobs 0", "jobs must be an integer from 1 to 1024, not 0"),
        (
            "--reduce 1:100 --router packet",
            "reduce must be given with router crosspoint alone, not packet",
        ),
        ("--fault 1 --fault-free --router packet", "fault and faulty links must not be given without fault tolerance"),
        ("--fault 1 --broadcast 0.1 --router packet", "broadcast must be 0 with faults with the packet router, .* 0.1"),
        (
            "--dim 4 --fault 1 --traffic trace:examples/trace.txt --router packet",
            "fault and faulty links must not be given with traffic trace with the packet router",
        ),
        (
            "--fault 1 --fault-free --router multicast",
            "fault and faulty links must not be given without fault tolerance",
        ),
        ("--faulty-links 0-1 --router multicast", "faulty links must not be given with the multicast router where .*"),
        ("--fault 0,3 --router multicast", "faults must leave each node at most one faulty neighbour .* several of 1"),
        (
            "--dim 6 --fault 0 --broadcast 0.1 --router multicast",
            "max_list must be at least 62 for broadcasts around these faults where load is measured, not 32",
        ),
        ("--policy valiant --router multicast", "policy must be one of greedy, ordered, not 'valiant'"),
        ("--policy e-cube --router packet", "policy must be given with the multicast and crosspoint routers only, .*"),
        ("--max-words 1 --router packet", "max_words must be an integer from 2 to 63 where load is measured, not 1"),
        ("--width 11 --router packet", "width must be an integer from 12 to 64 where load is measured, not 11"),
        ("--max-data 0 --router multicast", "max_data must be an integer from 1 to 4096 where load is measured, not 0"),
        ("--multicast 0.5:3 --router multicast", "nodes of a list must be an integer from 1 to 2, not 3"),
        ("--width 11", "width must be at least 12 where load is measured, not 11"),
        ("--packet-limit 1", "packet_limit must be from 2 to 255 where multicast load is measured, not 1"),
        ("--dim 7 --engine rtl", "dim must be an integer from 2 to 6 with engine rtl, not 7"),
        ("-o /dev/null", "folder '/dev/null' must be one that can be written: .*"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, text):
    """Status 2, and the same line as JSON."""
    run = GOLDEN[5:-1] if "--booksim" not in arguments else []
    assert main([*GOLDEN[:5], *run, "--json", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert re.fullmatch(f"cubecast load: {text}\n", err), err
    assert json.loads(out) == {"error": err.strip().removeprefix("cubecast load: ")}


def test_help_has_the_ranges(capsys):
    """Those that are checked."""
    assert main(["load", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for words in (
        "the window, a multiple of 100 from 100 to 10000000 (default 4000)",
        "before it, a multiple of 100 from 0 to 10000000 (default",
        "points at a time, 1 to 1024 (default",
        "what is run (default rtl); beyond n = 6 golden alone",
    ):
        assert words in out


@pytest.mark.parametrize("option", ["--log-depth", "--counters"])
def test_what_a_load_sets_itself_is_no_option(capsys, option):
    """It would change nothing."""
    assert main([*GOLDEN[:-1], option, "16"]) == 2
    assert capsys.readouterr() == ("", f"cubecast: unrecognized arguments: {option} 16\n")
    assert main(["load", "--help"]) == 0
    assert option not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "messages of the trace must be an integer from 1 to 1000000, not 0"),
        ("0 1 2", "line 1 of the trace must be CYCLE SOURCE DESTINATION WORDS, not '0 1 2'"),
        ("0 1 2 3\n-1 1 2 3", "line 2 of the trace must be CYCLE SOURCE DESTINATION WORDS, not '-1 1 2 3'"),
        ("0 all 2 3", "line 1 of the trace must be .*"),
        ("1000001 1 2 3", "cycle of line 1 of the trace must be an integer from 0 to 1000000, not 1000001"),
        ("0 4 2 3", "source of line 1 of the trace must be an integer from 0 to 3, not 4"),
        ("0 1 4 3", "destination of line 1 of the trace must be an integer from 0 to 3, not 4"),
        ("0 1 1 3", "destination of line 1 of the trace must be another node than the source, not 1"),
        ("0 1 2 0", "words of line 1 of the trace must be an integer from 1 to 255, not 0"),
    ],
)
def test_a_bad_trace_is_one_line(capsys, tmp_path, text, error):
    """Status 2."""
    (tmp_path / "trace").write_text(text)
    assert main([*GOLDEN, "--traffic", f"trace:{tmp_path / 'trace'}"]) == 2
    assert re.fullmatch(f"cubecast load: {error}\n", capsys.readouterr().err)


def test_the_seed_of_a_permutation_keeps_its_digits(capsys):
    """Also those that a fraction has not."""
    for seed in (2**53 + 1, 2**64 - 1):
        line = f"load --router crosspoint --dim 2 --traffic permutation:{seed} --engine golden --rates 0.1 --cycles 100"
        assert main([*line.split(), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["parameters"]["traffic"]["permutation"] == seed


def test_permutations_are_drawn():
    """Every node has one other node, and another seed gives another one."""
    drawn = [permutation(4, seed) for seed in range(20)]
    assert all(sorted(nodes) == [*range(16)] for nodes in drawn)
    assert all(there != node for nodes in drawn for node, there in enumerate(nodes))
    assert len({*drawn}) == 20


def test_files_for_booksim(capsys, tmp_path):
    """One for each kind of router, and a script that gives each of them all the loads."""
    words = ["load", "--router", "crosspoint", "--dim", "3", "--length", "5", "--traffic", "complement"]
    assert main([*words, "--rates", "0.5,0.25", "--booksim", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("wrote ") == 4
    settings = dict(re.findall(r"^(\w+) = (.+);$", (tmp_path / "vc4").read_text(), re.M))
    known = {"topology": "mesh", "k": "2", "n": "3", "num_vcs": "4", "packet_size": "5", "traffic": "bitcomp"}
    assert known.items() <= settings.items()
    program = tmp_path / "booksim"
    program.write_text(
        "#!/bin/sh\necho 'Accepted flit rate average= 0.25'\necho 'Packet latency average = 9.5 (1 samples)'\n"
        "echo 'Accepted flit rate average = 0.26 (1 samples)'\n"
    )
    program.chmod(0o755)
    done = subprocess.run(["sh", str(tmp_path / "run.sh"), str(program)], capture_output=True, text=True, check=True)
    lines = [f"{file} offered {rate}: accepted 0.26 latency 9.5" for file in ROUTERS for rate in ("0.5", "0.25")]
    assert done.stdout.splitlines() == lines


def test_without_matplotlib_all_is_there_but_plots(capsys, monkeypatch, tmp_path):
    """What is missing is said with ``-o`` alone, before anything is measured."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib" or name.endswith(".plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("cubecast.cli.load.find_spec", lambda name: None)
    line = [*GOLDEN, "--cycles", "100", "--rates", "0.1"]
    assert main(line) == 0
    (tmp_path / "load.json").write_text(capsys.readouterr().out)
    compared = ["load", "compare", str(tmp_path)]
    assert main(compared) == 0
    capsys.readouterr()
    for command, name in ((line, "load"), (compared, "load compare")):
        assert main([*command, "-o", str(tmp_path / "new")]) == 3
        told = "load needs matplotlib: pip install 'cubecast[study]'\n"
        assert capsys.readouterr().err == f"cubecast {name}: {told}"
    assert [path.name for path in tmp_path.iterdir()] == ["load.json"]


def test_results_are_compared(capsys, tmp_path):
    """In one plot, by the parameters in which they differ; the same twice is refused."""
    point = POINT | {"latency": dict.fromkeys(POINT["latency"], 5)}
    for length in (1, 5):
        (tmp_path / str(length)).mkdir()
        result = {"parameters": {"system": "crosspoint", "traffic": {"length": length}}, "points": [point]}
        (tmp_path / str(length) / "load.json").write_text(json.dumps(result))
    results = [str(tmp_path / "1"), str(tmp_path / "5" / "load.json")]
    assert main(["load", "compare", *results, "-o", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"length 1": [point], "length 5": [point]}
    drawn = (tmp_path / "out" / "compare.svg").read_text()
    assert "length 1, mean" in drawn and "length 5, p99" in drawn
    assert main(["load", "compare", *results]) == 0
    assert capsys.readouterr().out.startswith("length 1\noffered  accepted")
    assert main(["load", "compare", results[0], results[0]]) == 2
    assert capsys.readouterr().err == "cubecast load compare: results must be different ones\n"


@pytest.mark.parametrize(
    ("name", "label"), [(r"b$\frac{$", r"b$\frac{$"), ("$c$", "$c$"), ("_d", "_d"), ("e\udcff", r"e\udcff")]
)
def test_any_name_of_a_folder_stands_in_the_plot(monkeypatch, tmp_path, name, label):
    """As it is: no formula, not left out, and readable if it is no text."""
    monkeypatch.chdir(tmp_path)
    for folder in ("a", name):
        Path(folder).mkdir()
        (Path(folder) / "load.json").write_text(json.dumps({"parameters": {}, "points": [POINT]}))
    assert main(["load", "compare", "a", name, "-o", "out"]) == 0
    drawn = Path("out/compare.svg").read_text()
    assert f">{label}, mean</text>" in drawn and f">{label}, p99</text>" in drawn


def test_different_routers_are_compared_by_their_names(capsys, tmp_path):
    """What their configurations have is left out."""
    for system, config in (("packet", {"dim": 2, "rows": 13}), ("multicast", {"dim": 2, "lanes": 2})):
        (tmp_path / system).mkdir()
        result = {"parameters": {"system": system, "config": config}, "points": [POINT | {"in_order": None}]}
        (tmp_path / system / "load.json").write_text(json.dumps(result))
    assert main(["load", "compare", *(str(tmp_path / name) for name in ("packet", "multicast")), "--json"]) == 0
    assert [*json.loads(capsys.readouterr().out)] == ["system packet", "system multicast"]


POINT = {name: 0.1 for name in ("offered", "accepted", "delivered", "worst_node", "best_node")}
POINT |= {"latency": dict.fromkeys(("mean", "interval", "p50", "p95", "p99", "max")), "link_use": {"mean": 0.1}}
POINT |= dict.fromkeys(("steady", "drained", "exactly_once", "in_order"), True)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "result file .* must be one that can be read: No such file or directory"),
        ("[" * 100_000, "result file .* must not be nested that deeply"),
        ([], ".*: no parameters and points"),
        ({"parameters": {}}, ".*: no parameters and points"),
        ({"parameters": 1, "points": []}, ".*: no parameters and points"),
        ({"parameters": {}, "points": 5}, ".*: no parameters and points"),
        ({"parameters": {}, "points": [POINT, 1]}, r".*: points\[1\] is none"),
        ({"parameters": {}, "points": [POINT | {"offered": "x"}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT | {"offered": True}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT | {"delivered": -1}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT | {"unreachable": "\x1b[2J"}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT | {"accepted": 1e999}]}, ".*: Infinity is no number of JSON"),
        (json.dumps({"parameters": {}, "points": [POINT | {"accepted": 77}]}).replace("77", "1e999"), r".* is none"),
        ({"parameters": {}, "points": [POINT | {"latency": {}}]}, r".*: points\[0\] is none"),
        (
            {"parameters": {}, "points": [POINT | {"latency": POINT["latency"] | {"p99": ""}}]},
            r".*: points\[0\] is none",
        ),
        ({"parameters": {}, "points": [POINT | {"link_use": 1}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT | {"steady": 1}]}, r".*: points\[0\] is none"),
        ({"parameters": {}, "points": [POINT]}, None),
    ],
)
def test_a_result_that_is_none_is_one_line(capsys, tmp_path, result, text):
    """Whatever is in its file; status 2."""
    if result is not None:
        (tmp_path / "load.json").write_text(result if isinstance(result, str) else json.dumps(result))
    assert main(["load", "compare", str(tmp_path)]) == (2 if text else 0)
    assert re.fullmatch(f"cubecast load compare: {text}\n" if text else "", capsys.readouterr().err)


def test_documented_figures_are_those_of_the_plan():
    """All points are there, all words came once and in order, and the tables on the page are made of them."""
    lines = [json.loads(line) for line in (DOCS / "load.jsonl").read_text().splitlines()]
    assert len(lines) == len(PLAN)
    assert all(line["exactly_once"] and line["in_order"] is not False and line["drained"] for line in lines)
    page = (DOCS / "load.md").read_text()
    assert replace(page, tables(lines)) == page
