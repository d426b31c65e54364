"""Sends of one node take turns: nobody waits for the end of a long message, and long ones share the links."""

import functools
import random

import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import TURN
from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.playback import BENCH
from cubecast.tb.node.program_run import ProgramRun
from tests.node.test_interfaces import play

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=4)
PACKET = 17
"""Cycles that a full packet takes of a link."""

LONG, SHORT = 3000, 4


def send(name, to, kind, size):
    """Return the step that sends a message; ``to`` None: a broadcast."""
    what = {"do": "broadcast"} if to is None else {"do": "send", "to": to}
    return what | {"name": name, "type": kind, "bytes": size, "fill": kind}


def receives(*sizes):
    """Return steps that post a receive for each size, whose type is its place."""
    steps = [
        {"do": "receive", "name": f"r{kind}", "from": 0, "type": kind, "room": size} for kind, size in enumerate(sizes)
    ]
    return [step for step in steps if step["room"]]


def cycles(*sends, **others):
    """Run what node 0 sends, while the others receive; return from when to when each of its sends takes."""
    steps = [{"do": "compute", "clocks": 200}, *sends]
    programs = {"nodes": {"0": steps, **{name[1:]: steps for name, steps in others.items()}}}
    run = ProgramRun(random.Random(1), CONFIG, programs, most=20_000)
    result, _ = play(run, NodeNetwork(CONFIG))
    assert judge(run.programs, CONFIG, result) == []
    blocks = result["nodes"][0]["blocks"]
    assert {block["status"] for block in blocks} == {"OK"}
    return {block["name"]: (block["posted"], block["done"]) for block in blocks}


@functools.cache
def alone(size):
    """Return how many cycles a message takes that has node 0 for itself."""
    posted, done = cycles(send("a", 1, 0, size), n1=receives(size))["a"]
    return done - posted


PAUSE = {"do": "compute", "clocks": 400}


@pytest.mark.parametrize(("to", "most"), [(2, 8), (3, 10), (None, 12)], ids=["another link", "the same link", "all"])
def test_a_short_message_does_not_wait_for_the_end_of_a_long_one(to, most):
    """It is stored, and that is known, within so many packets; the long one loses next to nothing."""
    others = {"n1": receives(LONG, SHORT * (to is None)), "n2": receives(0, SHORT), "n3": receives(0, SHORT)}
    wanted = others if to is None else {"n1": others["n1"], f"n{to}": others[f"n{to}"]}
    long, short = send("long", 1, 0, LONG), send("short", to, 1, SHORT)
    found = cycles(long, PAUSE, short, **wanted)
    taken = {name: done - posted for name, (posted, done) in found.items()}
    assert taken["short"] < most * PACKET
    assert taken["long"] - alone(LONG) < 4 * PACKET


def test_long_messages_share_the_links_evenly():
    """Three of them end within two turns of the others, and together they take hardly longer than one by one."""
    size = LONG
    sends = [send(name, to, 0, size) for name, to in zip("abc", (1, 2, 3), strict=True)]
    found = cycles(*sends, **{f"n{to}": receives(size) for to in (1, 2, 3)})
    ends = [done for _, done in found.values()]
    assert max(ends) - min(ends) < 2 * TURN * PACKET
    assert max(ends) - 200 < 1.05 * 3 * alone(size)


@pytest.mark.core
def test_hardware_takes_turns():
    """A long message, a broadcast, and another long one, beside the golden network."""
    size = 900
    steps = [send("a", 1, 0, size), send("b", None, 1, SHORT), send("c", 2, 0, size)]
    programs = {"nodes": {"0": steps, "1": receives(size, SHORT), "2": receives(size, SHORT), "3": receives(0, SHORT)}}
    options = {"programs": programs}
    found = lockstep(BENCH, CONFIG, cycles=20_000, extra={"probe": False}, options=options).collected
    assert {block["status"] for block in found["nodes"][0]["blocks"]} == {"OK"}
