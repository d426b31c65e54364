"""Memory that is read where registers point: asynchronously, or at the edge before, as a block RAM is."""

from amaranth import *
from amaranth.lib import memory

__all__ = ["Foreseen", "PointedMemory"]


class PointedMemory:
    """A memory with one writer. A word written in cycle t is read from cycle t + 1 on, where a register points.

    ``distributed``: the read ports are asynchronous, at the pointers. ``block``: they read at the edge, at what the
    pointers will be, and the word written last comes from a register: a block RAM that is read at the address of a
    write gives whatever its maker has chosen.

    Parameters
    ----------
    m : Module
        The module under construction; the memory becomes its submodule ``name``.
    name : str
        Name of the memory.
    memories : str
        One of ``MEMORIES``.
    shape, depth
        Shape of a word; words.
    ahead : bool
        Whoever reads has a register behind the port, and does not look at a word that was written in the cycle of its
        read.
    """

    def __init__(self, m, name, memories, *, shape, depth, ahead=False):
        self._m, self._block = m, memories == "block"
        attributes = {"ram_style": "block"} if self._block else {}
        # Synthesis need not care for a read in the cycle of a write: the word comes from the register, or nobody looks.
        attributes |= {"no_rw_check": 1} if self._block or ahead else {}
        m.submodules[name] = self._memory = memory.Memory(shape=shape, depth=depth, init=[], attrs=attributes)

    def write_port(self):
        """Return the write port, with ``en``, ``addr`` and ``data``."""
        write = self._memory.write_port()
        if self._block:
            self._last = Signal(self._memory.shape, reset_less=True)
            with self._m.If(write.en):
                self._m.d.sync += self._last.eq(write.data)
        return write

    def read(self, pointer, following=None, newest=None):
        """Return the word at ``pointer``, a register.

        Parameters
        ----------
        pointer, following : value
            The register, and what it will be in the next cycle unless there is a reset.
        newest : value
            Whether it points at the word written last. This and ``following`` are looked at with ``block`` alone.
        """
        if self._block:
            read, word = self._memory.read_port(), Signal(self._memory.shape)
            self._m.d.comb += [read.addr.eq(following), word.eq(Mux(newest, self._last, read.data))]
            return word
        read = self._memory.read_port(domain="comb")
        self._m.d.comb += read.addr.eq(pointer)
        return read.data

    def head(self, oldest, after, take, level):
        """Return the oldest word of a queue, which is the one written last when there is no other.

        Parameters
        ----------
        oldest, after : value
            Its address, a register, and that of the word behind it.
        take : value
            It leaves in this cycle.
        level : value
            Words in the queue; the word is meaningless when there is none.
        """
        return self.read(oldest, Mux(take, after, oldest), level == 1)


class Foreseen:
    """A register whose next value is a signal where one asks for it: ``following``, as it is without a reset.

    Parameters
    ----------
    m : Module
        The module under construction.
    register : Signal
        The register.
    following : Signal
        What it will be; None: nobody asks.
    """

    def __init__(self, m, register, following=None):
        self.register = register
        self._m, self._domain, self._assigned = m, "sync", register
        if following is not None:
            self._domain, self._assigned = "comb", following
            m.d.comb += following.eq(register)
            m.d.sync += register.eq(following)

    def becomes(self, value):
        """Give the register a value at the edge; of several the one said last counts."""
        self._m.d[self._domain] += self._assigned.eq(value)
