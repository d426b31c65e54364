"""Words that a recording reads from the wires of a serial link: those that a deserializer there passes on."""

import random
from collections import Counter

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.deserializer import Deserializer
from cubecast.tb.packet.wire import Read, SerialWire


def packet(source, config):
    """Return the bits of a packet's head, contrary or not, and of its words; now and then it is cut off, or wrong."""
    words = source.randint(1, 4)
    head = source.getrandbits(1 + 4) << config.length_bits | words
    bits = [
        1,
        source.random() < 0.05,
        *map(int, f"{head << config.width | source.getrandbits(16):0{config.head_bits}b}"),
    ]
    for _ in range(source.randint(words - 1, words)):
        bits += [1, source.random() < 0.05, *map(int, f"{source.getrandbits(config.width):0{config.width}b}")]
    return [int(bit) for bit in bits]


def test_heads_and_words_are_read_as_they_are_passed_on():
    """In the cycle of their last bit, also behind packets that are refused, cut off, or begin with a wrong bit."""
    config, source, seen = PacketConfig(dim=3, link="serial"), random.Random(2), Counter()
    there, wire = Deserializer(config), SerialWire(config)
    line: list[int] = []
    for _ in range(40_000):
        if not line and source.random() < 0.2:
            line = packet(source, config)
        ready, refusing = source.random() < 0.8, int(source.random() < 0.5)
        hold = there.hold(int(ready), refusing)
        # Whoever sends waits for a receiver that holds a start, and gives a packet up that is refused.
        idle = wire.idle
        bit = line[0] if line else 0
        if not (idle and bit and hold):
            line = line[1:]
        if hold and not idle:
            line, seen["refused"] = [], seen["refused"] + 1
        read = wire.see(bit, hold)
        there.edge(bit, int(ready), refusing)
        assert read == (None if there.arrival is None else Read(*there.arrival))
        seen["cut"] += there.cut_short
        if read is not None:
            seen[read.head] += 1
    assert min(seen[kind] for kind in ("refused", "cut", True, False)) > 20
