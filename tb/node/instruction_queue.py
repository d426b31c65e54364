"""Testbench of the instruction queue: doorbells at any time, taken with pauses."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Ring, take and reset."""
    drawing = moods(random, 60, ring=(0.1, 0.7, 1.0), take=(0.0, 0.3, 1.0), reset=(0.0, 0.01))
    while True:
        mood = next(drawing)
        yield {
            "rst": chance(random, mood["reset"]),
            "doorbell__valid": chance(random, mood["ring"]),
            "doorbell__instruction": random.getrandbits(3),
            "doorbell__address": random.getrandbits(32),
            "o__ready": chance(random, mood["take"]),
        }


def watch(inputs, outputs, twin):
    """Name how full the queue is, and what meets in a cycle."""
    level = recall(twin, len(twin.entries)) or 0
    if inputs["rst"]:
        if level:
            yield "reset"
        return
    put = inputs["doorbell__valid"] and outputs["doorbell__ready"]
    taken = inputs["o__ready"] and outputs["o__valid"]
    if put and taken:
        yield "both ends"
    if inputs["doorbell__valid"] and not outputs["doorbell__ready"]:
        yield "waits"
    if level == twin.config.instructions and taken:
        yield "full, taken"
    if inputs["o__ready"] and not outputs["o__valid"]:
        yield "empty"


BENCH = Bench(
    unit="node.instruction_queue:InstructionQueue",
    stimulus=stimulus,
    events=("reset", "both ends", "waits", "full, taken", "empty"),
    watch=watch,
)
