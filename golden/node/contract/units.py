"""What units of the node interface say to each other, where hardware and golden model share the code."""

from __future__ import annotations

import enum

__all__ = ["CLIENTS", "How"]

CLIENTS = 4
"""Units that read node memory, and units that write it."""


class How(enum.IntEnum):
    """How the matcher settles a receive."""

    POSTED = 0
    """It is in its list, and waits for a message."""
    UNCLAIMED = 1
    """With a message that is in a system buffer."""
    HELD = 2
    """With a broadcast whose sender is told to send it again."""
    NOTHING = 3
    """There is no buffer for it."""
