"""A unit broken on purpose from outside: the same ports, with some of them changed on their way in or out."""

from amaranth.hdl import Module
from amaranth.lib import wiring

__all__ = ["Altered"]


class Altered(wiring.Component):
    """A unit with the same ports, changed on its way in or out.

    A subclass names the ``unit``, and its ``alter(m, inner)`` connects some ports itself and returns their names
    (as in Verilog: ``o__0__valid``); a name stands for everything below it.
    """

    unit: type

    def __init__(self, config, **extra):
        self.inner = self.unit(config, **extra)
        self.config = config
        super().__init__(dict(self.inner.signature.members.items()))

    def elaborate(self, platform):
        """Connect everything that :meth:`alter` does not."""
        m = Module()
        m.submodules.inner = self.inner
        changed = self.alter(m, self.inner)
        ports = zip(self.signature.flatten(self), self.signature.flatten(self.inner), strict=True)
        for (path, member, outer), (_, _, inner) in ports:
            name = "__".join(map(str, path))
            if not any(name == other or name.startswith(f"{other}__") for other in changed):
                m.d.comb += inner.eq(outer) if member.flow == wiring.In else outer.eq(inner)
        return m
