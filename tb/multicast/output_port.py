"""Testbench of the output port: the next destination of a copy, actual again."""

from cubecast.tb.common.patterns import sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep rows, pending rows and local address, then (again) walk through lists as copies do."""
    n, m = config.dim, config.max_dest
    outputs = yield {}
    sweeping = sweep(random, {"rows": m * n, "pending": m, "address": n})
    for values in sweeping:
        outputs = yield values
    for _ in range(200):
        outputs = yield {"rows": random.getrandbits(m * n), "pending": sparse(random, m)}
        while outputs["remaining"]:
            outputs = yield {"pending": outputs["remaining"]}


def watch(inputs, outputs, twin):
    """Name how many rows are pending."""
    pending = inputs["pending"].bit_count()
    yield ("none pending", "final")[pending] if pending < 2 else "several pending"


BENCH = Bench(
    unit="multicast.output_port:OutputPort",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("none pending", "final", *(("several pending",) if config.max_dest > 1 else ()))
    ),
    watch=watch,
)
