"""Testbench of the run end: headers of every kind, legal or not."""

from cubecast.tb.common.patterns import sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer headers whose first run is over or not, and whose fields are sparse, dense or random."""
    n, j = config.router.dim, config.output
    while True:
        r1 = sparse(random, n)
        if random.random() < 0.5:
            r1 &= -1 << j
        yield {"r1": r1, "r2": sparse(random, n), "kind": random.choice((0, 0, 1, 2, 3))}


def watch(inputs, outputs, twin):
    """Name what keeps a run from its end, and what a second one begins with, alone."""
    router, j = twin.config.router, twin.config.output
    r1, r2, kind = inputs["r1"], inputs["r2"], inputs["kind"] if router.multicast else 0
    own, below = 1 << j & (1 << router.dim) - 1, r1 & (1 << j) - 1
    if below & below - 1 == 0:
        yield f"first run goes on with {below.bit_length() - 1} alone" if below else "first run is over"
    if below or router.runs == 1:
        return
    if kind:
        yield f"kind {kind} does not turn" if r2 else "nothing left"
    elif r2 & r2 - 1 == 0:
        k = r2.bit_length() - 1
        crossed = "" if r2 != own else ", crossed twice" if r1 & own else ", crossed"
        yield f"second run of {k} alone{crossed}" if r2 else "nothing left"


def events(config, extra, options):
    """Return what can happen at such a crosspoint."""
    router, j = config.router, config.output
    happen = ["first run is over", *(f"first run goes on with {k} alone" for k in range(j))]
    if router.runs == 2:
        happen += ["nothing left", *(f"second run of {k} alone" for k in range(router.dim) if k != j)]
        if j < router.dim:
            happen += [f"second run of {j} alone, crossed", f"second run of {j} alone, crossed twice"]
        if router.multicast:
            happen += [f"kind {kind} does not turn" for kind in (1, 2, 3)]
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.run_end:RunEnd",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:Crosspoint",
)
