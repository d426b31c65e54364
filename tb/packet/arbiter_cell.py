"""Testbench of the 1-of-2 arbiter: all inputs at random."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Request on either side or both; grants are given and used at several rates."""
    for mood in moods(random, 20, ask=(0.3, 0.7, 1.0), granted=(0.5, 1.0), advance=(0.2, 1.0)):
        yield {
            "rst": chance(random, 0.01),
            "request": chance(random, mood["ask"]) | chance(random, mood["ask"]) << 1,
            "granted": chance(random, mood["granted"]),
            "advance": chance(random, mood["advance"]),
        }


def watch(inputs, outputs, twin):
    """Name who asks, and who gets it."""
    request, grant = inputs["request"], outputs["grant"]
    if not inputs["granted"]:
        yield "asked in vain" if request else "idle"
    elif request:
        yield f"{'both ask' if request == 3 else 'alone'}, side {grant - 1} granted"
        if not inputs["advance"]:
            yield "grant waits"
    elif inputs["advance"]:
        yield "advance without request"
    if inputs["rst"]:
        yield "reset"


BENCH = Bench(
    unit="packet.arbiter_cell:ArbiterCell",
    stimulus=stimulus,
    events=(
        *("both ask, side 0 granted", "both ask, side 1 granted", "alone, side 0 granted", "alone, side 1 granted"),
        *("asked in vain", "idle", "grant waits", "advance without request", "reset"),
    ),
    watch=watch,
)
