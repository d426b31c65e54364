"""Testbench of the load node: every setting, a router that stalls, and packets of every kind that come."""

import dataclasses

from cubecast.golden.packet.contract.load import COUNTERS, TIME_BITS
from cubecast.golden.packet.twins.load_node import LoadNode
from cubecast.tb.common.patterns import LEFT, chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END"]


def stimulus(random, config):
    """Generate at rates from hardly ever to always, let slots stall, and send packets of true and of made-up words.

    Rounds with new settings each; traffic stops now and then, until all queues are empty, or a reset comes.
    """
    n = config.dim
    drawing = moods(
        random, 60, ready=(0.02, 0.3, 1.0), slot=(0.3, 1.0), eject=(0.1, 1.0), measure=(0.0, 0.5, 1.0), short=(0.0, 0.3)
    )
    while True:
        packets = random.choice((1, 1, 2, 3, 16, random.randrange(1, 256)))
        coming = []
        change = {
            "address": random.randrange(config.nodes),
            "seed": random.choice((0, random.getrandbits(32))),
            "rate": random.choice((0, 400, 8000, 65535)),
            "burst": random.choice((0, 1, 1, 2, 200, random.getrandbits(8))),
            "packets": packets,
            "words": random.choice((3, config.max_words, random.randint(3, config.max_words))),
            "enable": 0,
        }
        if not random.randrange(4):
            # The starting value of the random numbers is then 0, which is replaced.
            change["seed"] = _repeated(change["address"], n) ^ 0x9E3779B9
        yield {"rst": 1, "enable": 0}
        yield change
        yield {"rst": 0}
        now = 1
        for cycle in range(random.choice((100, 600))):
            mood = next(drawing)
            change = {"enable": int(cycle < 500), "measure": chance(random, mood["measure"])}
            mask = (1 << n) - 1 if mood["slot"] == 1.0 else sparse(random, n)
            change["inject__ready"] = mask if chance(random, mood["ready"]) else 0
            if not coming:
                coming = _packet(random, config, packets, now, mood)
            change["eject__valid"] = valid = chance(random, mood["eject"])
            if valid:
                names = ("eject__data", "eject__last", "eject__error")
                change |= dict(zip(names, coming.pop(0), strict=True))
            outputs = yield change
            now += 1
        # The queues empty.
        change = {"enable": 0, "inject__ready": (1 << n) - 1, "eject__valid": 0}
        for _ in range(random.choice((0, 1500))):
            outputs = yield change
            if outputs["idle"]:
                break


def _repeated(address, n):
    """Return an address, repeated to 32 bits."""
    return sum(address << place for place in range(0, 32, n)) & 0xFFFFFFFF


def _packet(random, config, packets, now, mood):
    """Return the words of a packet, as data, last, error."""
    time = (now - random.choice((0, 20, 70_000, 1 << 20))) & (1 << 23) - 1
    left = random.choice((0, packets - 1, random.randrange(packets), random.getrandbits(8)))
    words = [random.getrandbits(config.width) for _ in range(random.randint(4, config.max_words + 1))]
    words[2] = time & 0xFFFF | random.choice((0, words[2] >> 16 << 16))
    words[3] = chance(random, 0.8) << 15 | left << 7 | time >> 16 | random.choice((0, words[3] >> 16 << 16))
    if chance(random, mood["short"]):
        words = words[: random.randint(1, len(words))]
    error = chance(random, mood["short"])
    return [(word, int(place == len(words)), int(error and place == len(words))) for place, word in enumerate(words, 1)]


def watch(inputs, outputs, twin):
    """Name what is generated, sent and counted, by what the counters say a cycle later."""
    before = recall(twin, {name: outputs[name] for name in twin.counters} | {"slots": outputs["inject__slots"]})
    if inputs["rst"] or before is None:
        return
    for name in twin.counters:
        if outputs[name] > before[name]:
            yield name
    if outputs["message_count"] > before["message_count"] and outputs["message_max"] == before["message_max"]:
        yield "not the largest"
    if outputs["inject__valid"]:
        if not outputs["inject__slots"] & inputs["inject__ready"]:
            yield "slot stalls"
        elif outputs["inject__last"]:
            yield "packet sent"
        if before["slots"] not in (None, outputs["inject__slots"]):
            yield "from slot to slot"
    if outputs["idle"] and before["generated"]:
        yield "all sent"
    if inputs["eject__valid"] and inputs["eject__error"]:
        yield "early end"


EVENTS = ("generated", "lost", "collisions", "first_count", "first_sum", "message_count", "message_sum", "message_max")

BENCH = Bench(
    unit="packet.load_node:LoadNode",
    stimulus=stimulus,
    events=(
        *EVENTS,
        "accepted",
        "not the largest",
        "slot stalls",
        "packet sent",
        "from slot to slot",
        "all sent",
        "early end",
    ),
    watch=watch,
)

ENDING = tuple(name for name in COUNTERS if name != "message_max")
"""Counters that wrap."""


class NearEnd(LoadNode):
    """The twin, its counters and its time near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        self.counters |= {name: LEFT % (1 << COUNTERS[name]) for name in ENDING}
        self.now = LEFT % (1 << TIME_BITS)


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.packet.load_node:NearEnd",
    presets={"|".join((*ENDING, "now")): LEFT},
    events=("generated", "message_max", "slot stalls", "packet sent", "from slot to slot", "all sent", "early end"),
)
"""The same with counters that come to the end of their range."""
