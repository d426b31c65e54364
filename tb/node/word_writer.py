"""Testbench of the word writer: packets into all places and rooms of memory, acknowledged late."""

import itertools

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import WritePort

__all__ = ["BENCH"]


def stimulus(random, config):
    """Open a place, write some packets there, and open the next one when nothing is left inside."""
    drawing = moods(
        random,
        120,
        word=(0.5, 1.0),
        take=(0.2, 0.7, 1.0),
        done=(0.0, 0.3, 1.0, 1.0),
        flood=(0, 0, 0, 1),
        error=(0.0, 0.1),
        cut=(0.0, 0.0, 0.05),
        reset=(0.0, 0.0, 0.005),
    )
    # Of the bits that a packet does not need each one alone.
    one_bit = itertools.cycle(1 << bit for bit in range(7, LENGTH_BITS))
    while True:
        rst, memory, waiting, calm, lasts = 0, WritePort(random), 0, 1, []
        while not rst:
            mood = next(drawing)
            if mood["flood"]:
                # As many writes as can be, and no acknowledgement before.
                mood = mood | {"word": 1, "take": 1, "cut": 0, "reset": 0, "done": int(waiting == 32 or not lasts)}
            rst = chance(random, mood["reset"])
            if chance(random, mood["cut"]):
                # A packet ends early; half a word of it may be left inside.
                lasts.clear()
            opening = int(not lasts and calm and chance(random, 0.8))
            done, error = memory.answer(mood["done"], mood["error"])
            length = random.choice((0, 1, 2, 3, 3, random.randrange(80), random.randrange(80), (1 << LENGTH_BITS) - 1))
            if opening and chance(random, 0.4):
                length = next(one_bit) + random.randrange(8)
            inputs = {
                "rst": rst,
                "open": opening,
                "open_address": random.choice((0xFFFFFFF8, random.getrandbits(29) << 3))
                + random.randrange(0, 8, config.word_bytes),
                "open_bytes": (1 << LENGTH_BITS) - 1 if mood["flood"] else length,
                "i__valid": int(bool(lasts) and chance(random, mood["word"])),
                "i__data": random.getrandbits(config.width),
                "i__last": lasts[0] if lasts else random.getrandbits(1),
                "writer__ready": chance(random, mood["take"]),
                "written": done,
                "write_error": error,
            }
            outputs = yield inputs
            waiting = outputs["waiting"]
            calm = not waiting and not (inputs["i__valid"] and outputs["i__ready"])
            if outputs["writer__valid"] and inputs["writer__ready"]:
                memory.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
            if inputs["i__valid"] and outputs["i__ready"]:
                del lasts[0]
            if opening:
                for _ in range(12 if mood["flood"] else random.randint(1, 3)):
                    lasts += [0] * random.randrange(config.router.max_words - 1) + [1]


def watch(inputs, outputs, twin):
    """Name what is written, and what is waited for."""
    left, low, waiting = recall(twin, (twin.left, twin.low_valid, twin.waiting)) or (0, False, 0)
    if inputs["rst"]:
        if waiting:
            yield "reset"
        return
    if outputs["writer__valid"]:
        yield f"strobe {outputs['writer__strobe']}"
        if not inputs["writer__ready"]:
            yield "stalls"
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield "waits for acknowledgements" if waiting == 32 else "waits for the memory"
    if inputs["i__valid"] and outputs["i__ready"]:
        if not left:
            yield "dropped"
        if low and inputs["i__last"]:
            yield "last word of a pair"
    if inputs["open"]:
        if outputs["error"]:
            yield "an error is cleared"
        if low:
            yield "half a word is dropped"
    if not outputs["idle"] and not outputs["writer__valid"]:
        yield "half a word inside"


def events(config, extra, options):
    """Return what can happen with words of this width."""
    found = ["reset", "stalls", "waits for acknowledgements", "waits for the memory", "dropped"]
    found += ["an error is cleared"]
    if config.width == 16:
        found += ["last word of a pair", "half a word inside", "half a word is dropped"]
        found += [f"strobe {strobe}" for strobe in (1, 3, 4, 7, 12, 15)]
    else:
        found += [f"strobe {strobe}" for strobe in (1, 3, 7, 15)]
    return tuple(found)


BENCH = Bench(
    unit="node.word_writer:WordWriter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
