"""Testbench of the loaded network: overload of every kind, until all that was sent has come, whole."""

from cubecast.golden.packet.contract.load import load_shape
from cubecast.tb.common.load_node import moves, overload
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config, rounds=3, cycles=150):
    """Run rounds with settings of their own, each to its end."""
    yield from overload(random, load_shape(config), rounds, cycles)


BENCH = Bench(
    unit="packet.loaded_network:LoadedNetwork",
    stimulus=stimulus,
    events=("ONE", "ALL", "LIST", "came", "register read"),
    watch=moves,
    extra={"probe": True},
)
