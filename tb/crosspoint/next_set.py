"""Testbench of the next set: headers of every kind, legal or not."""

from cubecast.golden.crosspoint.contract.word import outputs_of
from cubecast.tb.common.patterns import sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer headers whose fields are sparse, dense or random, bitmaps with one part or several."""
    router = config.router
    n, width = router.dim, router.width
    while True:
        data = sparse(random, router.bitmap_bits) if random.random() < 0.8 else random.getrandbits(width)
        yield {"data": data, "r1": sparse(random, n), "r2": sparse(random, n), "kind": random.randrange(4)}


def watch(inputs, outputs, twin):
    """Name each queue that a word goes into, by what says so."""
    router, push = twin.config.router, outputs["push"]
    kind = inputs["kind"] if router.multicast and not twin.config.input < twin.config.output < router.dim else 0
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
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.next_set:NextSet",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:Crosspoint",
)
