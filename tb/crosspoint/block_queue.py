"""Testbench of the queue in block RAM: as that of the queue, whose words come a cycle late."""

from cubecast.tb.crosspoint.queue import events, traffic, watch
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Push while there is room for a word, pop while there is one to be read."""
    yield from traffic(random, config)


BENCH = Bench(
    unit="crosspoint.block_queue:BlockQueue",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:QueueShape",
)
