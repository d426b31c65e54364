"""Testbench of the event log: events at both ports, while the processor reads, clears and masks."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

REASONS = 6
"""Reasons that units tell of; one more says that an event was lost, and may come from a port as well."""


def stimulus(random, config):
    """Put events, pop them and clear what is pending."""
    drawing = moods(
        random, 60, put=(0.05, 0.5, 1.0), other=(0.0, 0.5), pop=(0.0, 0.2, 1.0), clear=(0.0, 0.1), reset=(0.0, 0.01)
    )
    while True:
        mood = next(drawing)
        inputs = {
            "rst": chance(random, mood["reset"]),
            "pop": chance(random, mood["pop"]),
            "clear": sparse(random, REASONS + 1) * chance(random, mood["clear"]),
            "enable": sparse(random, REASONS + 1),
        }
        for port, often in enumerate(("put", "other")):
            inputs |= {
                f"put__{port}__valid": chance(random, mood[often]),
                f"put__{port}__reason": random.randrange(REASONS + 1),
                f"put__{port}__status": random.getrandbits(8),
                f"put__{port}__source": random.getrandbits(16),
                f"put__{port}__value": random.getrandbits(32),
            }
        yield inputs


def watch(inputs, outputs, twin):
    """Name how full the log is, and what meets in a cycle."""
    level, lost = recall(twin, (len(twin.entries), twin.lost)) or (0, 0)
    if inputs["rst"]:
        if level:
            yield "reset"
        return
    put = inputs["put__0__valid"] or inputs["put__1__valid"]
    if inputs["put__0__valid"] and inputs["put__1__valid"]:
        yield "port 1 waits"
    elif inputs["put__1__valid"]:
        yield "port 1"
    if level == twin.config.events and put:
        yield "full, popped" if inputs["pop"] else "lost"
    if not level and inputs["pop"]:
        yield "popped while empty, put" if put else "popped while empty"
    if lost and inputs["clear"] >> REASONS:
        yield "a loss is cleared"
    if put and inputs["clear"]:
        yield "cleared while one comes"
    if outputs["pending"] and not outputs["irq"]:
        yield "masked"


BENCH = Bench(
    unit="node.event_log:EventLog",
    stimulus=stimulus,
    events=(
        "reset",
        "port 1 waits",
        "port 1",
        "full, popped",
        "lost",
        "popped while empty, put",
        "popped while empty",
        "a loss is cleared",
        "cleared while one comes",
        "masked",
    ),
    watch=watch,
)
