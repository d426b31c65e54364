"""Testbench of the UART sender: bytes with and without pauses, and resets within some."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer bytes; what is offered may change until it is taken."""
    drawing = moods(random, 30 * config.bit_cycles, load=(0.02, 0.5, 1.0), reset=(0.0, 0.0, 0.2 / config.bit_cycles))
    while True:
        mood = next(drawing)
        yield {
            "rst": chance(random, mood["reset"]),
            "i__valid": chance(random, mood["load"]),
            "i__data": sparse(random, 8),
        }


def watch(inputs, outputs, twin):
    """Name what the sender does."""
    taken = inputs["i__valid"] and outputs["i__ready"]
    before = recall(twin, (taken or not outputs["i__ready"], outputs["i__ready"]))
    if inputs["rst"]:
        if not outputs["i__ready"]:
            yield "reset within a byte"
        return
    if taken and before:
        yield "byte after byte" if not before[1] else "byte after a pause"
        yield "even byte" if inputs["i__data"] & 1 == 0 else "odd byte"
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield "a byte waits"


BENCH = Bench(
    unit="board.uart_sender:UartSender",
    stimulus=stimulus,
    events=("reset within a byte", "byte after byte", "byte after a pause", "even byte", "odd byte", "a byte waits"),
    watch=watch,
)
