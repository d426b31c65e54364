"""Recording of a network with collectives: segments on links, vectors in and out, and what each unit of a node does."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import Table, entries
from cubecast.golden.collective.contract.segment import Kind, Reading, Sending, kind_fields
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.golden.collective.twins.unit import CollectiveUnit
from cubecast.golden.common.twins.ports import bits
from cubecast.tb.collective.pieces import Messages
from cubecast.tb.common.patterns import item
from cubecast.tb.common.playback import START
from cubecast.tb.common.recording import NO_CREDIT, NO_MESSAGE, NOBODY, NOTHING, Wait, beginning
from cubecast.tb.multicast.following import Follower
from cubecast.tb.multicast.watching import MulticastWatcher

__all__ = ["CollectiveWatcher"]

SEQUENCER, MEMORY, OPERATION, SENDER, RECEIVER, BUFFER = range(6)
"""Places of a node's units behind those of its router."""

UNITS = ("collective sequencer", "vector memory", "operation unit", "sender", "receiver", "pass buffer")

CREDITS = Kind.CREDIT, Kind.RELAY_CREDIT


class CollectiveWatcher(MulticastWatcher):
    """Units of a node: its router's, then its collective unit's, from the sequencer to the pass buffer.

    ``inject`` and ``eject`` are the host's ports, ``vector_in`` and ``vector_out``; a message comes to a node when its
    collective unit takes its words from the router.

    Parameters
    ----------
    network : CollectiveNetwork
        The golden network, at rest.
    config : CollectiveConfig
        Its parameters.
    tables : mapping
        Register values by node.
    told : mapping
        Of :mod:`cubecast.tb.collective.pieces`.
    """

    def __init__(
        self,
        network: CollectiveNetwork,
        config: CollectiveConfig,
        tables: Mapping[int, Table],
        told: Mapping[str, Any],
    ) -> None:
        """Start with nothing recorded; the coming cycle is cycle 0."""
        self._members, self.nodes = network.members, network.routers
        routers = SimpleNamespace(config=config.router, routers=[node.router for node in network.routers])
        follower = Follower(config.router, routers)
        follower.cycle = START
        self.known = Messages(config, tables, told)
        super().__init__(follower, ())
        self.messages = self.known.listed
        self._ring = bool(self.known.member)
        self._first = len(self.network.routers[0].mhus) + config.router.ports
        layout = entries(config)
        self._stages = {node: layout["SENDS"].unpack(table["SENDS"]) for node, table in tables.items()}
        self._parents = {node ^ 1 << j: j for node, table in tables.items() for j in bits(table["SPREAD"])}
        self._missing = {node: list(pieces) for node, pieces in self.known.coming.items()}
        # What a node sends, what it relays, and data words of the segments of each message.
        self._sending: dict[int, int] = {}
        self._relaying: dict[int, int] = {}
        self._lengths: dict[int, set[int]] = {}
        # Of the cycle that begins: nodes that may do anything, what their routers' ports show, the place of the word
        # that is loaded next, and who waits for others.
        self._moving: list[int] = []
        self._ports: dict[int, tuple[int, int, int]] = {}
        self._places: dict[int, int] = {}
        self._others: dict[tuple[int, int, int], Wait] = {}

    @property
    def cycles(self) -> int:
        """Cycles recorded."""
        return int(self.recorder.now)

    def parts(self) -> dict[str, Any]:
        """Return the units of a node."""
        found = super().parts()
        if self._ring:
            sequencer = ["state", "messages received", "expected"]
        else:
            sequencer = ["state", "sends in stage", "pieces received", "expected"]
        segment = ["kind", "message"]
        kinds = [sequencer, ["words"], ["message", "own", "other"], segment, segment, ["words", "messages"]]
        units = [*found["units"], *([name, name] for name in UNITS)]
        return found | {"units": units, "kinds": found["kinds"] | dict(zip(UNITS, kinds, strict=True))}

    def payload(self, place: int) -> int | None:
        """Return the words of a piece in each of its segments, if they are as many in all."""
        lengths = self._lengths.get(self.messages[place]["message"], {0})
        return next(iter(lengths)) if len(lengths) == 1 else None

    def result(self) -> dict[str, Any]:
        """Return what the header of the recording says of the run, and the events."""
        taken: dict[tuple[int, int], list[int]] = {}
        for delivery in self.recorder.deliveries:
            message, node = self.number(delivery["origin"]), delivery["node"]
            if message != NOBODY and node in self.messages[message]["destinations"]:
                first, _ = taken.setdefault((message, node), [delivery["first_cycle"], 0])
                taken[message, node] = [first, delivery["last_cycle"]]
        return super().result() | self.summed_up(taken=taken)

    def look(self) -> None:
        """See what the registers hold in the cycle that begins."""
        super().look()
        self._moving, self._others, self._ports, self._places = [*self._members.stirred], {}, {}, {}
        for node in self._moving:
            member = self.nodes[node]
            unit, port = member.unit, member.port
            self._ports[node] = port.inject_unit, member.router.inject_ready, port.eject_unit
            if unit.sequencer.state == State.LOAD:
                self._places[node] = unit.sequencer.place
            elif unit.sequencer.state != State.IDLE and not self._ring:
                self._wait(node, unit)

    def _compose(self, node: int, unit: CollectiveUnit) -> None:
        """Find the message whose segment is about to go out."""
        known, sender, entry = self.known, unit.sender, unit.passing.entry
        kind, *_ = kind_fields(sender.header)
        if kind == Kind.RING:
            message = known.member.get(sender.argument, NOBODY)
        elif kind == Kind.RESULT:
            message = known.result
        elif kind == Kind.END_CREDIT:
            message = known.end_credit.get((node, sender.remaining.bit_length() - 1), NOBODY)
        elif kind in CREDITS:
            message = known.credit.get(node, NOBODY) if unit.mine else known.relay_credit.get((node, entry), NOBODY)
        elif unit.mine:
            message = known.own[node][unit.sequencer.index]
        else:
            message = self._relaying.get(node, NOBODY)
        self.numbers[node, self.recorder.injected[node]] = self._sending[node] = message
        if not sender.from_pass:
            self._lengths.setdefault(message, set()).add(sender.left if sender.body else 0)

    def _wait(self, node: int, unit: CollectiveUnit) -> None:
        """See which messages a node waits for, and which may not go out yet."""
        known, place = self.known, self._first + SEQUENCER
        sequencer, collector, fields = unit.sequencer, unit.collector, unit.registers.fields
        own = known.own.get(node)
        if sequencer.state == State.GATHER:
            for piece in self._missing.get(node, ()):
                message = own[0] if own else known.result
                self._others[node, place, known.over[piece]] = message, NO_MESSAGE, piece
        elif sequencer.state == State.SEND and not sequencer.begun and own:
            j = item(fields["send_dim"], sequencer.index, 4)
            if not collector.credit >> j & 1:
                by = NOBODY if fields["detour"] else known.credit.get(node ^ 1 << j, NOBODY)
                self._others[node, place, j] = own[sequencer.index], NO_CREDIT, by
        elif sequencer.state == State.AWAIT and own:
            self._others[node, place, self._parents.get(node, self.config.local)] = own[-1], NO_MESSAGE, known.result
        self._wait_to_pass(node, unit)

    def _wait_to_pass(self, node: int, unit: CollectiveUnit) -> None:
        """See whether a detour's piece may not go on yet."""
        passing, collector, fields, level = unit.passing, unit.collector, unit.registers.fields, unit.buffer.level
        if not level or passing.stage == Step.GRANT or passing.entry >= fields["relays"]:
            return
        if passing.waiting or passing.final_sent or passing.cleared:
            return
        if not any(passing.uses(fields, 1, level, collector.relay_credit, collector.end_credits)):
            j = item(fields["relay_to"], passing.entry, 4)
            self._others[node, self._first + BUFFER, j] = self._relaying.get(node, NOBODY), NO_CREDIT, NOBODY

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the cycle; the network has already taken the edge."""
        seen = self._seen(inputs, outputs)
        self.recorder.record(seen, seen, None)
        for node in bits(seen["eject_valid"] & seen["eject_ready"]):
            self._take(node, bool(seen["eject_last"] >> node & 1))
        super().show(inputs, outputs)
        for node in self._moving:
            merging, values = self.nodes[node].unit.merging, NOTHING
            if merging is not None:
                words = (item(outputs[f"custom_{name}"], node, self.config.width) for name in ("own", "other"))
                values = [self._arriving(node), *words]
            self.recording.unit(self.recorder.now, node, self._first + OPERATION, values)
        self.recorder.cycle += 1

    def _seen(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the wires of the routers: at links as they are, at local ports as collective units drive them."""
        names = "inject_valid", "inject_ready", "inject_last", "eject_valid", "eject_ready", "eject_last", "eject_error"
        seen: dict[str, Any] = dict(outputs) | dict.fromkeys((*names, "eject_data"), 0)
        for node, (sends, ready, takes) in self._ports.items():
            member = self.nodes[node]
            offered, came = member.unit.injecting if sends else None, member.router.ejected
            if offered is not None:
                seen["inject_valid"] |= 1 << node
                seen["inject_ready"] |= ready << node
                seen["inject_last"] |= offered[1] << node
            if came is not None and takes:
                seen["eject_valid"] |= 1 << node
                seen["eject_ready"] |= member.unit.eject_ready << node
                for name, value, width in zip(("data", "last", "error"), came, (self.config.width, 1, 1), strict=True):
                    seen[f"eject_{name}"] |= value << node * width
        return seen

    def _arriving(self, node: int) -> int:
        """Return the message whose word the unit of a node takes from its router in this cycle."""
        return self.number(self.recorder.sender(node, self.config.local))

    def _take(self, node: int, last: bool) -> None:
        """Take note of a word that the unit of a node has taken: of what it relays, and of pieces that are here."""
        unit, message = self.nodes[node].unit, self._arriving(node)
        if unit.receiver.kind == Kind.RELAY and unit.collector.accepted == Accepted.OTHER:
            self._relaying[node] = message
        if last and unit.receiver.is_final and message in self._missing.get(node, ()):
            self._missing[node].remove(message)

    def local(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the words of vectors at the ports of the hosts."""
        recording, now, width = self.recording, self.recorder.now, self.config.width
        for node in bits(inputs.get("vector_in_valid", 0) & outputs["vector_in_ready"]):
            place = self._places[node]
            message = self.known.loaded(node, place)
            word, last = item(inputs["vector_in_data"], node, width), inputs["vector_in_last"] >> node & 1
            first = not place or message != self.known.loaded(node, place - 1)
            recording.word("inject", (node,), now, message, word, first=first, last=bool(last))
        for node in bits(outputs["vector_out_valid"] & inputs.get("vector_out_ready", 0)):
            message = self._arriving(node) if self._ring else self.known.result
            word, last = item(outputs["vector_out_data"], node, width), outputs["vector_out_last"] >> node & 1
            recording.word("eject", (node,), now, message, word, first=False, last=bool(last))

    def waiting(self) -> dict[tuple[int, int, int], Wait]:
        """Return what waits in the routers, and for others."""
        return super().waiting() | self._others

    def stirred(self) -> set[int]:
        """Return the nodes whose units may have changed since this was asked before."""
        return {*self._moving, *self._members.stirred}

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold."""
        super().hold(cycle, node)
        unit, first = self.nodes[node].unit, self._first
        if unit.sender.phase == Sending.COUNT:
            self._compose(node, unit)
        sequencer, sender, receiver = unit.sequencer, unit.sender, unit.receiver
        own = words = sent = came = NOTHING
        if sequencer.state != State.IDLE:
            counts = [unit.collector.received, unit.registers.fields["expected"]]
            own = [State(sequencer.state).name, *([] if self._ring else [self._stage(node)]), *counts]
            length = sequencer.place if sequencer.state == State.LOAD else sequencer.length
            words = [beginning(unit.memory.words[:length])] if length else NOTHING
        if sender.phase != Sending.IDLE:
            sent = [Kind(kind_fields(sender.header)[0]).name, self._sending.get(node, NOBODY)]
        if receiver.phase >= Reading.ARGUMENT and node in self.recorder.coming:
            came = [Kind(receiver.kind).name, self.number(self.recorder.coming[node]["origin"])]
        for place, values in ((SEQUENCER, own), (MEMORY, words), (SENDER, sent), (RECEIVER, came)):
            self.recording.unit(cycle, node, first + place, values)
        passed = [unit.buffer.level, self._passed(node)] if unit.buffer.level else NOTHING
        self.recording.unit(cycle, node, first + BUFFER, passed)

    def _stage(self, node: int) -> int | str:
        """Return the stage in which a node sends; the sink sends in none."""
        sends = self._stages[node]
        return sends["stage"] if sends["count"] else "none"

    def _passed(self, node: int) -> list[int]:
        """Return the messages whose words are in a pass buffer, the oldest first."""
        if not self._ring:
            return [self._relaying.get(node, NOBODY)]
        unit = self.nodes[node].unit
        sender, found = unit.sender, []
        inside = sender.phase != Sending.IDLE and sender.from_pass and sender.body
        if inside:
            found.append(self._sending.get(node, NOBODY))
        # A segment begins with its origin, which leaves when it is begun to be sent.
        for data, last, *_ in unit.buffer.entries:
            if not inside:
                found.append(self.known.member.get(data, NOBODY))
            inside = not last
        return [*dict.fromkeys(found)]
