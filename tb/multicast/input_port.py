"""Testbench of the input port: address field, relative address, stray bits."""

from cubecast.tb.common.patterns import sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep word and local address, then (again) plain addresses and single stray bits."""
    n, width = config.dim, config.width
    yield from sweep(random, {"word": width, "address": n})
    for _ in range(500):
        address = random.getrandbits(n)
        yield {"word": random.choice((address, random.getrandbits(n), sparse(random, width))), "address": address}


def watch(inputs, outputs, twin):
    """Name the own address, another one, and stray bits."""
    if outputs["high"]:
        yield "stray bits"
    else:
        yield "another address" if outputs["relative"] else "own address"


BENCH = Bench(
    unit="multicast.input_port:InputPort",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("own address", "another address", *(("stray bits",) if config.width > config.dim else ()))
    ),
    watch=watch,
)
