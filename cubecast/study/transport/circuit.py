"""Circuit switching: all links are gathered, then all bytes cross, then all links are released."""

from __future__ import annotations

from heapq import heappop, heappush

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages
from cubecast.study.transport.transport import MessageTransport

__all__ = ["Circuit"]

FREE = -1
"""Holder of a link that nobody holds."""


class Circuit(MessageTransport):
    """Persistent circuits: a blocked one waits, and keeps the links that it has.

    A lower message number is an earlier creation, and a higher priority. A message that wants a link held by a younger
    one that still gathers takes it away. The younger one falls back to the node before that link, releases the links
    behind it, and asks anew there; what it has up to that node it keeps. Links released go to the oldest message that
    waits for them. A circuit that has come to its destination is never disturbed.

    Fixed routing wants the link of the lowest differing dimension. Adaptive routing takes the lowest of the useful
    links that is free, else the lowest that it may take away, else it waits for all of them.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, section 4.4.1.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        links = self.dim << self.dim
        self._holder = [FREE] * links
        self._taken = [0] * links
        # Messages that wait for each link, oldest first, with the ticket of the wait.
        self._waiting: list[list[tuple[int, int]]] = [[] for _ in range(links)]
        # Counts what has happened to a message: waits and set-ups begun before are void.
        self._ticket = [0] * len(self.source)
        # Links gathered, with the bit of their dimension.
        self._path: list[list[tuple[int, int]]] = [[] for _ in self.source]
        self._receiving = [False] * len(self.source)

    def start(self, message: int) -> None:
        """Take a message that its source has generated."""
        self._request(message)

    def busy(self) -> list[str]:
        """Return names of resources that are in use, or waited for."""
        ticket = self._ticket
        return [
            *(f"link {link}" for link, holder in enumerate(self._holder) if holder != FREE),
            *(
                f"queue of link {link}"
                for link, waiting in enumerate(self._waiting)
                if any(ticket[message] == number for message, number in waiting)
            ),
        ]

    def _request(self, message: int) -> None:
        """Give a message a link at the node of its head, or let it wait there."""
        node = self.node[message]
        links, holders = self.table[node], self._holder
        useful = node ^ self.destination[message]
        if not self.adaptive:
            useful &= -useful
        victim = None
        rest = useful
        while rest:
            bit = rest & -rest
            rest ^= bit
            link = links[bit.bit_length() - 1]
            holder = holders[link]
            if holder == FREE:
                self._take(message, bit, link)
                return
            if victim is None and holder > message and not self._receiving[holder]:
                victim = holder, bit, link
        if victim is not None:
            holder, bit, link = victim
            released = self._fall_back(holder, link)
            self._take(message, bit, link)
            for free in released:
                self._hand_over(free)
            self._request(holder)
            return
        entry = message, self._ticket[message]
        while useful:
            bit = useful & -useful
            useful ^= bit
            heappush(self._waiting[links[bit.bit_length() - 1]], entry)

    def _take(self, message: int, bit: int, link: int) -> None:
        """Give a message a link, and set it up."""
        self._holder[link] = message
        self._taken[link] = self.queue.now
        self._path[message].append((bit, link))
        self.node[message] ^= bit
        self._ticket[message] = ticket = self._ticket[message] + 1
        self.queue.at(self.queue.now + self.setup, self._set_up, (message, ticket))

    def _set_up(self, hop: tuple[int, int]) -> None:
        """Have the head at the node behind a link, unless that was taken away meanwhile."""
        message, ticket = hop
        if self._ticket[message] != ticket:
            return
        if self.node[message] != self.destination[message]:
            self._request(message)
            return
        self._receiving[message] = True
        end = self.queue.now + self.span[message]
        self.deliver(message, end)
        self.queue.at(end, self._close, message)

    def _close(self, message: int) -> None:
        """Release the links of a message that has arrived."""
        for _, link in self._path[message]:
            self._free(link)
        for _, link in self._path[message]:
            self._hand_over(link)

    def _fall_back(self, message: int, lost: int) -> list[int]:
        """Put a message back before a link that it loses, and return the links behind, which are free now."""
        path = self._path[message]
        self._ticket[message] += 1
        released: list[int] = []
        while True:
            bit, link = path.pop()
            self.node[message] ^= bit
            self._free(link)
            if link == lost:
                return released
            released.append(link)

    def _free(self, link: int) -> None:
        """Take a link from its holder."""
        self.link_ticks += self.queue.now - self._taken[link]
        self._holder[link] = FREE

    def _hand_over(self, link: int) -> None:
        """Give a free link to the oldest message that waits for it."""
        waiting = self._waiting[link]
        while waiting and self._holder[link] == FREE:
            message, ticket = heappop(waiting)
            if self._ticket[message] == ticket:
                dim = link % self.dim
                self._take(message, 1 << dim, link)
