"""Configurations for the testbenches of the board."""

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["CORNERS"]


def _router(**parameters):
    """Return routers as a board has them: without faults, counters and log."""
    fixed = {"fault_tolerant": False, "counters": 0, "log_depth": 0, "pause_limit": 0}
    return CrosspointConfig(**{**fixed, **parameters})


CORNERS = {
    "default": BoardConfig(
        router=_router(dim=2, depth=4, packet_limit=2, eject_depth=4),
        second_cycles=2700,
        bit_cycles=2,
        debounce_cycles=20,
    ),
    # Several blocks of a list, and bits of a prime number of cycles.
    "blocks": BoardConfig(
        router=_router(dim=4, width=14, eject_depth=16, fault_tolerant=True),
        second_cycles=12_500,
        bit_cycles=7,
        debounce_cycles=3,
    ),
    # No multicast, one run, a button that is heard at once.
    "plain": BoardConfig(
        router=_router(dim=3, width=16, runs=1, multicast=False, eject_depth=16),
        second_cycles=10_001,
        bit_cycles=5,
        debounce_cycles=1,
    ),
}
"""Name to configuration."""
