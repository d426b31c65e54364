"""Sends whose link is cut for a while, or whose parts take longer than TIMEOUT, on golden nodes and in hardware.

Every result is judged by the judge that knows the rules alone: a receive that is OK has the bytes of its message, and
nothing is read of a block or a buffer that is complete.
"""

import random

import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.algorithms.programs import read_programs
from cubecast.golden.node.contract.block import COMPLETE
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.playback import BENCH
from cubecast.tb.node.program_run import ProgramRun
from tests.node.test_interfaces import play

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=4)
LENGTHS = (134, 190)
LONG = 3000


def outage(begin, cycles, do="send"):
    """Return programs: two messages to node 1, and a link of their source that is cut so early for so many cycles."""
    to = {"to": 1} if do == "send" else {}
    names = list(zip("AB", LENGTHS, (0, 128), strict=True))
    source = [{"do": do, "name": name, **to, "type": 7, "bytes": size, "fill": fill} for name, size, fill in names]
    source += [{"do": "compute", "clocks": begin}, {"do": "fault", "dimensions": [0]}]
    source += [{"do": "compute", "clocks": cycles}, {"do": "fault", "dimensions": []}]
    receives = [{"do": "receive", "name": f"r{name}", "from": 0, "type": 7, "room": 256} for name, *_ in names]
    others = "123" if do == "broadcast" else "1"
    return {"nodes": {"0": source, **dict.fromkeys(others, receives)}}


def judged(programs, config=CONFIG, **settings):
    """Run programs on golden nodes, and judge what becomes of them; return the statuses of the blocks of node 0."""
    run = ProgramRun(random.Random(1), config, programs, most=20_000, **settings)
    result, _ = play(run, NodeNetwork(config))
    assert judge(run.programs, config, result) == [], programs
    return [block["status"] if block["flag"] == COMPLETE else None for block in result["nodes"][0]["blocks"]]


@pytest.mark.parametrize(("do", "ends"), [("send", (172, 178, 184)), ("broadcast", (182, 188, 198))])
def test_no_receive_has_bytes_of_two_messages(do, ends):
    """Wherever in the first the link is cut, and wherever in the second it is mended: before its later packets, too."""
    seen = {tuple(judged(outage(begin, end - begin, do))) for begin in range(54, 90, 6) for end in ends}
    assert ("UNDELIVERABLE", "UNDELIVERABLE") in seen, seen


def test_hardware_gives_no_receive_bytes_of_two_messages():
    """One of those outages, beside the golden network."""
    options = {"programs": outage(66, 118)}
    found = lockstep(BENCH, CONFIG, cycles=20_000, extra={"probe": False}, options=options).collected
    assert judge(read_programs(options["programs"], CONFIG), CONFIG, found | {"golden": "match"}) == []
    assert [block["status"] for block in found["nodes"][0]["blocks"]] == ["UNDELIVERABLE"] * 2


@pytest.mark.parametrize("begin", [40, 64, 300])
def test_a_send_is_not_complete_before_all_of_it_is_read(begin):
    """The packets that find no way end it; those behind them are read all the same, before its FLAG is 3."""
    programs = outage(begin, 60)
    programs["nodes"]["0"][0]["bytes"] = LONG
    programs["nodes"]["1"][0]["room"] = LONG
    assert judged(programs)[0] == "UNDELIVERABLE"


def test_a_part_that_takes_longer_than_the_timeout_is_not_late():
    """Neither is what waits for its turn behind it: a message that is being sent, and the rest of another one."""
    sends = [{"do": "send", "name": f"s{to}", "to": to, "type": 7, "bytes": 4000, "fill": to} for to in (1, 2)]
    receives = [{"do": "receive", "name": "r", "from": 0, "type": 7, "room": 4000}]
    assert judged({"nodes": {"0": sends, "1": receives, "2": receives}}, timeout=1) == ["OK", "OK"]


def test_a_broadcast_whose_call_is_lost_is_sent_again():
    """Node 1 finds a place for it while it has no way to its source; nothing behind it waits for ever."""
    receives = [
        {"do": "receive", "name": name, "from": 0, "type": kind, "room": 4} for name, kind in (("r", 7), ("q", 8))
    ]
    cut, mend = ({"do": "fault", "dimensions": dimensions} for dimensions in ([0, 1], []))
    late = [{"do": "compute", "clocks": 500}, cut, receives[0], {"do": "compute", "clocks": 100}, mend, receives[1]]
    sends = [{"do": "broadcast", "name": f"b{kind}", "type": kind, "bytes": 4, "fill": kind} for kind in (7, 8)]
    source = [sends[0], {"do": "compute", "clocks": 6000}, sends[1]]
    programs = {"nodes": {"0": source, "1": late, "2": receives, "3": receives}}
    assert judged(programs, NodeConfig(router=PacketConfig(dim=2), buffers=0), timeout=1) == ["OK", "OK"]


@pytest.mark.core("1480")
@pytest.mark.parametrize("begin", [1470, 1480])
def test_a_broadcast_whose_call_and_answer_are_lost_ends(begin):
    """Node 1 has no way to its source when it calls, and again when it has stored the round that comes unasked."""
    receives = [
        {"do": "receive", "name": name, "from": 0, "type": kind, "room": 4} for name, kind in (("r", 7), ("q", 8))
    ]
    cut, mend = ({"do": "fault", "dimensions": dimensions} for dimensions in ([0, 1], []))
    while_cut = {"do": "compute", "clocks": 100}
    late = [{"do": "compute", "clocks": 500}, cut, receives[0], while_cut, mend]
    late += [{"do": "compute", "clocks": begin}, cut, while_cut, mend, receives[1]]
    sends = [{"do": "broadcast", "name": f"b{kind}", "type": kind, "bytes": 4, "fill": kind} for kind in (7, 8)]
    source = [sends[0], {"do": "compute", "clocks": 6000}, sends[1]]
    programs = {"nodes": {"0": source, "1": late, "2": receives, "3": receives}}
    assert judged(programs, NodeConfig(router=PacketConfig(dim=2), buffers=0), timeout=1) == ["OK", "OK"]


def test_a_send_that_finds_no_way_shuts_no_way():
    """The first offer behind a call is lost; there is no timeout, and the messages behind it come all the same."""

    def send(name, kind):
        return {"do": "send", "name": name, "to": 1, "type": kind, "bytes": 4, "fill": kind}

    def receive(name, kind):
        return {"do": "receive", "name": name, "from": 0, "type": kind, "room": 4}

    cut, mend = ({"do": "fault", "dimensions": dimensions} for dimensions in ([0], []))
    source = [send("lost", 7), {"do": "compute", "clocks": 526}, cut, {"do": "compute", "clocks": 60}, mend]
    source += [{"do": "compute", "clocks": 500}, send("a", 8), {"do": "compute", "clocks": 1000}, send("b", 8)]
    other = [{"do": "compute", "clocks": 500}, receive("r", 7), {"do": "compute", "clocks": 400}]
    other += [receive("ra", 8), receive("rb", 8)]
    config = NodeConfig(router=PacketConfig(dim=2), buffers=0)
    assert judged({"nodes": {"0": source, "1": other}}, config) == ["UNDELIVERABLE", "OK", "OK"]
