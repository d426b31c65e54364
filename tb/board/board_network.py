"""Testbench of the board network: it runs by itself; a reset comes in the middle, and the button is pressed."""

import re

from cubecast.golden.board.contract.config import LOADS
from cubecast.tb.common.patterns import chance, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

WHOLE = re.compile(r"second (\d+) load (\d+) % packets (\d+) words (\d+) under way (\d+) errors 0\r\n")


def stimulus(random, config, presses=1):
    """Reset in the middle of the first line; then press the button, and let a line be printed, so many times."""
    yield from _run(random, config, config.second_cycles + config.line_cycles // 4)
    yield {"rst": 1, "button": 0}
    for press in range(1, presses + 1):
        for _ in range(config.debounce_cycles + 3):
            yield {"rst": 0, "button": 1}
        # With the load 0, what has waited at its source is sent before all comes to rest.
        seconds = 1 if presses == 1 else 3 if LOADS[press % len(LOADS)] else 6
        yield from _run(random, config, config.line_cycles + seconds * config.second_cycles)


def _run(random, config, cycles):
    """Let so many cycles pass; the button bounces, never as long as a press."""
    ones = config.debounce_cycles
    for _ in range(cycles):
        short = ones + 1 < config.debounce_cycles
        ones = ones + 1 if short and chance(random, 0.3 / config.debounce_cycles) else 0
        yield {"rst": 0, "button": int(ones > 0)}


def watch(inputs, outputs, twin):
    """Name the lines, read of the bytes that the sender takes."""
    text = recall(twin, None) or ""
    twin.noted = text
    if inputs["rst"]:
        twin.noted = ""
        if text:
            yield "reset within a line"
        return
    if twin.sender.waits == 10 * twin.config.bit_cycles:
        twin.noted = text + chr(twin.sender.byte)
    if twin.noted.endswith("\n") and not text.endswith("\n"):
        found = WHOLE.fullmatch(twin.noted)
        twin.noted = ""
        assert found, "a line is not as it should be, or has errors"
        yield f"load {found[2]}"
        if int(found[3]):
            yield "packets"
        if not int(found[5]):
            yield "nothing under way"
    assert not outputs["failed"], "an error"


def events(config, extra, options):
    """Return what must happen in so many presses of the button."""
    presses = options.get("presses", 1)
    loads = [f"load {load}" for load in LOADS[1 : presses + 1]]
    return ("reset within a line", "packets", *loads, *["nothing under way"] * (presses >= len(LOADS) - 1))


BENCH = Bench(
    unit="board.board_network:BoardNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
