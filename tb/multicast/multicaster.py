"""Bench of the multicaster: one forwarding decision."""

from cubecast.tb.common.patterns import chance, item, sparse, sweep
from cubecast.tb.harness.lockstep import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the array and the fault vector, then (again) arrays in which faults are few and some column is full."""
    n, m = config.dim, config.max_dest
    yield from sweep(random, {"a": m * n, "fault": n})
    for _ in range(1000):
        full = chance(random, 0.2) * sum(1 << n * row for row in range(m)) << random.randrange(n)
        yield {"a": sparse(random, m * n) | full, "fault": random.choice((0, 0, 1 << random.randrange(n)))}


def watch(inputs, outputs, twin):
    """Name ties, faults that change the decision, and what is left over at termination."""
    n, m = twin.config.dim, twin.config.max_dest
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
    name="multicaster",
    component="cubecast.rtl.multicast.multicaster:Multicaster",
    twin="cubecast.golden.multicast.twins.multicaster:Multicaster",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("tie", "one best column", "left over", "nothing to do", "all rows")
        + (("fault met",) if config.max_dest > 1 else ())
    ),
    watch=watch,
)
