"""Recording of the packet network: buffers, slots, crossbar outputs, and who waits for which of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, NO_ROOM, NOBODY, NOT_READY, NOTHING, Watcher
from cubecast.tb.packet.wire import Read, SerialWire

__all__ = ["PacketWatcher"]


class PacketWatcher(Watcher):
    """Units of a router: buffer units, slots, crossbar outputs, that to the node last, the detour, and serializers.

    A word of a serial link is recorded in the cycle of its last bit.
    """

    def __init__(self, recorder: Any, messages: Sequence[Mapping[str, Any]]) -> None:
        """Start with nothing on a link."""
        super().__init__(recorder, messages)
        self._crossing: dict[tuple[int, int], int] = {}
        self._serial = self.config.link == "serial"
        # By node and dimension, the serial links on which something is under way.
        self._wires: dict[tuple[int, int], SerialWire] = {}
        # Of the cycle that begins: the packets whose head is on a link; by node the message whose word the node is
        # shown; the outputs that have granted and not begun to send; the routers that take an edge.
        self._flying: dict[tuple[int, int], int] = {}
        self._leaving: dict[int, int] = {}
        self._pending: set[tuple[int, int]] = set()

    def parts(self) -> dict[str, Any]:
        """Return the units of a router."""
        dims, buffers = range(self.config.dim), ["packets", "messages"]
        units = [[f"packet buffer unit {i}", "packet buffer unit"] for i in dims]
        units += [[f"buffer slot {j}", "buffer slot"] for j in dims]
        units += [[f"output {j}", "crossbar output"] for j in dims] + [["output to the node", "crossbar output"]]
        kinds = {"packet buffer unit": buffers, "buffer slot": buffers, "crossbar output": ["owner", "message"]}
        arbiters: list[list[Any]] = [[f"output {j}", j] for j in dims] + [["output to the node", self.config.local]]
        if self.config.fault_tolerant:
            units.append(["detour", "detour"])
            kinds["detour"] = ["owner"]
            arbiters.append(["detour", None])
        if self._serial:
            units += [[f"serializer {j}", "serializer"] for j in dims]
            kinds["serializer"] = ["sends", "message"]
        return {"units": units, "kinds": kinds, "arbiters": arbiters, "ring": []}

    def look(self) -> None:
        """See what is on the links and at the nodes, and which outputs have granted."""
        recorder = self.recorder
        self._flying = {link: packet.message for link, (packet, _) in recorder.flying.items()}
        self._leaving = {node: queue[0].message for node, queue in enumerate(recorder.leaving) if queue}
        self._pending = {
            (node, port)
            for node, router in enumerate(self.network.routers)
            if not router.crossbar.resting
            for port, output in enumerate(router.crossbar.outputs)
            if output.pending
        }

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record words, waits and reports of the cycle, and the units as they are from the next one on."""
        recorder, recording, now, config = self.recorder, self.recording, self.recorder.now, self.config
        width, dim = config.width, config.dim
        for node in bits(inputs["inject_valid"]):
            slots = item(inputs["inject_slots"], node, dim) or 1
            if not slots & ~item(outputs["inject_ready"], node, dim):
                word, last = item(inputs["inject_data"], node, width), bool(inputs["inject_last"] >> node & 1)
                message = recorder.loading[node, (slots & -slots).bit_length() - 1].message
                recording.word("inject", (node,), now, message, word, first=False, last=last)
        for j in range(dim):
            for node, (head, word) in self._crossed(j, outputs):
                if head:
                    self._crossing[node, j] = self._flying.get((node, j), NOBODY)
                recording.word("links", (node, j, 0), now, self._crossing[node, j], word, first=head, last=False)
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            word, last = item(outputs["eject_data"], node, width), bool(outputs["eject_last"] >> node & 1)
            recording.word("eject", (node,), now, self._leaving[node], word, first=False, last=last)
        self.reports("message", PacketReason)
        stirred = self.stirred()
        self._waits(now, stirred)
        for node in stirred:
            self.hold(now + 1, node)

    def _crossed(self, j: int, outputs: Mapping[str, Any]) -> Iterator[tuple[int, Read]]:
        """Yield the heads and words that cross the links of a dimension in this cycle, each with the node it leaves."""
        if not self._serial:
            for node in bits(outputs[f"link_{j}_valid"]):
                head, word = outputs[f"link_{j}_head"] >> node & 1, outputs[f"link_{j}_data"]
                yield node, Read(bool(head), item(word, node, self.config.head_bits))
            return
        line, hold = outputs[f"link_{j}_line"], outputs[f"link_{j}_hold"]
        for node in sorted({*bits(line), *(node for node, k in self._wires if k == j)}):
            wire = self._wires.setdefault((node, j), SerialWire(self.config))
            read = wire.see(line >> node & 1, hold >> node & 1)
            if wire.idle:
                del self._wires[node, j]
            if read is not None:
                yield node, read

    def _waits(self, now: int, stirred: set[int]) -> None:
        """Record the packets that requested an output in this cycle and were not granted it."""
        found = {}
        for node in stirred:
            crossbar = self.network.routers[node].crossbar
            for port in bits(crossbar.waited):
                output = crossbar.outputs[port]
                granted = 1 << output.next if output.pending or (node, port) in self._pending else 0
                why = IN_USE if output.held or granted else NOT_READY if port == self.config.local else NO_ROOM
                owner = self.recorder.outgoing.get((node, port)) if output.held else None
                for k in bits(crossbar.wanted.get(port, 0) & ~granted):
                    unit = self._place(node, crossbar.members[port][k])
                    by = NOBODY if owner is None else owner.message
                    found[node, unit, port] = self._waiting(node, unit, port), why, by
        self.recording.waits(now, found)

    def _place(self, node: int, requester: int) -> int:
        """Return the unit that a requester of the crossbar is: a detour goes out of the slot whose turn it is."""
        if requester < 2 * self.config.dim:
            return requester
        who: int = self.network.routers[node].node_output.who
        return int(self.config.dim) + who

    def _waiting(self, node: int, unit: int, port: int) -> int:
        """Return the message of the packet in a unit that wants a port."""
        recorder, dim = self.recorder, self.config.dim
        if unit >= dim:
            queue = recorder.waiting[node, unit - dim]
            return self.number(queue[0].message) if queue else NOBODY
        rows = self.network.routers[node].pbus[unit].cam.rows
        wanted = (recorder.held[node, unit, row.ram_row].message for row in rows if row.next == port)
        return self.number(next(wanted, NOBODY))

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold, and whom its arbiters serve first."""
        router, recorder, dim = self.network.routers[node], self.recorder, self.config.dim
        for unit in range(2 * dim):
            if unit < dim:
                packets = [recorder.held[node, unit, row.ram_row] for row in router.pbus[unit].cam.rows]
            else:
                packets = list(recorder.waiting[node, unit - dim])
            values = [len(packets), list(dict.fromkeys(each.message for each in packets))] if packets else NOTHING
            self.recording.unit(cycle, node, unit, values)
        for port in range(dim + 1):
            owner, values = router.crossbar.owner(port), NOTHING
            if owner >= 0:
                packet = recorder.outgoing.get((node, port)) if router.crossbar.outputs[port].head_gone else None
                values = [self._place(node, owner), NOBODY if packet is None else packet.message]
            self.recording.unit(cycle, node, 2 * dim + port, values)
            arbiter = router.crossbar.outputs[port].arbiter
            self.order(cycle, node, port, tuple(arbiter.toggles), partial(self._requesters, node, port))
        if self.config.fault_tolerant:
            detour, following = 3 * dim + 1, router.node_output
            self.recording.unit(cycle, node, detour, [dim + following.who] if following.active else NOTHING)
            slots = following.arbiter
            self.order(cycle, node, dim + 1, (slots.pointer,), lambda: [dim + slot for slot in slots.order()])
        for j, serializer in enumerate(router.serializers):
            values = NOTHING
            if serializer.state:
                packet = recorder.flying.get((node, j), (None, 0))[0] if serializer.head else None
                message = self._crossing.get((node, j), NOBODY) if packet is None else packet.message
                values = ["head" if serializer.head else "word", message]
            self.recording.unit(cycle, node, 3 * dim + 1 + self.config.fault_tolerant + j, values)

    def _requesters(self, node: int, port: int) -> list[int]:
        """Return the units that an output's arbiter serves, the detour being one."""
        crossbar, dim = self.network.routers[node].crossbar, self.config.dim
        members = (crossbar.members[port][k] for k in crossbar.outputs[port].arbiter.order())
        return [3 * dim + 1 if requester == 2 * dim else requester for requester in members]
