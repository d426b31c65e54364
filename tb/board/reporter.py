"""Testbench of the reporter: numbers of all lengths, ticks at any time, a sender that stalls, and resets."""

from cubecast.golden.board.contract.line import DIGITS, FIELDS, VALUE_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

GREATEST = (1 << VALUE_BITS) - 1


def stimulus(random, config):
    """Offer numbers that change now and then, within lines too."""
    drawing = moods(random, 300, tick=(0.01, 1.0), ready=(0.05, 0.5, 1.0), reset=(0.0, 0.0, 0.01), change=(0.005, 0.5))
    numbers = {}
    while True:
        mood = next(drawing)
        if not numbers or chance(random, mood["change"]):
            numbers = {name: _number(random) for name in FIELDS}
        yield {
            "rst": chance(random, mood["reset"]),
            "tick": chance(random, mood["tick"]),
            "o__ready": chance(random, mood["ready"]),
            **numbers,
        }


def _number(random):
    """Return a number of any length, or one near a power of ten, or the least or the greatest one."""
    power = 10 ** random.randrange(DIGITS)
    found = random.choice((0, GREATEST, random.getrandbits(random.randint(1, VALUE_BITS)), power, power - 1, power + 1))
    return min(found, GREATEST)


def watch(inputs, outputs, twin):
    """Name what the reporter writes."""
    text = recall(twin, None) or ""
    byte = chr(outputs["o__data"]) if outputs["o__valid"] else ""
    moved = byte if inputs["o__ready"] else ""
    twin.noted = "" if inputs["rst"] or moved == "\n" else text + moved
    if inputs["rst"]:
        if text:
            yield "reset within a line"
        return
    if byte and not moved:
        yield "a byte waits"
    if inputs["tick"] and text:
        yield "tick within a line"
    if moved == "\n":
        yield "line"
        numbers = [word for word in text.split() if word.isdigit()]
        for number in numbers:
            yield f"{len(number)} digits"
        if "0" in numbers:
            yield "nought"
        if str(GREATEST) in numbers:
            yield "the greatest"


BENCH = Bench(
    unit="board.reporter:Reporter",
    stimulus=stimulus,
    events=(
        "line",
        "reset within a line",
        "tick within a line",
        "a byte waits",
        "nought",
        "the greatest",
        *(f"{count} digits" for count in range(1, DIGITS + 1)),
    ),
    watch=watch,
)
