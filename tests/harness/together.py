"""Several specifications as one, since a solver takes longer to start than to prove a small one."""

from amaranth.hdl import Module
from amaranth.lib import wiring

__all__ = ["Together"]


class Together(wiring.Component):
    """All of the specifications hold.

    Parameters
    ----------
    specs : components
        The specifications, all with or all without a clock.
    """

    def __init__(self, *specs):
        self.specs = specs
        super().__init__({})

    def elaborate(self, platform):
        """Place them beside each other."""
        m = Module()
        for number, spec in enumerate(self.specs):
            m.submodules[f"spec_{number}"] = spec
        return m
