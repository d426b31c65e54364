"""Testbench of the eligibility unit: which hops each row votes for."""

from cubecast.tb.common.patterns import item, sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep array, address and fault vector, then (again) arrays of few ones beside few faults."""
    n, m = config.dim, config.max_dest
    yield from sweep(random, {"a": m * n, "address": n, "fault": n})
    for _ in range(1000):
        fault = random.choice((0, 1 << random.randrange(n), sparse(random, n)))
        yield {"a": sparse(random, m * n), "address": sparse(random, n), "fault": fault}


def watch(inputs, outputs, twin):
    """Name what rows vote for, and why."""
    n, address, fault = twin.config.dim, inputs["address"], inputs["fault"]
    kinds = set()
    for place in range(twin.config.max_dest):
        row, votes = item(inputs["a"], place, n), item(outputs["votes"], place, n)
        if not row:
            kinds.add("empty row")
        elif not votes:
            kinds.add("every hop is faulty")
        elif votes & address:
            kinds.add("down, some up to come" if row & ~address else "down")
            if row & address & fault:
                kinds.add("down beside a fault")
        else:
            kinds.add("up, as the way down is faulty" if row & address else "up")
            if row & ~address & fault:
                kinds.add("up beside a fault")
    yield from kinds
    if {"down", "down, some up to come"} & kinds and any(kind.startswith("up") for kind in kinds):
        yield "rows differ"


BENCH = Bench(
    unit="multicast.eligibility:Eligibility",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        *("empty row", "every hop is faulty", "down", "down, some up to come", "down beside a fault"),
        *("up", "up, as the way down is faulty", "up beside a fault"),
        *(("rows differ",) if config.max_dest > 1 else ()),
    ),
    watch=watch,
)
