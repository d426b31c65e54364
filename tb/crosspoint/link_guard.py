"""Testbench of the link guard: faults of one cycle and of many, seen at this end, at the other, or at both."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let faults come and go, each end by itself."""
    fault = down = 0
    for mood in moods(random, 60, come=(0.0, 0.02, 0.2), go=(0.02, 0.2, 1.0), reset=(0.0, 0.01)):
        fault, down = (_turned(random, mask, config.dim, mood) for mask in (fault, down))
        yield {"rst": chance(random, mood["reset"]), "fault": fault, "link_down": down}


def _turned(random, mask, count, mood):
    """Return a mask after some of its faults have come and gone."""
    for j in range(count):
        if chance(random, mood["go"] if mask >> j & 1 else mood["come"]):
            mask ^= 1 << j
    return mask


def watch(inputs, outputs, twin):
    """Name for how long a link was down, and who says so."""
    now = inputs["fault"] | inputs["link_down"]
    was = recall(twin, now) or 0
    if inputs["rst"]:
        if was:
            yield "reset"
        return
    if inputs["fault"] & inputs["link_down"]:
        yield "both ends"
    if inputs["link_down"] & ~inputs["fault"]:
        yield "the other end alone"
    if outputs["down"] & ~now & ~was:
        yield "down after the fault"
    if now & ~outputs["young"]:
        yield "down for long"


BENCH = Bench(
    unit="crosspoint.link_guard:LinkGuard",
    stimulus=stimulus,
    events=("reset", "both ends", "the other end alone", "down after the fault", "down for long"),
    watch=watch,
)
