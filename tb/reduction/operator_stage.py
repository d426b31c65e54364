"""Testbench of the operator stage: words of one and of two operands, a result that waits, stops in the middle."""

from collections import deque

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.words import shown, word

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let words in where there is room; what the operator gives is any number. A stop lasts until all are dropped."""
    drawing = moods(random, 60, go=(0.1, 0.7, 1.0), taken=(0.05, 0.5, 1.0), stop=(0.0, 0.02), reset=(0.0, 0.005))
    depth, latency = config.stage_shape.depth, config.operator_latency
    # For each word inside the cycles until it can leave.
    inside, stopped = deque(), 0
    for mood in drawing:
        rst = chance(random, mood["reset"])
        if not stopped and chance(random, mood["stop"]):
            stopped = depth + 1
        go = not stopped and len(inside) < depth and chance(random, mood["go"])
        taken = not stopped and inside and inside[0] <= 0 and chance(random, mood["taken"])
        yield {
            "rst": rst,
            "running": int(not stopped),
            "go": int(go),
            "both": random.getrandbits(1),
            **shown("i", word(random, config)),
            "y": random.getrandbits(config.width),
            "o__taken": int(bool(taken)),
        }
        if taken:
            inside.popleft()
        inside = deque() if rst or stopped else deque(left - 1 for left in inside)
        if go and not rst:
            inside.append(latency)
        stopped -= stopped > 0


def watch(inputs, outputs, twin):
    """Name what goes in, what comes out, and what is in the way."""
    held = recall(twin, not outputs["empty"])
    if inputs["rst"]:
        if held:
            yield "reset"
        return
    if not inputs["running"]:
        if not outputs["empty"]:
            yield "stopped with words inside"
        return
    if inputs["go"]:
        yield "two operands" if inputs["both"] else "one operand"
    if not outputs["room"]:
        yield "no room"
    if outputs["o__valid"]:
        yield "leaves" if inputs["o__taken"] else "waits"
        if inputs["go"] and inputs["o__taken"]:
            yield "one in, one out"


def events(config, extra, options):
    """Return what must happen."""
    return (
        *("reset", "stopped with words inside", "two operands", "one operand"),
        *("no room", "leaves", "waits", "one in, one out"),
    )


BENCH = Bench(
    unit="reduction.operator_stage:OperatorStage",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
