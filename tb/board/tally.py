"""Testbench of the tally: what no network does among it, and seconds in which nothing happens."""

import dataclasses

from cubecast.golden.board.contract.line import VALUE_BITS
from cubecast.golden.board.twins.tally import Tally
from cubecast.golden.common.contract.load import KIND_BITS, WORDS_BITS, Kind
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.tb.common.patterns import LEFT, chance, pack, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END"]

MOST_AFTER = 499
"""So often all comes in one cycle that can: copies for every node, and errors of all, with reports or without."""

COUNTED = 2
"""Cycles after which what happens counts."""


def stimulus(random, config):
    """Let packets begin and come at random for a while, then none until two or three lines have passed, and so on."""
    nodes, ones, second = config.nodes, (1 << config.nodes) - 1, config.second_cycles
    bits = {"sent_whom": KIND_BITS, "sent_block": load_shape(config.router).block, "came_words": WORDS_BITS}
    phase = 0
    while True:
        load, bad, idle = (
            random.choice((0.05, 0.8)),
            random.choice((0.0, 0.1, 0.1)),
            random.choice((0.2, 1.0)),
        )
        busy, reset, late = random.randrange(2 * second), chance(random, 0.2), chance(random, 0.75)
        for cycle in range(busy + random.randrange(2 * second, 3 * second)):
            if cycle == busy:
                load = 0.0
            # What is beside a bit that is not set means nothing.
            noise = {name: random.getrandbits(nodes * width) for name, width in bits.items()}
            flags = {name: _some(random, nodes, load) for name in ("sent_begins", "came_done")}
            change = {
                "rst": int(reset and cycle == busy // 2),
                "load": random.getrandbits(7),
                "idle": ones if chance(random, idle) else random.getrandbits(nodes),
                **noise,
                **flags,
                "came_bad": _some(random, nodes, bad),
                "report_valid": _some(random, nodes, bad * load * 0.1),
            }
            if load and bad and cycle % MOST_AFTER == MOST_AFTER - 1:
                change |= dict.fromkeys((*flags, "came_bad"), ones)
                change["report_valid"] = ones * (cycle // MOST_AFTER % 2)
                change["sent_whom"] = pack([Kind.LIST] * nodes, KIND_BITS)
                change["sent_block"] = (1 << nodes * bits["sent_block"]) - 1
            # The last packet before a rest begins so that it counts in the last cycle of a second.
            if late and cycle >= busy and phase == second - COUNTED - 1:
                change["sent_begins"] |= 1
                late = 0
            outputs = yield change
            phase = 0 if change["rst"] else 1 if outputs["tick"] else phase + 1


def _some(random, nodes, load):
    """Return a bit for each node, each set with this probability."""
    return sum(chance(random, load) << v for v in range(nodes))


def watch(inputs, outputs, twin):
    """Name what is counted."""
    before = recall(twin, None)
    carried = before and (before[2].got > 0 if twin.tick else before[1])
    second = twin.config.second_cycles
    rest = second + 1 if before is None or inputs["rst"] else before[5] + 1
    if before and (before[2].due or before[2].got):
        rest = 0
    waiting = twin.away and not twin.idle
    twin.noted = (twin.errors, carried, twin.late[-1], twin.quiet and waiting, twin.away and twin.idle, rest)
    if inputs["rst"]:
        yield "reset"
        return
    for v in range(twin.config.nodes):
        if inputs["sent_begins"] >> v & 1:
            kind = inputs["sent_whom"] >> KIND_BITS * v & 3
            yield Kind(kind).name if kind < 3 else "kind 3"
    if outputs["tick"]:
        yield "tick"
        yield "with packets" if outputs["packets"] else "without packets"
    if before and before[1] and twin.tick:
        yield "told of what came in the last cycle of a second"
    if before and before[3] and twin.tick and not (before[2].due or before[2].got):
        yield "a second of rest before all nodes are idle"
    if before and before[4] and twin.tick and rest == second:
        yield "a second of rest after something in the last cycle of the one before"
    if before and twin.errors > before[0]:
        yield "error" if before[2].bad else "lost"
    if inputs["report_valid"]:
        yield "report"


BENCH = Bench(
    unit="board.tally:Tally",
    stimulus=stimulus,
    events=(
        "reset",
        *(kind.name for kind in Kind),
        "kind 3",
        "tick",
        "with packets",
        "without packets",
        "told of what came in the last cycle of a second",
        "a second of rest before all nodes are idle",
        "a second of rest after something in the last cycle of the one before",
        "error",
        "lost",
        "report",
    ),
    watch=watch,
)

WORDS_LEFT = -20_000
"""What the sum of words begins with, modulo its range: as many as come in a second, so that some end before its end."""

ERRORS = (1 << VALUE_BITS - 1) - 1000
"""What errors begin with: they are counted up to half of their range."""


class NearEnd(Tally):
    """The twin, its sums near the end of what they count after a reset."""

    def reset(self):
        """Begin there."""
        super().reset()
        end = LEFT % (1 << VALUE_BITS)
        self.packets = self.away = end
        self.words = WORDS_LEFT % (1 << VALUE_BITS)
        self.errors = ERRORS
        self.shown |= {"seconds": end, "packets": end, "under_way": end, "errors": ERRORS}


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.board.tally:NearEnd",
    presets={"seconds|packets|away|under_way": LEFT, "carried": WORDS_LEFT, "errors": ERRORS},
)
"""The same with sums that come to the end of their range."""
