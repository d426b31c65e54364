"""Signatures of reports: streams of them between units, and those of a whole router as they happen."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["REASON_BITS", "Collected", "Report"]

REASON_BITS = 4
"""Width of a reason code, and of the port and lane numbers that go with it in a log entry."""


class Report(wiring.Signature):
    """Stream of reports about messages, or single destinations, that were not delivered.

    Parameters
    ----------
    config : Config
        Gives the width of an address.
    """

    def __init__(self, config: Config):
        super().__init__({"valid": Out(1), "reason": Out(REASON_BITS), "destination": Out(config.dim), "ready": In(1)})


class Collected(wiring.Signature):
    """Reports of a whole router as they happen, with the port and the lane, or the unit, that each comes from.

    Parameters
    ----------
    config : Config
        Gives the width of an address.
    """

    def __init__(self, config: Config):
        names = ("reason", "port", "lane")
        super().__init__(
            {"valid": Out(1), "destination": Out(config.dim), **{name: Out(REASON_BITS) for name in names}}
        )
