"""Testbench of the data buffer: one write pointer, a read pointer for each port."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Fill and clear at random; the read pointers keep near the level.

    Where memories are read ahead, nothing follows a word with ``last``, and ``error`` comes with it alone.
    """
    depth, ahead = config.buffer_depth, int(config.reads_ahead)
    level = ended = 0
    for mood in moods(random, 2 * depth + 10, push=(0.2, 0.9, 1.0), clear=(0.0, 0.0, 0.01, 0.3)):
        near = (0, level, max(level - 1, 0), random.randint(0, depth))
        same = random.choice(near)
        change = {f"{_address(config)}__{port}": random.choice((same, *near)) for port in range(config.streamers)}
        rst, clear = chance(random, 0.002), chance(random, mood["clear"] or 0.1 * (ahead & ended))
        push, last = chance(random, mood["push"]) & ~(ahead & ended), chance(random, 0.2 / depth**ahead)
        outputs = yield change | {
            "rst": rst,
            "clear": clear,
            "push": push,
            "data": random.getrandbits(config.width),
            "last": last,
            "error": chance(random, 0.2) & (last | ~ahead),
        }
        level = outputs["level"]
        ended = int(not (clear or rst) and (ended or (push and last and level < depth)))


def _address(config):
    """Return what the addresses of the ports are called."""
    return "ahead" if config.reads_ahead else "pointer"


def watch(inputs, outputs, twin):
    """Name the ends of the buffer, and what meets in one cycle."""
    config, level = twin.config, outputs["level"]
    pointers = [inputs[f"{_address(config)}__{port}"] for port in range(config.streamers)]
    if level == config.buffer_depth:
        yield "push when full" if inputs["push"] else "full"
    if level and level - 1 in pointers:
        yield "newest word"
    if level and len(set(pointers)) == 1:
        yield "all read one word"
    if level in pointers:
        yield "read at the edge of its push" if inputs["push"] and not inputs["clear"] else "word not there yet"
    if level and inputs["clear"]:
        yield "push beside clear" if inputs["push"] else "clear"
    if level and inputs["rst"]:
        yield "reset"


BENCH = Bench(
    unit="multicast.data_buffer:DataBuffer",
    stimulus=stimulus,
    events=(
        *("full", "push when full", "newest word", "all read one word", "word not there yet"),
        *("read at the edge of its push", "clear", "push beside clear", "reset"),
    ),
    watch=watch,
)
