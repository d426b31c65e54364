"""What routing policies mean for specifications of the hardware: one object for each, with all that they differ in."""

import abc

from amaranth.hdl import Assert, C, Const

__all__ = ["POLICIES", "Greedy", "Ordered"]


class Policy(abc.ABC):
    """The order in which a broadcast takes the dimensions, and the lanes of a gateway's units."""

    @abc.abstractmethod
    def served(self, n, address):
        """Yield the dimensions in the order in which they are served, each with the condition that it is its turn."""

    def straps(self, address):
        """Return what a broadcaster is told, by name."""
        return {}

    def also(self, dut):
        """Return further statements about a broadcaster without control vectors."""
        return []

    @abc.abstractmethod
    def rises(self, dut, channel):
        """Return whether the messages of a channel leave a gateway in the next lane."""

    @abc.abstractmethod
    def turns(self, config, unit, lane):
        """Yield the groups in which a unit may have its turn at a link with several lanes.

        Each is a number, how many candidates there are, the unit's place among them, and the condition; ``lane`` is the
        one in which the unit's message leaves.
        """


class Greedy(Policy):
    """Dimensions ascending; hops from odd nodes go to the next lane."""

    def served(self, n, address):
        """Yield them in ascending order."""
        yield from ((j, Const(1)) for j in range(n))

    def also(self, dut):
        """Return that dimension j is used where the relative source address is less than 2**j."""
        return [Assert(dut.send[j] == (dut.source < 1 << j)) for j in range(len(dut.send))]

    def rises(self, dut, channel):
        """Return the parity of the address."""
        return dut.odd

    def turns(self, config, unit, lane):
        """Yield the group of the lane that the unit takes messages in."""
        channel, comes = divmod(unit, config.lanes)
        yield comes, config.dim + (comes == 0), channel, C(1)


class Ordered(Policy):
    """Dimensions in which the address has a 1 first; hops that clear a bit after one that set a bit go up."""

    def served(self, n, address):
        """Yield those of the ones, ascending, then the others, ascending."""
        yield from ((j, address[j]) for j in range(n))
        yield from ((j, ~address[j]) for j in range(n))

    def straps(self, address):
        """Return the address."""
        return {"address": address}

    def rises(self, dut, channel):
        """Return whether messages of the channel turn here; those of the processor do not."""
        return dut.turn[channel] if channel < len(dut.turn) else C(0)

    def turns(self, config, unit, lane):
        """Yield the groups of the lanes that the unit's messages may leave in."""
        channel, comes = divmod(unit, config.lanes)
        if comes == 0:
            yield 0, config.dim + 1, channel, lane == 0
        if channel < config.dim:
            yield 1, config.dim, channel, lane == 1


POLICIES = {"greedy": Greedy(), "ordered": Ordered()}
"""Policy by name."""
