"""Configurations for the testbenches of the reduction: the default, and the corners of the parameter space."""

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.contract.config import ReductionConfig

__all__ = ["CORNERS"]

CORNERS = {
    "default": ReductionConfig(router=CrosspointConfig(dim=3, runs=1, eject_depth=16, pause_limit=20)),
    # The least of everything: narrow words, the shortest queues, no register.
    "least": ReductionConfig(
        router=CrosspointConfig(
            dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, log_depth=1, counters=8
        ),
        reduce_depth=4,
        reduce_register=False,
    ),
    # Registers on links, the widest words, neither multicast nor faults nor counters, memories that are read ahead.
    "far": ReductionConfig(
        router=CrosspointConfig(
            dim=3,
            width=64,
            runs=1,
            multicast=False,
            fault_tolerant=False,
            eject_depth=16,
            link_regs=1,
            output_register=True,
            pause_limit=9,
            counters=0,
            memories="block",
        ),
        reduce_depth=8,
    ),
    # Links in two runs, with a register at the sender alone.
    "wide": ReductionConfig(
        router=CrosspointConfig(dim=4, width=12, output_register=True, eject_depth=32, pause_limit=9, counters=16),
        reduce_depth=32,
        reduce_register=False,
    ),
    # Operators of the node, of three cycles.
    "operator": ReductionConfig(
        router=CrosspointConfig(
            dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, log_depth=1, counters=8
        ),
        reduce_depth=8,
        operator_latency=3,
    ),
    # Two join units at each node.
    "contexts": ReductionConfig(
        router=CrosspointConfig(
            dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, log_depth=1, counters=8
        ),
        reduce_depth=4,
        contexts=2,
    ),
    # Two join units with operators of the node, and registers on the links.
    "both": ReductionConfig(
        router=CrosspointConfig(
            dim=3, width=16, runs=1, depth=8, packet_limit=2, eject_depth=8, pause_limit=9, counters=0, link_regs=1
        ),
        reduce_depth=16,
        operator_latency=2,
        contexts=2,
    ),
    # What fits around a load node, and is small.
    "small_load": ReductionConfig(
        router=CrosspointConfig(dim=2, depth=4, packet_limit=2, eject_depth=4), reduce_depth=4
    ),
}
"""Name to configuration."""
