"""Testbench of the multicaster: one forwarding decision."""

from cubecast.tb.common.patterns import chance, item, recall, sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

LATER = ("reset", "fault vector changes after the choice", "rows change after the choice")
"""What happens between the first cycle of a decision and the last."""


def stimulus(random, config):
    """Drive the unit; one with registers by preference until a choice has come out, and with resets."""
    for change in _inputs(random, config):
        yield change
        for _ in range(config.decision_latency - 1):
            yield {"rst": chance(random, 0.01)} | ({"fault": sparse(random, config.dim)} if chance(random, 0.2) else {})
        if config.decision_latency > 1:
            yield {"rst": 0} | ({"a": sparse(random, config.max_dest * config.dim)} if chance(random, 0.2) else {})


def _inputs(random, config):
    """Sweep the array and the fault vector, then (again) arrays in which faults are few and some column is full."""
    n, m = config.dim, config.max_dest
    yield from sweep(random, {"a": m * n, "fault": n})
    for _ in range(1000):
        full = chance(random, 0.2) * sum(1 << n * row for row in range(m)) << random.randrange(n)
        yield {"a": sparse(random, m * n) | full, "fault": random.choice((0, 0, 1 << random.randrange(n)))}


def watch(inputs, outputs, twin):
    """Name ties, faults that change the decision, and what is left over at termination."""
    n, m, latency = twin.config.dim, twin.config.max_dest, twin.config.decision_latency
    past = (*(recall(twin, None) or ()), dict(inputs))[-latency:]
    recall(twin, past)
    if len(past) < latency:
        return
    inputs, *later = past
    if any(cycle["rst"] for cycle in past[:-1]):
        yield "reset"
        return
    if any(cycle["a"] != inputs["a"] for cycle in later):
        yield "rows change after the choice"
        return
    if inputs["a"] and any(cycle["fault"] != inputs["fault"] for cycle in later):
        yield "fault vector changes after the choice"
    rows = [item(inputs["a"], row, n) for row in range(m)]
    sums = [sum(row >> column & 1 for row in rows) for column in range(n)]
    usable = [total for column, total in enumerate(sums) if not inputs["fault"] >> column & 1]
    most = max(usable, default=0)
    if outputs["terminate"]:
        yield "left over" if inputs["a"] else "nothing to do"
    elif usable.count(most) > 1:
        yield "tie"
    else:
        yield "one best column"
    if max(sums) > most > 0:
        yield "fault met"
    if outputs["r"] == (1 << m) - 1:
        yield "all rows"


BENCH = Bench(
    unit="multicast.multicaster:Multicaster",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("tie", "one best column", "left over", "nothing to do", "all rows")
        + (("fault met",) if config.max_dest > 1 else ())
        + (LATER if config.decision_latency > 1 else ())
    ),
    watch=watch,
)
