"""Configurations for the testbenches of the network adapter: the default, and the corners of the parameter space."""

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["BUFFERS", "CORNERS", "SINGLE"]


def corner(fault_entries=2, relay_wait=20, reassemble=(0, 64), policies="all", **router):
    """Return the parameters of a node, with a router that ends packets soon that pause."""
    config = CrosspointConfig(**{"dim": 3, "width": 16, "pause_limit": 20, "eject_depth": 16} | router)
    return AdapterConfig(
        router=config,
        fault_entries=fault_entries,
        relay_wait=relay_wait,
        reassemble=reassemble[0],
        reassemble_words=reassemble[1],
        policies=policies,
    )


CORNERS = {
    "default": corner(width=32, eject_depth=128, fault_entries=4),
    # The least of everything: packets of one word and a tag, the narrowest words, one cycle of patience.
    "least": corner(dim=2, width=8, depth=4, packet_limit=2, eject_depth=4, fault_entries=1, relay_wait=1),
    # Without faults, multicast and a second run; messages are put together, of packets with numbers.
    "plain": corner(runs=1, multicast=False, fault_tolerant=False, fault_entries=0, reassemble=(2, 8)),
    # One run; a bitmap fills a word; a list of faults alone; messages are put together.
    "one_run": corner(runs=1, width=8, fault_tolerant=False, packet_limit=3, reassemble=(3, 4)),
    # Bitmaps of two words; a tag has one bit left, too few for a number; cut links alone; no register; messages are put
    # together.
    "wide": corner(
        dim=4,
        width=15,
        depth=32,
        packet_limit=4,
        link_regs=1,
        eject_depth=32,
        fault_entries=0,
        reassemble=(2, 16),
        policies="e-cube",
    ),
}
"""Name to configuration."""

BUFFERS = {
    "one_buffer": corner(dim=2, width=10, packet_limit=3, reassemble=(1, 2)),
    "four_buffers": corner(reassemble=(4, 8)),
}
"""Further ones for the reassembler alone."""

SINGLE = {
    name: corner(dim=2, width=8, packet_limit=3, fault_entries=0, policies=name)
    for name in ("either", "random", "valiant")
}
"""Further ones for registers and planner alone: one policy that draws."""
