"""Packets get lost beyond the first hop: no frame seems whole that is not, but where no number, or the same, tells."""

from __future__ import annotations

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.tb.harness.lockstep import lockstep
from tests.adapter import lost_packets
from tests.adapter.lost_packets import FIRST, SECOND, Frame, beyond_a_cut, beyond_a_full_relay, outage

WIDTHS = {"numbered": 16, "no number": 8}
"""Bits of words in a square: the narrowest leave none for a number."""


def played(config: AdapterConfig, run: lost_packets.Run) -> list[Frame]:
    """Let a golden network play; return what came."""
    network = AdapterNetwork(config)
    inputs = next(run)
    while True:
        try:
            inputs = run.send(network.step(inputs))
        except StopIteration as ended:
            return ended.value


@pytest.mark.parametrize("name", WIDTHS)
def test_outages_of_a_link_that_the_source_does_not_see(name: str) -> None:
    """Whatever is lost of two messages shows; without numbers some frames are of both, and some have holes."""
    config = beyond_a_cut(WIDTHS[name])
    mixed, holes, broken = 0, 0, 0
    for begin in range(20, 62, 3):
        for length in (4, 10, 16, 25, 40):
            frames = played(config, outage(config, begin, begin + length))
            broken += any(frame.error for frame in frames)
            for frame in frames:
                if frame.seems_whole and frame.data not in (FIRST, SECOND):
                    both = {*FIRST} & {*frame.data} and {*SECOND} & {*frame.data}
                    mixed, holes = mixed + bool(both), holes + (not both)
    if config.ordinal_bits:
        assert (mixed, holes) == (0, 0) and broken
    else:
        assert mixed and holes


def test_what_does_not_show_is_fifteen_or_sixteen_packets() -> None:
    """A long message, and outages between packets, of 1 to 17 of them: all other gaps end the frame."""
    config, data = beyond_a_cut(16, 128), tuple(range(100))
    hidden, shown = set(), set()
    for length in range(2, 51, 3):
        frames = played(config, outage(config, 41, 41 + length, [data], 240))
        lost = (len(data) - sum(len(frame.data) for frame in frames)) // 2
        (hidden if frames[0].seems_whole else shown).add(lost)
    assert hidden == {15, 16}
    assert shown == {*range(1, 15), 17}


@pytest.mark.parametrize("width", [16, 11])
def test_a_relay_without_room(width: int) -> None:
    """With a list that never changes: the relay drops a packet, and the frame ends; without numbers it has a hole."""
    router = CrosspointConfig(dim=3, width=width, depth=8, packet_limit=3, eject_depth=16)
    config = AdapterConfig(router=router, reassemble=4, reassemble_words=32)
    frames = played(config, beyond_a_full_relay(config, 3000, 3600))
    sent = {tuple(range(first, first + 16)) for first in range(0, 6 * 32, 32)}
    lost = [frame for frame in frames if frame.seems_whole and frame.data not in sent]
    assert {frame.data[0] for frame in frames if frame.first} == set(range(0, 6 * 32, 32))
    assert bool(lost) != bool(config.ordinal_bits)
    assert any(frame.error for frame in frames) == bool(config.ordinal_bits)


def test_an_outage_of_rtl() -> None:
    """The same as golden networks do, cycle by cycle: the frame of the first message ends at the gap."""
    options = {"begin": 20, "end": 30}
    lockstep(lost_packets.BENCH, beyond_a_cut(16), cycles=400, options=options)
