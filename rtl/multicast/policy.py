"""Routing policies in hardware: one class for each, with all that the units do differently under it."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.policy import Strap
from cubecast.rtl.common.instance import place
from cubecast.rtl.multicast.eligibility import Eligibility

__all__ = ["POLICIES", "Greedy", "Ordered", "Policy", "connect_straps", "policy_of", "ports_of"]


class Policy(abc.ABC):
    """What a policy decides: which rows vote, the order of dimensions, the next lane, and what a dead end is.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Attributes
    ----------
    revotes : bool
        Whether rows may vote otherwise when another link is cut or repaired, though one of them votes for a dimension
        that has been decided on.
    """

    revotes: bool

    def __init__(self, config: Config):
        self.config = config

    def _above(self, j):
        """Return the dimensions above j."""
        n = self.config.dim
        return C((1 << n) - (2 << j), n)

    @abc.abstractmethod
    def votes(self, m, store, address, blocked):
        """Return the reference array [m * n] as the multicaster is to see it.

        Parameters
        ----------
        m : Module
            The message handling unit under construction.
        store : Store
            Its Store.
        address, blocked : Value
            Local address and the dimensions that must not be taken, n bits each.
        """

    @abc.abstractmethod
    def useful(self, m, row, address):
        """Return those of the usable dimensions [n] of one row that it votes for."""

    @abc.abstractmethod
    def after(self, j, straps):
        """Return the dimensions [n] that come after j in a broadcast with control vectors."""

    @abc.abstractmethod
    def sends(self, m, source, straps):
        """Return for each dimension whether a broadcast without control vectors, of this relative source, goes on."""

    @abc.abstractmethod
    def broadcaster_straps(self, address):
        """Return what a broadcaster is told, by name."""

    @abc.abstractmethod
    def channel_straps(self, address, j):
        """Return what the channel of link j is told, by name."""

    @abc.abstractmethod
    def dead_end(self, channel):
        """Return the dimensions [n] in which a message in the last lane of a channel cannot go on."""

    @abc.abstractmethod
    def gateway_straps(self, address, j):
        """Return what the gateway of link j is told, by name; j = n is that of the ejection port."""

    @abc.abstractmethod
    def step(self, gateway, channel):
        """Return whether a message of a channel goes out through this gateway in the next lane; n: injected."""

    @abc.abstractmethod
    def groups(self, gateway, inside) -> Iterator[tuple[Value, list[list[tuple[int, Value]]]]]:
        """Yield for each group of units at a link's gateway whether its lane can take a message, and its candidates.

        A candidate of the group's arbiter is a list of units of which one at most can ask, each with the condition for
        it to belong to the group.

        Parameters
        ----------
        gateway : OutputGateway
            The gateway.
        inside : list of list of int
            The units of each lane.
        """


class Greedy(Policy):
    """Every row votes for all it needs; dimensions in ascending order; a hop from an odd node goes to the next lane.

    Rows with a one in a dimension all leave with it, so what they vote for does not change.

    Source: Lan 1988, MULTICAST.1 and F1, BROADCAST.2 and F3; the lanes are what deadlock freedom adds.
    """

    revotes = False

    def votes(self, m, store, address, blocked):
        """Return the reference array itself."""
        return store.a

    def useful(self, m, row, address):
        """Return all of them."""
        return row

    def after(self, j, straps):
        """Return the higher ones."""
        return self._above(j)

    def sends(self, m, source, straps):
        """Return g_j = AND over all p >= j of NOT source_p."""
        return [~source[j:].any() for j in range(self.config.dim)]

    def broadcaster_straps(self, address):
        """Return nothing."""
        return {}

    def channel_straps(self, address, j):
        """Return nothing."""
        return {}

    def dead_end(self, channel):
        """Return all dimensions at an odd node."""
        return channel.address.xor().replicate(self.config.dim)

    def gateway_straps(self, address, j):
        """Return the parity of the address."""
        return {"odd": address.xor()}

    def step(self, gateway, channel):
        """Return the parity of the address."""
        return gateway.odd

    def groups(self, gateway, inside):
        """Yield the units of each in-lane."""
        lanes = self.config.lanes
        for lane, units in enumerate(inside):
            passable = gateway.ready[lane]
            if lanes > 1:
                passable = Mux(gateway.odd, gateway.ready[lane + 1] if lane + 1 < lanes else 0, gateway.ready[lane])
            yield passable, [[(u, C(1))] for u in units]


class Ordered(Policy):
    """1 -> 0 hops come before 0 -> 1 hops; a turn from 0 -> 1 to 1 -> 0 hops goes to the next lane.

    Source: restriction of Lan 1988, section 6.6, that leaves no cycle of waiting buffers.
    """

    revotes = True

    def votes(self, m, store, address, blocked):
        """Return what the eligibility unit leaves of the array."""
        eligibility = place(m, "eligibility", Eligibility, self.config)
        m.d.comb += [eligibility.a.eq(store.rows), eligibility.address.eq(address), eligibility.fault.eq(blocked)]
        # The same as the votes of a, but what changes with every decision comes in last.
        return eligibility.votes & store.a

    def useful(self, m, row, address):
        """Return the 1 -> 0 hops, if there are any."""
        down = Signal(self.config.dim)
        m.d.comb += down.eq(row & address)
        return Mux(down.any(), down, row)

    def after(self, j, straps):
        """Return the higher ones of the same address bit, and all those of a zero if the bit of j is a one."""
        # j itself never comes after j.
        after, address = self._above(j), straps["address"]
        return Mux(address[j], after | ~address, after & ~address)

    def sends(self, m, source, straps):
        """Return g_j = NOT source_j AND, for all other p, source_p only if p comes before j at the source."""
        n = self.config.dim
        origin = Signal(n)
        m.d.comb += origin.eq(straps["address"] ^ source)
        late = [
            [source[p] & ((origin[j] & ~origin[p]) if p < j else (origin[j] | ~origin[p])) for p in range(n) if p != j]
            for j in range(n)
        ]
        return [~Cat(source[j], late[j]).any() for j in range(n)]

    def broadcaster_straps(self, address):
        """Return the address."""
        return {"address": address}

    def channel_straps(self, address, j):
        """Return the direction of the hop over this link: 1 for 0 -> 1."""
        return {"up": address[j]}

    def dead_end(self, channel):
        """Return the 1 -> 0 hops, after a 0 -> 1 hop."""
        return Mux(channel.up, channel.address, 0)

    def gateway_straps(self, address, j):
        """Return the channels whose messages turn here: none for the injection unit and at the ejection port."""
        return {"turn": Mux(address[j], address, 0) if j < self.config.dim else C(0)}

    def step(self, gateway, channel):
        """Return whether messages of the channel turn here."""
        return gateway.turn[channel] if channel < self.config.dim else C(0)

    def groups(self, gateway, inside):
        """Yield the units whose messages leave in each lane."""
        if self.config.lanes == 1:
            yield gateway.ready[0], [[(u, C(1))] for u in inside[0]]
            return
        n = self.config.dim
        yield gateway.ready[0], [[(u, ~self.step(gateway, u // 2))] for u in inside[0]]
        # All messages of a channel turn here, or none.
        yield gateway.ready[1], [[(2 * i, gateway.turn[i]), (2 * i + 1, ~gateway.turn[i])] for i in range(n)]


POLICIES = {"greedy": Greedy, "ordered": Ordered}
"""Class of each policy by name."""


def policy_of(config: Config) -> Policy:
    """Return the policy of a router."""
    return POLICIES[config.policy](config)


def ports_of(straps: Iterable[Strap], config: Config) -> dict[str, wiring.Member]:
    """Return the ports of a unit for what it is told for the sake of the policy."""
    return {strap.name: In(strap.width(config.dim)) for strap in straps}


def connect_straps(m, unit, values: Mapping[str, Value]) -> None:
    """Connect the straps of a unit.

    Parameters
    ----------
    m : Module
        The module that holds the unit.
    unit : wiring.Component
        The unit.
    values : mapping
        What each strap is.
    """
    m.d.comb += [getattr(unit, name).eq(value) for name, value in values.items()]
