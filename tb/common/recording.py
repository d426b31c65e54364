"""Recording of a run: what moved, who waited for what, and what changed in the units, cycle by cycle.

A run is recorded only if it is asked to be. A system says by a :class:`Watcher` of its own which units its routers
have and who waits; words are those at the ports of the network, which the hardware has in common with its twin in every
cycle, states and owners are those of the twin. Events are plain values, as ``docs/explorer.md`` describes them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

__all__ = [
    "IN_USE",
    "NOBODY",
    "NOTHING",
    "NOT_HERE",
    "NOT_READY",
    "NO_CREDIT",
    "NO_MESSAGE",
    "NO_ROOM",
    "Recording",
    "Wait",
    "Watcher",
    "beginning",
]

NOBODY = -1
"""Stands for the message where there is none, or none is known."""

NOTHING: list[Any] = []
"""Values of a unit that has nothing."""

IN_USE, NO_ROOM, NOT_READY = "link in use", "no room at the next node", "node not ready"
"""Why words wait in routers of several systems."""

NOT_HERE, NO_MESSAGE, NO_CREDIT = "operand not here yet", "message not here yet", "credit not here yet"
"""Why words wait for others that they are joined with, or for the leave to be sent, and for no link."""

FOR_NO_LINK = NOT_HERE, NO_MESSAGE, NO_CREDIT

MOST_WORDS = 16
"""Words of a long vector that are recorded of a unit."""

Wait = tuple[int, str, int]
"""Message that waits, why, and the message that it waits for."""


def beginning(words: Sequence[Any]) -> list[Any]:
    """Return the words of a vector that are recorded of a unit, and "..." if there are more."""
    return [*words[:MOST_WORDS], *["..."][: len(words) - MOST_WORDS]] if len(words) > MOST_WORDS else [*words]


class Recording:
    """Events by cycle.

    A *run of words* is one entry: the words of one message that cross the same place, from first to last.
    """

    def __init__(self) -> None:
        """Start with no event."""
        self.cycles: dict[int, dict[str, list[list[Any]]]] = defaultdict(dict)
        self._open: dict[tuple[str, tuple[int, ...], int], tuple[int, list[Any], list[int]]] = {}
        self._waiting: dict[tuple[int, int, int], tuple[int, Wait, list[Any]]] = {}
        self._units: dict[tuple[int, int], list[Any]] = {}

    def event(self, cycle: int, kind: str, entry: list[Any]) -> None:
        """Keep an event."""
        self.cycles[cycle].setdefault(kind, []).append(entry)

    def word(
        self,
        kind: str,
        place: tuple[int, ...],
        cycle: int,
        message: int,
        word: int,
        *,
        first: bool,
        last: bool,
        port: int = 0,
    ) -> None:
        """Keep a word.

        Parameters
        ----------
        kind : str
            ``"links"``, ``"inject"`` or ``"eject"``.
        place : tuple of int
            Node, dimension and lane of a link; the node of a local port.
        cycle : int
            In which it moves.
        message, word : int
            Whose word it is, and which.
        first, last : bool
            Whether it begins or ends a run of words.
        port : int
            Of the local ports that the node has several of, which one: each has runs of its own.
        """
        key = kind, place, port
        if first or key not in self._open:
            entry: list[Any] = [*place, message, []]
            self._open[key] = cycle, entry, []
            self.event(cycle, kind, entry)
        begun, entry, times = self._open[key]
        words = entry[len(place) + 1]
        words.append(word)
        times.append(cycle - begun)
        if len(entry) == len(place) + 2 and times[-1] != len(times) - 1:
            entry.append(times)
        if last:
            del self._open[key]

    def unit(self, cycle: int, node: int, unit: int, values: list[Any]) -> None:
        """Keep what is in a unit from this cycle on, if it has changed."""
        if self._units.get((node, unit), NOTHING) != values:
            self._units[node, unit] = values
            self.event(cycle, "units", [node, unit, values])

    def waits(self, cycle: int, found: Mapping[tuple[int, int, int], Wait]) -> None:
        """Keep who waits in this cycle, by node, unit and port; called once in every cycle."""
        waiting = self._waiting
        for key in [key for key, (_, wait, _) in waiting.items() if found.get(key) != wait]:
            del waiting[key]
        for key, wait in found.items():
            begun, _, entry = waiting.get(key) or (cycle, wait, [*key, *wait, 0])
            if key not in waiting:
                waiting[key] = begun, wait, entry
                self.event(cycle, "waits", entry)
            entry[-1] = cycle - begun + 1

    def result(self) -> list[dict[str, Any]]:
        """Return the events, an object for each cycle that has any, in the order of cycles."""
        return [{"cycle": cycle, **self.cycles[cycle]} for cycle in sorted(self.cycles)]


class Watcher:
    """Records a run for a system's recorder, which calls :meth:`look` before every edge and :meth:`show` after it.

    Parameters
    ----------
    recorder
        The recorder of the system's playback.
    messages : sequence of dict
        The messages that are played; events name them by their place here.
    """

    def __init__(self, recorder: Any, messages: Sequence[Mapping[str, Any]]) -> None:
        """Start with nothing recorded."""
        self.recorder, self.messages = recorder, messages
        self.config, self.network = recorder.config, recorder.network
        self.recording = Recording()
        self._told = 0
        self._awake: set[int] = set()
        self._begun = False
        self._orders: dict[tuple[int, int], tuple[int, ...]] = {}

    def parts(self) -> dict[str, Any]:
        """Return what the header says of the routers.

        ``"units"`` are the name and kind of each, ``"kinds"`` the names of the fields by kind, ``"arbiters"`` the name
        of each and the port that it is of, None if of none, ``"ring"`` node and unit of buffers that wait for each
        other at the end of the run.
        """
        raise NotImplementedError

    def begin(self) -> None:
        """Record what all units are in the cycle that begins, if it is the first."""
        if not self._begun:
            self._begun = True
            for node in range(len(self.network.routers)):
                self.hold(max(0, self.recorder.now), node)

    def look(self) -> None:
        """See what the registers hold in the cycle that begins."""
        raise NotImplementedError

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the cycle; the network has already taken the edge."""
        raise NotImplementedError

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold from a cycle on, and whom its arbiters serve first."""
        raise NotImplementedError

    def stirred(self) -> set[int]:
        """Return the nodes whose units may have changed since this was asked before."""
        awake = {node for node, router in enumerate(self.network.routers) if not router.resting}
        before, self._awake = self._awake, awake
        return before | awake

    def order(
        self, cycle: int, node: int, arbiter: int, state: tuple[int, ...], units: Callable[[], list[int]]
    ) -> None:
        """Record the order in which an arbiter serves units from this cycle on, if it has changed.

        Parameters
        ----------
        cycle, node, arbiter : int
            From when on, where, and which of the node's arbiters.
        state : tuple of int
            The registers that the order is a function of.
        units : function
            Returns the units, those first that are served before others.
        """
        if self._orders.get((node, arbiter)) != state:
            self._orders[node, arbiter] = state
            self.recording.event(cycle, "arbiters", [node, arbiter, units()])

    def reports(self, message: str, reasons: Any) -> None:
        """Record the reports that the recorder has new; ``message`` is its field that says whose."""
        new = self.recorder.reports[self._told :]
        self._told += len(new)
        for report in new:
            number, reason = self.number(report[message]), reasons(report["reason"]).name
            self.recording.event(self.recorder.now, "reports", [report["node"], number, reason, report["destination"]])

    def number(self, message: Any) -> int:
        """Return the place of a message among those that are played, as the recorder of the system names it."""
        return int(message)

    def payload(self, place: int) -> int | None:
        """Return how many of the last words of a message are data, wherever it goes; None: that differs."""

    def result(self) -> dict[str, Any]:
        """Return units and events, and the payload of every message."""
        payloads = [self.payload(place) for place in range(len(self.messages))]
        return self.parts() | {"payloads": payloads, "events": self.recording.result()}

    def summed_up(
        self, handed: Collection[int] = (), taken: Mapping[tuple[int, int], Sequence[int]] | None = None
    ) -> dict[str, Any]:
        """Return what the header says of a run of which nothing but its events is known.

        These are ``messages`` with the cycle in which each begins, ``deliveries`` in the order of their ends, and
        ``links``.

        Parameters
        ----------
        handed : collection of int
            Messages for the neighbour that they cross a link to, and not for its processor.
        taken : mapping, optional
            First and last cycle of messages that came to a node otherwise, by message and node; what came to the node's
            processor counts instead where there is both.
        """
        starts: dict[int, int] = {}
        came: dict[tuple[int, int], Sequence[int]] = {}
        words: Counter[tuple[int, int]] = Counter()
        runs: Counter[tuple[int, int]] = Counter()
        waited: dict[tuple[int, int], set[int]] = defaultdict(set)

        def arrive(message: int, node: int, cycle: int, sent: Sequence[int], offsets: Sequence[Sequence[int]]) -> None:
            last = cycle + (offsets[0][-1] if offsets else len(sent) - 1)
            first, before = came.get((message, node), (cycle, last))
            came[message, node] = [first, max(before, last)]

        for event in self.recording.result():
            cycle = event["cycle"]
            for _node, message, *_ in event.get("inject", ()):
                starts.setdefault(message, cycle)
            for node, message, sent, *offsets in event.get("eject", ()):
                arrive(message, node, cycle, sent, offsets)
            for node, dimension, _lane, message, sent, *offsets in event.get("links", ()):
                starts.setdefault(message, cycle)
                words[node, dimension] += len(sent)
                runs[node, dimension] += 1
                if message in handed:
                    arrive(message, node ^ 1 << dimension, cycle, sent, offsets)
            for node, _unit, port, _message, why, _by, count in event.get("waits", ()):
                if why not in FOR_NO_LINK:
                    waited[node, port].update(range(cycle, cycle + count))
        deliveries = [
            {"message": message, "node": node, "first_cycle": first, "last_cycle": last, "error": False}
            for (message, node), (first, last) in sorted(
                {**(taken or {}), **came}.items(), key=lambda each: (each[1][1], each[0])
            )
        ]
        links = [
            {
                "from": node,
                "to": node ^ 1 << port,
                "words": words[node, port],
                "messages": runs[node, port],
                "waited": len(waited[node, port]),
            }
            for node, port in sorted({*words, *waited})
            if port < self.config.dim
        ]
        messages = [{**message, "start_cycle": starts.get(place)} for place, message in enumerate(self.messages)]
        return {"messages": messages, "deliveries": deliveries, "links": links}
