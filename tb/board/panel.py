"""Testbench of the panel: presses of all lengths, and a button that bounces."""

from cubecast.golden.board.contract.config import LOADS
from cubecast.tb.common.patterns import chance, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Press and release the button, for times around those that are heard."""
    button = 0
    while True:
        button ^= 1
        around = config.debounce_cycles + random.randint(-2, 3)
        for _ in range(max(1, random.choice((1, around, around, 3 * config.debounce_cycles)))):
            yield {"button": button, "rst": chance(random, 0.05 / config.debounce_cycles)}


def watch(inputs, outputs, twin):
    """Name what is heard."""
    state = (twin.heard, twin.other, outputs["step"])
    before = recall(twin, state)
    if inputs["rst"]:
        if outputs["step"]:
            yield "reset"
        return
    if before is None:
        return
    if before[1] and not twin.other and before[0] == twin.heard:
        yield "bounces"
    if before[2] != outputs["step"]:
        yield f"step {outputs['step']}"
    if before[0] and not twin.heard:
        yield "released"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    steps = [f"step {place}" for place in range(len(LOADS))]
    return ("reset", "released", *steps, *["bounces"] * (config.debounce_cycles > 1))


BENCH = Bench(
    unit="board.panel:Panel",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
