"""Configurations for the testbenches of the crosspoint router: the default, and the corners of the parameter space."""

from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["CORNERS"]

CORNERS = {
    "default": CrosspointConfig(dim=3, pause_limit=20, eject_depth=128),
    # The least of everything: packets of one word, the narrowest words, the shortest queues.
    "least": CrosspointConfig(dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, log_depth=1),
    # One run, without multicast.
    "plain": CrosspointConfig(dim=3, runs=1, multicast=False, eject_depth=16, pause_limit=0),
    "one_run": CrosspointConfig(dim=3, runs=1, width=8, eject_depth=16, pause_limit=7, fault_tolerant=False),
    # As many registers on links as there can be.
    "far": CrosspointConfig(dim=3, width=9, link_regs=3, output_register=True, eject_depth=32, pause_limit=15),
    # A bitmap that does not cover all dimensions.
    "wide": CrosspointConfig(dim=4, width=12, depth=32, link_regs=1, eject_depth=256, pause_limit=9),
}
"""Name to configuration."""
