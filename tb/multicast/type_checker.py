"""Testbench of the type checker: which kind of message a k field announces."""

from cubecast.tb.common.patterns import sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep k."""
    yield from sweep(random, {"k": config.dim})


def watch(inputs, outputs, twin):
    """Name each kind, and the two ends of the range of each."""
    config, k = twin.config, inputs["k"]
    yield from (name for name, value in outputs.items() if value)
    ends = {1: "unicast", config.max_dest: "k = m", config.max_list: "k = K"}
    if k in ends:
        yield ends[k]


def events(config, extra, options):
    """Return what can happen with these limits."""
    lists = ("listed", "k = K") if config.carries_lists else ()
    long = ("too_long",) if config.max_list < config.broadcast_k - 1 else ()
    return "zero", "multicast", "broadcast", *lists, *long


BENCH = Bench(
    unit="multicast.type_checker:TypeChecker",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
