"""Testbench of the round-robin arbiter."""

from cubecast.tb.common.patterns import chance, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Request at random, from one requester to all; the user of the grant takes its time."""
    count = config.count
    for mood in moods(random, 20, ask=(0.1, 0.5, 1.0), advance=(0.2, 1.0)):
        asked = sum(chance(random, mood["ask"]) << place for place in range(count))
        yield {
            "rst": chance(random, 0.01),
            "request": random.choice((asked, sparse(random, count))),
            "advance": chance(random, mood["advance"]),
        }


def watch(inputs, outputs, twin):
    """Name ties, idle cycles, grants that wait, and grants beyond and before the pointer."""
    request, grant = inputs["request"], outputs["grant"]
    if not request:
        yield "idle"
        return
    yield "tie" if request & request - 1 else "alone"
    if grant != request & -request:
        yield "not the lowest"
    if not inputs["advance"]:
        yield "grant waits"
    if grant >> (twin.count - 1) and inputs["advance"]:
        yield "pointer wraps"
    if inputs["rst"]:
        yield "reset"


BENCH = Bench(
    unit="common.arbiter:Arbiter",
    stimulus=stimulus,
    events=("idle", "alone", "tie", "not the lowest", "grant waits", "pointer wraps", "reset"),
    watch=watch,
    config="cubecast.golden.common.contract.units:Requests",
)
