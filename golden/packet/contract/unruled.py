"""A packet router whose rule of contrary packets can be taken away: for the demonstration of the deadlock alone."""

from __future__ import annotations

import dataclasses

from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["UnruledConfig"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class UnruledConfig(PacketConfig):
    """Parameters of a packet router, and one that no command which makes hardware offers.

    Parameters
    ----------
    contrary_rule : bool
        False: contrary packets are never refused, and the network can deadlock.
    """

    contrary_rule: bool = True
