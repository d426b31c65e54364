"""Recording of the crosspoint network: queues, outputs, and who waits for which of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.word import CrosspointReason, has_queue
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, NO_ROOM, NOBODY, NOT_READY, NOTHING, Wait, Watcher

__all__ = ["CrosspointWatcher"]


class CrosspointWatcher(Watcher):
    """Units of a router: its queues, input by input, then its outputs, that to the node last."""

    def __init__(self, recorder: Any, messages: Sequence[Mapping[str, Any]]) -> None:
        """Number the units."""
        super().__init__(recorder, messages)
        ports = range(self.config.ports)
        self._queues = [(i, j) for i in ports for j in ports if has_queue(self.config, i, j)]
        self._unit = {queue: unit for unit, queue in enumerate(self._queues)}
        # Of the cycle that begins: by node and output the queues that have a word, with its message; by node the
        # message whose word the node is shown.
        self._heads: dict[tuple[int, int], dict[int, int]] = {}
        self._leaving: dict[int, int] = {}

    def parts(self) -> dict[str, Any]:
        """Return the units of a router."""
        local = self.config.local
        names = ["node" if port == local else f"dimension {port}" for port in range(self.config.ports)]
        queues = [[f"queue from {names[i]} to {names[j]}", "queue"] for i, j in self._queues]
        outputs = [[f"output to {name}", "output"] for name in names]
        kinds = {"queue": ["words", "messages"], "output": ["owner", "message"]}
        arbiters = [[name, port] for port, (name, _) in enumerate(outputs)]
        return {"units": [*queues, *outputs], "kinds": kinds, "arbiters": arbiters, "ring": []}

    def look(self) -> None:
        """See which queues have words, and whose."""
        recorder, self._heads = self.recorder, {}
        for node, router in enumerate(self.network.routers):
            for j, mask in enumerate(router.offering):
                if mask:
                    queues = (self._requester(node, j, k) for k in bits(mask))
                    self._heads[node, j] = {i: recorder.queues[node, i, j][0][0].message for i in queues}
        self._leaving = {node: queue[0].message for node, queue in enumerate(recorder.leaving) if queue}

    def _requester(self, node: int, j: int, k: int) -> int:
        """Return the input that a requester of an output stands for."""
        if j == self.config.local:
            return k
        requester: int = self.network.routers[node].outputs[j].requesters[k]
        return requester

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record words, waits and reports of the cycle, and the units as they are from the next one on."""
        recorder, recording, now, width = self.recorder, self.recording, self.recorder.now, self.config.width
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            word, last = item(inputs["inject_data"], node, width), bool(inputs["inject_last"] >> node & 1)
            message = recorder.injecting[node].message
            recording.word("inject", (node,), now, message, word, first=False, last=last)
        for j in range(self.config.dim):
            pushed = outputs[f"link_{j}_push"]
            for node in range(self.config.nodes) if pushed else ():
                if item(pushed, node, self.config.ports):
                    word, last = item(outputs[f"link_{j}_data"], node, width), outputs[f"link_{j}_last"] >> node & 1
                    message, first = recorder.arrived[node ^ 1 << j, j].message, outputs[f"link_{j}_head"] >> node & 1
                    recording.word("links", (node, j, 0), now, message, word, first=bool(first), last=bool(last))
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            word, last = item(outputs["eject_data"], node, width), bool(outputs["eject_last"] >> node & 1)
            recording.word("eject", (node,), now, self._leaving[node], word, first=False, last=last)
        self.reports("message", CrosspointReason)
        recording.waits(now, self.waiting())
        for node in self.stirred():
            self.hold(now + 1, node)

    def waiting(self) -> dict[tuple[int, int, int], Wait]:
        """Return the words that stood ready in this cycle and did not move, by node, unit and port."""
        found = {}
        for (node, j), heads in self._heads.items():
            popped = self.network.routers[node].popped
            for i, message in heads.items():
                if (i, j) not in popped:
                    found[node, self._unit[i, j], j] = message, *self.why(node, j, heads)
        return found

    def why(self, node: int, j: int, heads: Mapping[int, int]) -> tuple[str, int]:
        """Return why a word does not go through an output, and the message that it waits for."""
        router = self.network.routers[node]
        if j == self.config.local:
            if router.ejection.going >= 0:
                return IN_USE, heads[router.ejection.going]
            return NOT_READY, NOBODY
        output = router.outputs[j]
        if output.going >= 0:
            return IN_USE, heads[output.requesters[output.going]]
        return (IN_USE, self.recorder.sent[node, j].message) if output.busy else (NO_ROOM, NOBODY)

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold, and whom its arbiters serve first."""
        router, recorder, local = self.network.routers[node], self.recorder, self.config.local
        for unit, (i, j) in enumerate(self._queues):
            words = recorder.queues.get((node, i, j))
            values = [len(words), list(dict.fromkeys(packet.message for packet, _ in words))] if words else NOTHING
            self.recording.unit(cycle, node, unit, values)
        for j in range(self.config.ports):
            lock = router.ejection.lock if j == local else router.outputs[j].lock
            values = NOTHING
            if lock >= 0:
                last = recorder.leaving[node][-1] if j == local else recorder.sent[node, j]
                values = [self._unit[self._requester(node, j, lock), j], last.message]
            self.recording.unit(cycle, node, len(self._queues) + j, values)
            order = router.ejection.arbiter.order if j == local else router.outputs[j].arbiter.order
            self.order(cycle, node, j, tuple(order), partial(self.served, node, j, order))

    def served(self, node: int, j: int, order: Sequence[int]) -> list[int]:
        """Return the queues that requesters of an output stand for."""
        return [self._unit[self._requester(node, j, k), j] for k in order]
