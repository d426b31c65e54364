"""Scoreboard of a packet network: every packet arrives exactly once, in order, or a report says why not.

It knows the routes by itself, from the rules of routing, and nothing of the twin.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import source_word, split_source_word
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.scoreboard import Books
from cubecast.tb.packet.injector import Packet

__all__ = ["PacketScoreboard"]

CROSSBAR, SLOT = 1, 2
"""Lanes of reports; that of packet buffer units is 0."""

Key = tuple[int, int, int, int]
"""Source, slot, destination word, node that gets it."""


def low(mask: int) -> int:
    """Return the index of the lowest set bit."""
    return (mask & -mask).bit_length() - 1


class PacketScoreboard(Books[PacketReason]):
    """What went in, what came out, and whether the books balance.

    While the fault vectors stay as they are, the fate of every packet is known when it is sent: where it is delivered,
    or which unit of which router reports it. When they change, a delivery may end early, with ``error``, and what is
    not delivered has to be covered by reports, each of which covers at most one packet at each node.

    ``taken`` and ``sent`` say what the routers count by (node, port); of links only while the fault vectors stay.

    Parameters
    ----------
    config : PacketConfig
        The network's parameters.
    faults : sequence of int
        Fault vector of each node.
    live : bool
        Whether the fault vectors change while packets are under way.
    """

    def __init__(self, config: PacketConfig, faults: Sequence[int] = (), live: bool = False) -> None:
        super().__init__(config.nodes)
        self.config, self.live = config, live
        self.faults = list(faults) or [0] * config.nodes
        self.owed: defaultdict[Key, deque[tuple[int, ...]]] = defaultdict(deque)
        self.early: list[tuple[int, list[int]]] = []
        self.ended: Counter[tuple[int, int, int]] = Counter()
        self.truncated: Counter[tuple[int, int, int]] = Counter()
        self.cut: Counter[tuple[int, int, int]] = Counter()
        self.surely: Counter[tuple[int, int]] = Counter()
        self.perhaps: Counter[tuple[int, int]] = Counter()
        self.taken: Counter[tuple[int, int]] = Counter()
        self.sent: Counter[tuple[int, int]] = Counter()
        self.missing = 0

    def inject(self, source: int, packet: Packet) -> None:
        """Note a packet that a node sends."""
        config, n = self.config, self.config.dim
        reason = packet.reason(config, source)
        slots = [j for j in range(n) if packet.taken_by >> j & 1]
        if reason is not None:
            for j in slots:
                self.expect(source, reason, j, SLOT, packet.destination & config.nodes - 1)
            return
        self.taken[source, n] += 1
        for j in slots:
            if packet.destination == source:
                self._leave(source, j, packet, source, j, SLOT)
            else:
                self._unicast(source, j, packet)

    def _unicast(self, source: int, slot: int, packet: Packet) -> None:
        """Follow a unicast to where it ends."""
        node, target, port, lane = source, packet.destination, slot, SLOT
        if not self.live and self.faults[source] >> slot & 1:
            others = (source ^ target) & ~self.faults[source]
            port = low(others) if others else slot
        while node != target:
            if not self._crosses(node, port, lane, target):
                return
            node ^= 1 << port
            port, lane = low(node ^ target), CROSSBAR
        self._owe(source, slot, packet, node)

    def _leave(self, source: int, slot: int, packet: Packet, node: int, port: int, lane: int) -> None:
        """Follow a broadcast's copy that leaves a node, and those made of it."""
        if not self._crosses(node, port, lane, source):
            return
        node ^= 1 << port
        self._owe(source, slot, packet, node)
        for further in range(port + 1, self.config.dim):
            self._leave(source, slot, packet, node, further, CROSSBAR)

    def _crosses(self, node: int, port: int, lane: int, told: int) -> bool:
        """Count a packet over a link of a node, or expect the report, which tells of ``told``; return which."""
        for at, reason, unit, count in (
            (node, PacketReason.UNDELIVERABLE, lane, self.sent),
            (node ^ 1 << port, PacketReason.INPUT_CUT, 0, self.taken),
        ):
            if not self.live and self.faults[at] >> port & 1:
                self.expect(at, reason, port, unit, told)
                return False
            count[at, port] += 1
        return True

    def _owe(self, source: int, slot: int, packet: Packet, node: int) -> None:
        """Note a delivery that has to come."""
        self.sent[node, self.config.dim] += not self.live
        self.owed[source, slot, packet.destination, node].append(packet.data)
        self.missing += 1

    def eject(self, node: int, data: int, last: int, error: int) -> None:
        """Note a word that a node gets."""
        words = self.take(node, data, last)
        if not last:
            return
        if error:
            assert self.live, f"node {node} got a packet that ends early, but no fault vector has changed: {words}"
            assert len(words) > 1 and words[-1] == 0, f"node {node} got an early end without head, or not 0: {words}"
            self.early.append((node, words[:-1]))
            return
        assert len(words) > 1, f"node {node} got a packet without source word: {words}"
        slot, source = split_source_word(self.config, words[1])
        key = source, slot, words[0], node
        waiting = self.owed.get(key, deque())
        found = tuple(words[2:])
        assert found in waiting, f"node {node} got a packet it is not owed: {words}; of this source: {list(waiting)}"
        assert self.live or waiting[0] == found, f"node {node} got {words}, but {waiting[0]} was sent before"
        waiting.remove(found)
        self.missing -= 1
        if self.live:
            self.sent[node, self.config.dim] += 1

    def report(self, node: int, reason: int, port: int, lane: int, destination: int) -> None:
        """Note a report of a node's router."""
        reason = PacketReason(reason)
        self.count(node, reason)
        if not self.live or (lane == SLOT and reason != PacketReason.UNDELIVERABLE):
            told = f" of port {port}, lane {lane}, for {destination}"
            self.cover(node, reason, port, lane, destination, told=told)
            return
        place = node, port, destination
        self.ended[place] += reason in (PacketReason.TRUNCATED, PacketReason.INPUT_CUT)
        self.truncated[place] += reason == PacketReason.TRUNCATED
        self.cut[place] += reason == PacketReason.PACKET_CUT
        if reason == PacketReason.TRUNCATED:
            return
        certain = reason in (PacketReason.UNDELIVERABLE, PacketReason.LINK_PROTOCOL)
        for covered in self._concerned(node, port, lane, destination):
            (self.surely if certain else self.perhaps)[covered] += 1

    def _concerned(self, node: int, port: int, lane: int, destination: int) -> Iterator[tuple[int, int]]:
        """Yield (source of a broadcast or -1, node) of each delivery that a lost packet stood for."""
        differs = (node ^ destination) >> port & 1
        if differs != (lane == 0):
            yield -1, destination
            return
        # A copy of a broadcast: the node behind the link, and all that it would have been sent on to.
        first = node if lane == 0 else node ^ 1 << port
        for further in range(0, self.config.nodes, 2 << port):
            yield destination, first ^ further

    @property
    def settled(self) -> bool:
        """Whether every delivery and every report has come."""
        return self.complete and not self.missing

    def close(self) -> None:
        """See that all is accounted for, when nothing moves any more."""
        assert not any(self.partial), f"packets without end; {self.balance()}"
        assert not any(self.owed_reports.values()), self.balance()
        if not self.live:
            assert self.settled, self.balance()
            return
        self._close_ends()
        # Longest first: whatever a longer beginning fits, a shorter one that fits it too may leave to it.
        for node, words in sorted(self.early, key=lambda entry: -len(entry[1])):
            self._assign(node, words)
        left: Counter[tuple[int, int]] = Counter()
        for (source, _, destination, node), waiting in self.owed.items():
            left[source if destination == source else -1, node] += len(waiting)
        for place in left | self.surely | self.perhaps:
            least = self.surely[place]
            most = least + self.perhaps[place]
            what = "unicasts" if place[0] < 0 else f"broadcasts of {place[0]}"
            assert least <= left[place] <= most, (
                f"node {place[1]} did not get {left[place]} {what}, but reports speak of {least} to {most}"
            )

    def _close_ends(self) -> None:
        """See that every early end has its report, and that every truncation comes from a cut or from another one."""
        dims = range(self.config.dim)

        def came(node: int, destination: int) -> int:
            return sum(self.ended[node, port, destination] for port in dims)

        early = Counter((node, words[0]) for node, words in self.early)
        for (node, destination), count in early.items():
            least = came(node, destination)
            assert count <= least, f"node {node} got {count} early ends for {destination}, but reported {least}"
        for (node, port, destination), count in self.truncated.items():
            before = node ^ 1 << port
            causes = self.cut[before, port, destination] + came(before, destination)
            assert count <= causes, (
                f"node {node} reports {count} truncated packets of port {port} for {destination}, with {causes} causes"
            )

    def _assign(self, node: int, words: list[int]) -> None:
        """Take one of the packets off the books that begin like this."""
        begun = tuple(words[1:])
        for (source, slot, destination, to), waiting in self.owed.items():
            if to != node or destination != words[0]:
                continue
            for data in waiting:
                whole = source_word(self.config, slot, source), *data
                if len(begun) < len(whole) and whole[: len(begun)] == begun:
                    waiting.remove(data)
                    self.missing -= 1
                    return
        raise AssertionError(f"node {node} got the beginning of a packet it is not owed: {words}")

    def balance(self) -> str:
        """Return one line about what is still owed."""
        keys = {f"{source}.{slot} for {to}": len(left) for (source, slot, _, to), left in self.owed.items() if left}
        reports = {key: count for key, count in self.owed_reports.items() if count}
        partial = {node: words for node, words in enumerate(self.partial) if words}
        return f"not delivered: {keys}; reports missing: {reports}; without end: {partial}; faults: {self.faults}"
