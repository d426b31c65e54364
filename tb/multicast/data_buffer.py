"""Testbench of the data buffer: one write pointer, a read pointer for each port."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.lockstep import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Fill and clear at random; the read pointers keep near the level."""
    depth = config.buffer_depth
    level = 0
    for mood in moods(random, 2 * depth + 10, push=(0.2, 0.9, 1.0), clear=(0.0, 0.0, 0.01, 0.3)):
        near = (0, level, max(level - 1, 0), random.randint(0, depth))
        same = random.choice(near)
        change = {f"pointer__{port}": random.choice((same, *near)) for port in range(config.ports)}
        outputs = yield change | {
            "rst": chance(random, 0.002),
            "clear": chance(random, mood["clear"]),
            "push": chance(random, mood["push"]),
            "data": random.getrandbits(config.width),
            "last": chance(random, 0.2),
            "error": chance(random, 0.2),
        }
        level = outputs["level"]


def watch(inputs, outputs, twin):
    """Name the ends of the buffer, and what meets in one cycle."""
    config, level = twin.config, outputs["level"]
    pointers = [inputs[f"pointer__{port}"] for port in range(config.ports)]
    if level == config.buffer_depth:
        yield "push when full" if inputs["push"] else "full"
    if level and level - 1 in pointers:
        yield "newest word"
    if level and len(set(pointers)) == 1:
        yield "all read one word"
    if level in pointers:
        yield "word not there yet"
    if level and inputs["clear"]:
        yield "push beside clear" if inputs["push"] else "clear"
    if level and inputs["rst"]:
        yield "reset"


BENCH = Bench(
    name="data_buffer",
    component="cubecast.rtl.multicast.data_buffer:DataBuffer",
    twin="cubecast.golden.multicast.twins.data_buffer:DataBuffer",
    stimulus=stimulus,
    events=(
        *("full", "push when full", "newest word", "all read one word", "word not there yet"),
        *("clear", "push beside clear", "reset"),
    ),
    watch=watch,
)
