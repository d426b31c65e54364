"""Recordings of networks under load: they tell what the routers count, and what the point says."""

import dataclasses
import json
from collections import Counter

import pytest

from cubecast.api.loading import loaded, window_of
from cubecast.cli import explore_load, main
from cubecast.golden.common.algorithms.load import Lists, Traffic
from cubecast.golden.common.contract.control import Register
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.reduction.algorithms.load import FACTOR
from cubecast.golden.reduction.contract.registers import Register as Joined
from cubecast.tb.campaigns.curves.run import joining_of, point
from cubecast.tb.campaigns.curves.watched import Tap, recorded
from cubecast.tb.common.recording import IN_USE, NOT_HERE
from tests.explorer.test_recording import entries, times

ROUTERS = {
    "crosspoint": (CrosspointConfig(dim=3, packet_limit=3), "e-cube"),
    "packet": (PacketConfig(dim=3, max_words=4), ""),
    "serial": (PacketConfig(dim=3, max_words=4, link="serial"), ""),
    "multicast": (Config(dim=3, max_data=3), ""),
}


@pytest.mark.parametrize("router", ROUTERS)
def test_a_load_is_recorded_as_it_is_measured(router):
    """Figures do not change; words, packets and waits of links are the registers'; every message comes where it is for,
    as many words as the point says."""
    config, policy = ROUTERS[router]
    # A link of one bit carries a word in 18 cycles.
    offered = 0.05 if router == "serial" else 0.6
    config, system = loaded(config), "packet" if router == "serial" else router
    lists = Lists(share=0.2, members=2)
    traffic = Traffic(dim=3, length=1, spread=7, lists=lists, broadcast=0.1, policy=policy)
    window = dataclasses.asdict(window_of(200, 0))
    arguments = {
        "system": system,
        "config": dataclasses.asdict(config),
        "traffic": dataclasses.asdict(traffic),
        "window": window,
    }
    plain = point(3, **arguments, engine="golden", offered=offered)
    tap = Tap(system, config)
    watched = point(3, **arguments, engine="golden", offered=offered, attach=tap.attach)
    assert watched == plain | {"seconds": watched["seconds"]}
    header, events = recorded(tap)
    counted = Counter()
    for link in header["links"]:
        port = (link["from"] ^ link["to"]).bit_length() - 1
        for row, name in (
            (Register.MESSAGES_OUT, "messages"),
            (Register.WORDS_OUT, "words"),
            (Register.WAITED, "waited"),
        ):
            assert tap.routers[link["from"]].control.registers[int(row) + port] == link[name], (link, name)
            counted[name] += link[name]
    assert all(counted.values())
    assert {(d["message"], d["node"]) for d in header["deliveries"]} == {
        (message["message"], node) for message in header["messages"] for node in message["destinations"]
    }
    # Of up to 7 words, 3 in a packet, or 2 behind the bitmap of a list.
    packets = Counter((message, node) for _, node, message, *_ in entries(events, "eject"))
    assert {*packets.values()} == {1, 2, 3, *([4] if system == "crosspoint" else [])}
    sizes = Counter(len(message["destinations"]) for message in header["messages"])
    assert {*sizes} >= {"packet": {1, 7}, "serial": {1, 2}}.get(router, {1, 2, 7})
    first, last = plain["warmup"], plain["warmup"] + 200
    ejected = sum(
        first <= at < last for cycle, _, _, sent, *more in entries(events, "eject") for at in times(cycle, sent, *more)
    )
    assert ejected / 200 / 8 == pytest.approx(plain["flits"]["delivered"], abs=0.01)
    backlog = [values for _, _, unit, values in entries(events, "units") if unit == len(header["units"]) - 1]
    assert max(backlog) > ([0] if router == "serial" else [1]) and [] in backlog


def test_all_reduces_are_recorded_beside_packets():
    """Words of packets, and their waits, are the router's counts; those of all-reduces are the sums of all that are
    below, round by round, and their waits are the join units' counts. Who waits for a link names who has it."""
    config = loaded(CrosspointConfig(dim=3, packet_limit=3))
    traffic = dataclasses.asdict(Traffic(dim=3, length=1, spread=7, policy="e-cube"))
    window, reductions = dataclasses.asdict(window_of(200, 0)), {"words": 8, "period": 30}
    arguments = {"system": "crosspoint", "config": dataclasses.asdict(config), "traffic": traffic, "window": window}
    arguments |= {"reductions": reductions, "engine": "golden", "offered": 0.6}
    plain = point(3, **arguments)
    joining = joining_of(traffic, window, reductions)
    tap = Tap("crosspoint", config, joining)
    watched = point(3, **arguments, attach=tap.attach)
    assert watched == plain | {"seconds": watched["seconds"]}
    header, events = recorded(tap)
    tree, rounds, block = joining.tree, joining.count, 8
    assert rounds > 5 and plain["reductions"]["right"]

    # By link: words of packets in lane 0, of all-reduces in lane 1; no two in a cycle.
    words, sums, taken, crossing = Counter(), {}, Counter(), {}
    for cycle, node, j, lane, message, sent, *more in entries(events, "links"):
        words[node, j, lane] += len(sent)
        crossing |= {(node, j, at): message for at in times(cycle, sent, *more)}
        taken.update((node, j, at) for at in times(cycle, sent, *more))
        if lane:
            sums.setdefault((node, node ^ 1 << j), []).append((message, sent))
    assert {*taken.values()} == {1}
    below = {node: {node} for node in tree.nodes}
    for node in sorted(tree.parents, key=tree.levels.__getitem__, reverse=True):
        below[tree.parents[node]] |= below[node]
    place = {message["source"]: message["message"] for message in header["messages"][:block]}

    def joined(node, number):
        """Return what a node makes of the words of an all-reduce: word i of node v is i FACTOR (2 v + 1)."""
        factor = sum(2 * each + 1 for each in below[node])
        made = [(8 * number + at + 1) * FACTOR * factor % 2**config.width for at in range(8)]
        return place[node] + number * block, made

    for node, parent in tree.parents.items():
        assert sums.pop((node, parent)) == [joined(node, number) for number in range(rounds)]
        assert sums.pop((parent, node)) == [joined(tree.root, number) for number in range(rounds)]
    assert not sums
    for node in tree.members:
        offered = [
            (m, len(sent)) for _, at, m, sent, *_ in entries(events, "inject") if at == node and m < rounds * block
        ]
        assert offered == [(place[node] + number * block, 8) for number in range(rounds)]
        came = [(m, sent) for _, at, m, sent, *_ in entries(events, "eject") if at == node and m < rounds * block]
        assert came == [joined(tree.root, number) for number in range(rounds)]
    names = [header["messages"][number]["what"] for number in (block, place[tree.root])]
    assert names == ["all-reduce 1", "result of all-reduce 0"]
    assert {(d["message"], d["node"]) for d in header["deliveries"]} == {
        (message["message"], node) for message in header["messages"] for node in message["destinations"]
    }

    # Of whom an output serves next, a join unit is one; after its word it stands last.
    orders = {}
    for cycle, node, arbiter, order in entries(events, "arbiters"):
        orders.setdefault((node, arbiter), {})[cycle] = [header["units"][unit] for unit in order]
    for cycle, node, j, lane, _, sent, *more in entries(events, "links"):
        for at in times(cycle, sent, *more) if lane else ():
            order = next(orders[node, j][each] for each in range(at + 1, -1, -1) if each in orders[node, j])
            up = tree.parents.get(node) == node ^ 1 << j
            assert order[-1] == (["join", "join"] if up else ["results", "join queue"])
            assert len({*map(tuple, order)}) == len(order)

    # Waits, as routers and join units count them.
    waited, stalled, seen = {}, Counter(), set()
    ends_of = {(delivery["message"], delivery["node"]): delivery["last_cycle"] for delivery in header["deliveries"]}
    for cycle, node, unit, port, message, why, by, count in entries(events, "waits"):
        kind = header["units"][unit][1]
        seen.add((kind, why, by < rounds * block))
        if kind == "queue":
            waited.setdefault((node, port), set()).update(range(cycle, cycle + count))
        elif why == NOT_HERE:
            name = "STALL_OWN" if port == 3 else ("STALL_A", "STALL_B")[tree.children()[node].index(node ^ 1 << port)]
            stalled[node, name] += count
            if by >= 0:
                # It is on its way, or comes out of the link's register; the one before has come.
                assert by // block == message // block and cycle > ends_of.get((by - block, node), -1)
                assert cycle + count - 1 <= ends_of[by, node] + 2
        elif kind == "join":
            stalled[node, "STALL_LINK"] += count
        if why == IN_USE and port < 3:
            assert all(crossing[node, port, at] == by for at in range(cycle, cycle + count))
    assert {("queue", IN_USE, True), ("queue", IN_USE, False), ("join", IN_USE, False)} <= seen
    for node, router in enumerate(tap.routers):
        for j in range(3):
            registers = router.control.registers
            assert registers[int(Register.WORDS_OUT) + j] == words[node, j, 0]
            assert registers[int(Register.WAITED) + j] == len(waited.get((node, j), ()))
        counters = tap.recorder.joined.routers[node].units[0].registers.values
        for name in ("STALL_OWN", "STALL_A", "STALL_B", "STALL_LINK"):
            assert counters[Joined[name]] == stalled[node, name]


@pytest.mark.soak
def test_all_reduces_of_the_rtl_network(capsys, tmp_path):
    """Their cycles, and all other figures of the hardware, are those of the run that is recorded."""
    what = "load --router crosspoint --dim 2 --rates 0.5 --reduce 4:30 --cycles 200 --warmup 0 --jobs 1"
    assert main([*what.split(), "--explore", str(tmp_path)]) == 0
    header = json.loads((tmp_path / "recording.jsonl").read_text().splitlines()[0])
    assert (header["golden"], header["load"]["reductions"]["words"]) == ("match", 4)
    assert header["load"]["engine"] == "rtl" and header["point"]["reductions"]["operations"] > 3
    capsys.readouterr()


def test_a_run_that_differs_is_said_to(capsys, tmp_path):
    """If the golden network has other figures than the engine, the recording says mismatch."""
    what = "--router crosspoint --dim 2 --cycles 100 --rates 0.2 --engine golden --jobs 1 --json"
    arguments = ["load", *what.split()]
    assert main([*arguments, "--explore", str(tmp_path / "a")]) == 0
    result = json.loads(capsys.readouterr().out)
    judged = []
    for engine, more in (("golden", 0), ("rtl", 0), ("rtl", 1)):
        found = {**result["points"][0], "messages": result["points"][0]["messages"] + more}
        given = {"parameters": {**result["parameters"], "engine": engine}, "points": [found]}
        explore_load.explore_load(tmp_path / "b", loaded(CrosspointConfig(dim=2)), given, 0.2)
        judged.append(json.loads((tmp_path / "b" / "recording.jsonl").read_text().splitlines()[0])["golden"])
    assert judged == ["model", "match", "mismatch"]
    assert main(["explore", str(tmp_path / "a" / "recording.jsonl"), "-o", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "index.html").read_bytes() == (tmp_path / "a" / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--router crosspoint", "rates must be one offered load with --explore, not 7"),
        (
            "--router crosspoint --saturation --cycles 200000",
            "cycles in which messages arrive must be at most 160000 with --explore, not 350000",
        ),
    ],
)
def test_a_load_that_cannot_be_recorded_is_refused(capsys, tmp_path, arguments, told):
    """In one line, before anything is run; nothing is written."""
    assert main(["load", "--dim", "2", *arguments.split(), "--explore", str(tmp_path / "out")]) == 2
    assert capsys.readouterr() == ("", f"cubecast load: {told}\n")
    assert not (tmp_path / "out").exists()
