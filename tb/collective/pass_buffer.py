"""Testbench of the pass buffer: filled and emptied at any rate, pushed when full and popped when empty."""

from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


@by_bundles("store")
def stimulus(random, config):
    """Push, pop and clear at random; moods fill the buffer or empty it."""
    drawing = moods(
        random,
        config.pass_depth + 10,
        push=(0.0, 0.3, 0.9, 1.0),
        pop=(0.0, 0.0, 0.3, 0.9, 1.0),
        clear=(0.0, 0.0, 0.0, 0.1),
        reset=(0.0, 0.0, 0.01),
    )
    for mood in drawing:
        yield {
            "rst": chance(random, mood["reset"]),
            "clear": chance(random, mood["clear"]),
            "push": chance(random, mood["push"]),
            "i_data": random.getrandbits(config.width),
            "i_last": chance(random, 0.3),
            "i_final": chance(random, 0.3),
            "i_error": chance(random, 0.3),
            "pop": chance(random, mood["pop"]),
        }


@without_bundles
def watch(inputs, outputs, twin):
    """Name the ends of the buffer, and what meets in one cycle."""
    level, push, pop = outputs["level"], inputs["push"], inputs["pop"]
    where = "full" if level == twin.config.pass_depth else "empty" if not level else "in between"
    what = "push and pop" if push and pop else "push" if push else "pop" if pop else "nothing"
    if inputs["rst"]:
        if level:
            yield "reset"
    elif inputs["clear"]:
        yield f"{what} beside clear"
    else:
        yield f"{what}, {where}"


def events(config, extra, options):
    """Return what can happen with so many entries."""
    what = ("push and pop", "push", "pop", "nothing")
    places = ("full", "empty", "in between") if config.pass_depth > 1 else ("full", "empty")
    return ("reset", *(f"{name} beside clear" for name in what), *(f"{w}, {place}" for w in what for place in places))


BENCH = Bench(
    unit="collective.pass_buffer:PassBuffer",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
