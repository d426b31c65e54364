"""Recording of a network with join units: words up and down the trees, queues, joins, and who waits for which word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.reduction.contract.word import NONE
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, NO_ROOM, NOBODY, NOT_HERE, NOTHING, Watcher

__all__ = ["ReductionWatcher"]

QUEUES = ("words of the node", "words of child a", "words of child b", "results")
JOIN, RESULTS, TREE = 4, 3, 5
"""Places of units among those of a context, of which each has :data:`UNITS`."""

UNITS = 6


class ReductionWatcher(Watcher):
    """Units of a node: of each context its queues, its join, and its place in the tree.

    ``messages`` are what nodes make of their own words and of those of their children: each goes to the node's parent,
    that of the root is the result, which goes to all members. Lanes of links are contexts. Packets are not recorded.

    Parameters
    ----------
    recorder
        The twin that the playback has, with ``config``, ``network`` and ``now``.
    groups : sequence of dict
        Trees and words, of :func:`cubecast.tb.reduction.playback.group`.
    """

    def __init__(self, recorder: Any, groups: Sequence[Mapping[str, Any]]) -> None:
        """Number messages, and tell of the trees."""
        self._handed: set[int] = set()
        contexts = range(recorder.config.contexts)
        # By context and node: its parent, the message that it makes, and the result that comes to it.
        self._parents: list[dict[int, int]] = [{} for _ in contexts]
        self._own: list[dict[int, int]] = [{} for _ in contexts]
        self._result: list[dict[int, int]] = [{} for _ in contexts]
        messages: list[dict[str, Any]] = []
        super().__init__(recorder, messages)
        for each in groups:
            self._number(each, messages)
        # Of the cycle that begins: the operands that words wait for, by node and context.
        self._waiting: dict[tuple[int, int], int] = {}

    def _number(self, group: Mapping[str, Any], messages: list[dict[str, Any]]) -> None:
        """Number the messages of a tree, the result last, and record the tree."""
        context, tables = group["context"], [(node, table["TREE"]) for node, table in group["tables"]]
        links = {node: [tree >> place & NONE for place in (0, 4, 8)] for node, tree in tables}
        ends = {node: [[node ^ 1 << link] if link != NONE else [] for link in found] for node, found in links.items()}
        parents = {node: found[0][0] for node, found in ends.items() if found[0]}
        (root,) = ends.keys() - parents.keys()
        self._parents[context] |= parents
        for node in (*parents, root):
            goes_to = [parents[node]] if node in parents else [member for member, *_ in group["offers"]]
            self._own[context][node] = len(messages)
            messages.append({"message": len(messages), "source": node, "destinations": goes_to})
            self.recording.unit(0, node, context * UNITS + TREE, ends[node])
        self._handed |= {self._own[context][node] for node in parents}
        self._result[context] |= dict.fromkeys(ends, self._own[context][root])

    def parts(self) -> dict[str, Any]:
        """Return the units of a node."""
        kinds = {
            "queue": ["words"],
            "join": ["stage 1", "stage 2"],
            "tree": ["parent", "child a", "child b"],
        }
        units = [*([name, "queue"] for name in QUEUES), ["join", "join"], ["tree", "tree"]]
        several = self.config.contexts > 1
        named = [
            [f"{name}, context {context}" if several else name, kind]
            for context in range(self.config.contexts)
            for name, kind in units
        ]
        return {"units": named, "kinds": kinds, "ring": []}

    def result(self) -> dict[str, Any]:
        """Return what the header of the recording says of the run, and the events."""
        return super().result() | self.summed_up(self._handed)

    def look(self) -> None:
        """See what the words in the units wait for."""
        self._waiting = {}
        for node, router in enumerate(self.network.routers):
            if router.resting:
                continue
            for context, unit in enumerate(router.units):
                setting = unit.registers.setting
                heads = tuple(queue.words[0] if queue.ne else None for queue in (unit.own, unit.a, unit.b))
                self._waiting[node, context] = unit.join.waits(setting, heads)

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record words and waits of the cycle, and the units as they are from the next one on."""
        recording, now, width = self.recording, self.recorder.now, self.config.width
        passing: dict[tuple[int, int], int] = {}
        for context, ending in enumerate(self.config.endings):
            own, result = f"own{ending}", f"result{ending}"
            for node in bits(inputs[f"{own}_valid"] & outputs[f"{own}_ready"]):
                word, last = item(inputs[f"{own}_data"], node, width), bool(inputs[f"{own}_last"] >> node & 1)
                message = self._own[context][node]
                recording.word("inject", (node,), now, message, word, first=False, last=last, port=context)
            for j in range(self.config.dim):
                for node in bits(outputs[f"link_{j}_push_r{ending}"]):
                    word, last = item(outputs[f"link_{j}_data"], node, width), outputs[f"link_{j}_last"] >> node & 1
                    message = passing[node, j] = self._over(context, node, j)
                    recording.word("links", (node, j, context), now, message, word, first=False, last=bool(last))
            for node in bits(outputs[f"{result}_valid"]):
                word, last = item(outputs[f"{result}_data"], node, width), bool(outputs[f"{result}_last"] >> node & 1)
                message = self._result[context][node]
                recording.word("eject", (node,), now, message, word, first=False, last=last, port=context)
        self._waits(now, passing)
        for node in self.stirred():
            self.hold(now + 1, node)

    def _over(self, context: int, node: int, dimension: int) -> int:
        """Return the message whose words a node of a tree sends over a link."""
        messages = self._own if self._parents[context].get(node) == node ^ 1 << dimension else self._result
        return messages[context][node]

    def _waits(self, now: int, passing: Mapping[tuple[int, int], int]) -> None:
        """Record the words that stood ready in this cycle and did not move; ``passing``: messages on links."""
        found = {}
        for (node, context), absent in self._waiting.items():
            router, first, own = self.network.routers[node], context * UNITS, self._own[context]
            unit = router.units[context]
            ports = self.config.dim, unit.registers.a, unit.registers.b
            for place in bits(absent):
                by = own[node ^ 1 << ports[place]] if place else NOBODY
                found[node, first + JOIN, ports[place]] = own[node], NOT_HERE, by
            for j, word in enumerate(unit.requests):
                if word is not None and not router.router.reduced[context] >> j & 1:
                    place = JOIN if j == unit.registers.parent else RESULTS
                    by = passing.get((node, j), NOBODY)
                    why = NO_ROOM if by == NOBODY else IN_USE
                    found[node, first + place, j] = self._over(context, node, j), why, by
        self.recording.waits(now, found)

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold."""
        for context, unit in enumerate(self.network.routers[node].units):
            first = context * UNITS
            for place, queue in enumerate((unit.own, unit.a, unit.b, unit.d)):
                words = [word.data for word in queue.words]
                self.recording.unit(cycle, node, first + place, [words] if words else NOTHING)
            stages = [NOTHING if word is None else word.data for word in (unit.join.first, unit.join.second)]
            self.recording.unit(cycle, node, first + JOIN, stages if stages != [NOTHING] * 2 else NOTHING)
