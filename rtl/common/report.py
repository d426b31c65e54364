"""Signatures of reports: streams of them between units, and those of a whole router as they happen."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import REASON_BITS

__all__ = ["Collected", "Report"]


class Report(wiring.Signature):
    """Stream of reports about messages, or single destinations, that were not delivered.

    Parameters
    ----------
    bits : int
        Width n of an address.
    """

    def __init__(self, bits: int):
        super().__init__({"valid": Out(1), "reason": Out(REASON_BITS), "destination": Out(bits), "ready": In(1)})


class Collected(wiring.Signature):
    """Reports of a whole router as they happen, with the port and the lane, or the unit, that each comes from.

    Parameters
    ----------
    bits : int
        Width n of an address.
    """

    def __init__(self, bits: int):
        names = ("reason", "port", "lane")
        super().__init__({"valid": Out(1), "destination": Out(bits), **{name: Out(REASON_BITS) for name in names}})
