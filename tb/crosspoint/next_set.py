"""Testbench of the next set: headers of every kind, legal or not, with their own run end or any other."""

import functools

from cubecast.golden.crosspoint.contract.word import outputs_of
from cubecast.golden.crosspoint.twins.run_end import RunEnd
from cubecast.tb.common.patterns import sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer headers whose fields are sparse, dense or random, bitmaps with one part or several."""
    router = config.router
    n, width = router.dim, router.width
    while True:
        data = sparse(random, router.bitmap_bits) if random.random() < 0.8 else random.getrandbits(width)
        header = {"r1": sparse(random, n), "r2": sparse(random, n), "kind": random.randrange(4)}
        over, turns = (
            _ends(config, **header) if random.random() < 0.7 else (random.getrandbits(1), random.getrandbits(1))
        )
        yield {"data": data, **header, "over": over, "turns": turns}


def watch(inputs, outputs, twin):
    """Name each queue that a word goes into, by what says so."""
    router, push = twin.config.router, outputs["push"]
    up = twin.config.input < twin.config.output < router.dim
    ends = inputs["over"], inputs["turns"]
    if not up and ends != _ends(twin.config, *(inputs[name] for name in ("r1", "r2", "kind"))):
        yield f"over {ends[0]} and turns {ends[1]} of another header"
        return
    kind = inputs["kind"] if router.multicast and not up else 0
    by = ("unicast", "subcube", "bitmap", "bitmap")[kind]
    for k in range(router.ports):
        if push >> k & 1:
            yield f"{by} into {k}"
    if push & push - 1:
        yield "several queues"
        if push >> router.dim & 1:
            yield "ejection and others"
    if not push:
        yield "nowhere"


def _ends(config, r1, r2, kind):
    """Return over and turns of a header at a crosspoint."""
    return _run_end(config).find(r1, r2, kind)


@functools.cache
def _run_end(config):
    """Return the twin of a crosspoint's run end."""
    return RunEnd(config)


def events(config, extra, options):
    """Return what can happen at such a crosspoint."""
    router, i, j = config.router, config.input, config.output
    n, b = router.dim, router.bitmap_dims
    if i < j < n:
        return tuple(f"unicast into {k}" for k in (*range(j + 1, n), n))
    own = j == n
    reached = [k for k in (range(n) if own else outputs_of(router, j)) if k != j]
    happen = [f"unicast into {k}" for k in reached]
    if router.multicast:
        below = [k for k in reached if k < j or k == n]
        happen += [
            f"{by} into {k}" for by in ("subcube", "bitmap") for k in below if by == "subcube" or k != n or not own
        ]
        several = len([k for k in below if k < min(j, n)]) + (not own) > 1 and (min(j, b) > 0)
        happen += ["several queues"] * several
        happen += ["ejection and others"] * (several and not own)
    others = [(0, 0), (0, 1), (1, 1), *([(1, 0)] if j > 0 or router.runs == 2 else [])]
    return (*happen, *(f"over {over} and turns {turns} of another header" for over, turns in others))


BENCH = Bench(
    unit="crosspoint.next_set:NextSet",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:Crosspoint",
)
