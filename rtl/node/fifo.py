"""FIFO inside a unit: memory, pointers and level, for any depth."""

from amaranth import *
from amaranth.utils import bits_for

from cubecast.rtl.common.pointed_memory import PointedMemory

__all__ = ["Fifo"]


class Fifo:
    """A FIFO built into a module; its user asks for nothing that cannot be done.

    What is pushed in cycle t is the head from cycle t + 1 on, if nothing is before it. Push and pop in one cycle are
    both done.

    Parameters
    ----------
    m : Module
        The module under construction.
    name : str
        First word of the names of its signals.
    memories : str
        How the memory is read, one of ``MEMORIES``.
    shape, depth
        Shape of an entry; entries, at least 1.
    """

    def __init__(self, m, name, memories, *, shape, depth):
        self.level = Signal(bits_for(depth), name=f"{name}_level")
        """Entries that are there; a register."""
        self.push, self.pop = Signal(name=f"{name}_push"), Signal(name=f"{name}_pop")
        """Strobes; assigned by the user."""
        self.data = Signal(shape, name=f"{name}_data")
        """What is pushed."""
        newest = Signal(range(depth), name=f"{name}_newest")
        oldest = Signal(range(depth), name=f"{name}_oldest")
        words = PointedMemory(m, f"{name}_words", memories, shape=shape, depth=depth)
        write = words.write_port()
        m.d.comb += [write.en.eq(self.push), write.addr.eq(newest), write.data.eq(self.data)]
        after = Mux(oldest == depth - 1, 0, oldest + 1)
        self.head = words.head(oldest, after, self.pop, self.level)
        """The oldest entry; it means something while ``level`` is not 0."""
        with m.If(self.push):
            m.d.sync += newest.eq(Mux(newest == depth - 1, 0, newest + 1))
        with m.If(self.pop):
            m.d.sync += oldest.eq(after)
        m.d.sync += self.level.eq(self.level + self.push - self.pop)
