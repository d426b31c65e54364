"""What specifications of units have in common: the unit beside which they stand, and the way to its inside."""

from amaranth.asserts import AnySeq
from amaranth.lib import wiring

from tests.harness.altered import Altered
from tests.harness.inside import opened, register

__all__ = ["Spec", "drive"]


def drive(m, *ports):
    """Drive ports, or all inputs of a unit if it is given in their place, with anything in every cycle."""
    for port in ports:
        if isinstance(port, wiring.Component):
            drive(m, *(signal for _, member, signal in port.signature.flatten(port) if member.flow == wiring.In))
        else:
            m.d.comb += port.eq(AnySeq(len(port)))


class Spec(wiring.Component):
    """A specification of a unit; a subclass names the ``unit`` and says in ``elaborate`` what it promises.

    Parameters
    ----------
    config : configuration
        Parameters of the unit.
    unit : class
        The design to be checked; a broken one must be refuted. The subclass's own unit by default.
    extra
        Further arguments of the unit.
    """

    unit: type

    def __init__(self, config, unit=None, **extra):
        self.config, self.extra = config, extra
        self.unit = unit or self.unit
        super().__init__({})

    def place(self, m):
        """Make the unit a part of the specification, and return it."""
        self.dut = self.unit(self.config, **self.extra)
        m.submodules.dut = self.fragment = opened(self.dut)
        return self.dut

    @property
    def inside(self):
        """The way to the unit within one that is broken from outside."""
        return ("inner",) if isinstance(self.dut, Altered) else ()

    def register(self, *path):
        """Return a register of the unit: the names of the submodules that lead to it, then its own."""
        return register(self.fragment, *self.inside, *path)
