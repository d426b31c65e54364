"""Testbench of the queue: words come and go at any rate, as its user's contract allows."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "events", "traffic", "watch"]


def traffic(random, config):
    """Push and pop at any rate; a queue in block RAM shows a word a cycle later."""
    count = late = 0
    for mood in moods(random, 4 * config.depth, push=(0.1, 0.5, 1.0), pop=(0.0, 0.5, 1.0), reset=(0.0, 0.0, 0.01)):
        pop = count > 0 and chance(random, mood["pop"])
        push = chance(random, mood["push"]) if count + late < config.depth or pop else 0
        rst = chance(random, mood["reset"])
        yield {"rst": rst, "push": push, "data": random.getrandbits(config.bits), "pop": int(pop)}
        if rst:
            count = late = 0
        elif config.block:
            count, late = count + late - pop, push
        else:
            count += push - pop


def stimulus(random, config):
    """Push while there is room for a word, pop while there is one to be read."""
    yield from traffic(random, config)


def watch(inputs, outputs, twin):
    """Name how full the queue is, and what a push and a pop of one cycle meet."""
    depth, level, room = twin.config.depth, outputs["level"], outputs["room"]
    before, pushes, last = recall(twin, None) or (1, 0, 0)
    recall(twin, (room, 0 if inputs["rst"] else pushes + inputs["push"], inputs["push"]))
    if inputs["rst"]:
        if level:
            yield "reset"
        return
    if level in (0, depth):
        yield "full" if level else "empty"
    if inputs["push"] and inputs["pop"]:
        yield f"push and pop at level {level}" if level in (1, depth - 1, depth) else "push and pop"
    if room != before:
        yield "room rises" if room else "room falls"
    if pushes > 2 * depth:
        yield "pointers wrap"
    if level and not outputs["ne"]:
        yield "a word that cannot be read yet"
    if inputs["pop"] and level == 2 and last:
        yield "the word before the late one leaves"


def events(config, extra, options):
    """Return what can happen in such a queue."""
    happen = ["reset", "empty", "full", "room rises", "room falls", "pointers wrap", "push and pop"]
    levels = (config.depth - 1, config.depth) if config.block else (1, config.depth - 1, config.depth)
    happen += [f"push and pop at level {level}" for level in levels]
    return (*happen, *(("a word that cannot be read yet", "the word before the late one leaves") * config.block))


BENCH = Bench(
    unit="crosspoint.queue:Queue",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:QueueShape",
)
