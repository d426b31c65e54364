"""Testbench of the message cutter: offers and rests of messages of all lengths, which give way to others."""

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.golden.node.contract.packet import TURN
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def part(random, config):
    """Return a part; a rest has a packet at least, and begins anywhere."""
    rest, eager = random.getrandbits(1), random.choice((1, config.eager, random.randint(1, 15)))
    offered = config.first_bytes + (eager - 1) * config.packet_bytes
    most = (1 << LENGTH_BITS) - 1
    # Fits into the first packet but for one bit.
    above = (1 << random.randrange(8, LENGTH_BITS)) + random.randrange(config.first_bytes + 1)
    length = random.choice(
        (
            0,
            random.randrange(config.first_bytes + 1),
            offered + random.choice((-1, 0, 1)),
            offered + random.randrange(4 * config.packet_bytes),
            random.choice((most, random.getrandbits(LENGTH_BITS), above)) if not rest else offered + 1,
            # The last bytes of the longest message, at an offset that needs all bits.
            offered + 16 * config.packet_bytes,
        )
    )
    offset = random.getrandbits(LENGTH_BITS)
    if rest:
        # Where it has stopped before, of a message of any length; it has more than one turn now and then.
        offset = random.choice((offered, offered, min(offered + offset, most - 1)))
        more = random.choice((1, above, random.randint(1, 24 * config.packet_bytes)))
        length = min(max(length, offset + more), most)
    return {
        "slots": random.randrange(1, config.nodes),
        "destination": random.randrange(config.nodes),
        "rest": rest,
        "offset": offset,
        "odd": random.getrandbits(1),
        "type": random.getrandbits(16),
        "length": length,
        "eager": eager,
        "behind": random.getrandbits(1),
        "others": random.getrandbits(1),
        "mark": random.getrandbits(1),
        "ticket": random.getrandbits(5),
        "buffer": random.choice((0xFFFFFFFC, random.getrandbits(32))),
    }


def stimulus(random, config):
    """Offer parts, and take jobs with pauses."""
    drawing = moods(
        random, 60, offer=(0.1, 1.0), take=(0.2, 1.0, 1.0), preempt=(0.0, 0.1, 1.0), back=(0.1, 1.0), reset=(0.0, 0.01)
    )
    offered = part(random, config)
    while True:
        mood = next(drawing)
        inputs = {
            "rst": chance(random, mood["reset"]),
            "part__valid": chance(random, mood["offer"]),
            **{f"part__{name}": value for name, value in offered.items()},
            "job__ready": chance(random, mood["take"]),
            "preempt": chance(random, mood["preempt"]),
            "back__ready": chance(random, mood["back"]),
        }
        outputs = yield inputs
        if inputs["part__valid"] and outputs["part__ready"]:
            offered = part(random, config)


def watch(inputs, outputs, twin):
    """Name where parts end, and what packets they have."""
    before, packet, sent, stopped = recall(twin, (twin.part, twin.packet, twin.sent, twin.stopped)) or (
        None,
        0,
        0,
        False,
    )
    if inputs["rst"]:
        if before is not None:
            yield "reset"
        return
    if stopped:
        yield "is asked where it stopped" if inputs["back__ready"] else "stands"
    if inputs["preempt"] and before is not None and not outputs["cut"]:
        yield "an offer gives no way" if not before.rest else "has its turn"
    if twin.stopped and not stopped:
        yield "stops at once" if sent == TURN else "stops later"
        yield "stops before " + ("an even" if packet % 2 else "another") + " packet"
        return
    if before is None or not inputs["job__ready"]:
        if before is not None:
            yield "waits"
        return
    if outputs["cut"]:
        what = "rest" if before.rest else "offer"
        whole = twin.offset == before.length
        yield f"{what}, whole" if whole else "offer, cut"
        if not before.length:
            yield "empty"
        if whole and not before.rest and packet == before.eager:
            yield "whole with the last packet"
    kind = "first" if packet == 1 else "even" if packet % 2 else "more"
    yield kind
    if outputs["job__address"] < before.buffer:
        yield "beyond the memory"


BENCH = Bench(
    unit="node.message_cutter:MessageCutter",
    stimulus=stimulus,
    events=(
        "reset",
        "waits",
        "offer, whole",
        "rest, whole",
        "offer, cut",
        "empty",
        "whole with the last packet",
        "first",
        "even",
        "more",
        "beyond the memory",
        "an offer gives no way",
        "has its turn",
        "stops at once",
        "stops later",
        "stops before an even packet",
        "stops before another packet",
        "stands",
        "is asked where it stopped",
    ),
    watch=watch,
)
