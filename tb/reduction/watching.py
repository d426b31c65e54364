"""Recording of a network with join units: words up and down the trees, queues, joins, and who waits for which word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.reduction.contract.word import NONE
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, NO_ROOM, NOBODY, NOT_HERE, NOTHING, Recording, Wait, Watcher

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
    rounds : int
        Operations of each tree, one after the other, each with messages of its own.
    unit, lane : int
        Place of the first of these units among those of a node, and of the first context among the lanes of a link.
    recording : Recording, optional
        Where to record, if others do so, too.
    """

    def __init__(
        self,
        recorder: Any,
        groups: Sequence[Mapping[str, Any]],
        *,
        rounds: int = 1,
        unit: int = 0,
        lane: int = 0,
        recording: Recording | None = None,
    ) -> None:
        """Number messages, and tell of the trees."""
        self.handed: set[int] = set()
        self._unit, self._lane = unit, lane
        contexts = range(recorder.config.contexts)
        # By context and node: its parent, and of the first round the message that it makes and the result that comes.
        self._parents: list[dict[int, int]] = [{} for _ in contexts]
        self._own: list[dict[int, int]] = [{} for _ in contexts]
        self._result: list[dict[int, int]] = [{} for _ in contexts]
        messages: list[dict[str, Any]] = []
        super().__init__(recorder, messages)
        if recording is not None:
            self.recording = recording
        for each in groups:
            self._number(each, messages)
        self._block, self._rounds = len(messages), rounds
        shifts = [round_ * self._block for round_ in range(rounds)]
        messages[:] = [{**each, "message": each["message"] + shift} for shift in shifts for each in messages]
        self.handed = {place + shift for place in self.handed for shift in shifts}
        # By place, how many rounds have gone by: the node's words, heads of queues, links, results.
        self._gone: Counter[tuple[Any, ...]] = Counter()
        # Of the cycle that begins, by node and context: the heads of queues, and the operands that words wait for.
        self._heads: dict[tuple[int, int], tuple[Any, ...]] = {}
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
            self.recording.unit(0, node, self._place(context, TREE), ends[node])
        self.handed |= {self._own[context][node] for node in parents}
        self._result[context] |= dict.fromkeys(ends, self._own[context][root])

    def _place(self, context: int, unit: int) -> int:
        """Return the place of a context's unit among those of a node."""
        return self._unit + context * UNITS + unit

    def _now(self, message: int, *place: Any) -> int:
        """Return what a message of the first round is in the round that a place is in."""
        return message + min(self._gone[place], self._rounds - 1) * self._block

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
        return super().result() | self.summed_up(self.handed)

    def look(self) -> None:
        """See what the words in the units wait for."""
        self._heads, self._waiting = {}, {}
        for node, router in enumerate(self.network.routers):
            if router.resting:
                continue
            for context, unit in enumerate(router.units):
                heads = tuple(queue.words[0] if queue.ne else None for queue in (unit.own, unit.a, unit.b))
                self._heads[node, context] = heads
                self._waiting[node, context] = unit.join.waits(unit.registers.setting, heads)

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record words and waits of the cycle, and the units as they are from the next one on."""
        passing = self.words(inputs, outputs)
        self.recording.waits(self.recorder.now, self.waiting(passing))
        self.count(inputs, outputs)
        for node in self.stirred():
            self.hold(self.recorder.now + 1, node)

    def words(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> dict[tuple[int, int], int]:
        """Record the words of the cycle; return the messages on links, by node and dimension."""
        recording, now, width = self.recording, self.recorder.now, self.config.width
        passing: dict[tuple[int, int], int] = {}
        for context, ending in enumerate(self.config.endings):
            own, result = f"own{ending}", f"result{ending}"
            for node in bits(inputs[f"{own}_valid"] & outputs[f"{own}_ready"]):
                word, last = item(inputs[f"{own}_data"], node, width), bool(inputs[f"{own}_last"] >> node & 1)
                message = self._now(self._own[context][node], "own", context, node)
                recording.word("inject", (node,), now, message, word, first=False, last=last, port=1 + context)
            for j in range(self.config.dim):
                for node in bits(outputs[f"link_{j}_push_r{ending}"]):
                    word, last = item(outputs[f"link_{j}_data"], node, width), outputs[f"link_{j}_last"] >> node & 1
                    message, place = self._over(context, node, j), (node, j, self._lane + context)
                    passing[node, j] = message
                    recording.word("links", place, now, message, word, first=False, last=bool(last))
            for node in bits(outputs[f"{result}_valid"]):
                word, last = item(outputs[f"{result}_data"], node, width), bool(outputs[f"{result}_last"] >> node & 1)
                message = self._now(self._result[context][node], "result", context, node)
                recording.word("eject", (node,), now, message, word, first=False, last=last, port=1 + context)
        return passing

    def count(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Count the rounds that have gone by at each place with the words of this cycle."""
        for context, ending in enumerate(self.config.endings):
            own, result = f"own{ending}", f"result{ending}"
            taken = inputs[f"{own}_valid"] & outputs[f"{own}_ready"] & inputs[f"{own}_last"]
            self._gone.update(("own", context, node) for node in bits(taken))
            given = outputs[f"{result}_valid"] & outputs[f"{result}_last"]
            self._gone.update(("result", context, node) for node in bits(given))
            for j in range(self.config.dim):
                passed = outputs[f"link_{j}_push_r{ending}"] & outputs[f"link_{j}_last"]
                self._gone.update(("link", context, node, j) for node in bits(passed))
        for (node, context), heads in self._heads.items():
            pops = self.network.routers[node].units[context].join.pops
            for place, (head, popped) in enumerate(zip(heads, pops, strict=True)):
                if head is not None and popped and head.last:
                    self._gone["head", context, node, place] += 1

    def _over(self, context: int, node: int, dimension: int) -> int:
        """Return the message whose words a node of a tree sends over a link."""
        messages = self._own if self._parents[context].get(node) == node ^ 1 << dimension else self._result
        return self._now(messages[context][node], "link", context, node, dimension)

    def sends(self, node: int, dimension: int, context: int = 0) -> int:
        """Return the unit of a node whose words go over a link: the join towards the parent, else the results."""
        up = self._parents[context].get(node) == node ^ 1 << dimension
        return self._place(context, JOIN if up else RESULTS)

    def waiting(self, passing: Mapping[tuple[int, int], int]) -> dict[tuple[int, int, int], Wait]:
        """Return the words that stood ready in this cycle and did not move; ``passing``: messages on links."""
        found = {}
        for (node, context), absent in self._waiting.items():
            router, own = self.network.routers[node], self._own[context]
            unit = router.units[context]
            ports = self.config.dim, unit.registers.a, unit.registers.b
            for place in bits(absent):
                which = "head", context, node, place
                by = self._now(own[node ^ 1 << ports[place]], *which) if place else NOBODY
                found[node, self._place(context, JOIN), ports[place]] = self._now(own[node], *which), NOT_HERE, by
            for j, word in enumerate(unit.requests):
                if word is not None and not router.router.reduced[context] >> j & 1:
                    place = JOIN if j == unit.registers.parent else RESULTS
                    by = passing.get((node, j), NOBODY)
                    why = NO_ROOM if by == NOBODY else IN_USE
                    found[node, self._place(context, place), j] = self._over(context, node, j), why, by
        return found

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold."""
        for context, unit in enumerate(self.network.routers[node].units):
            for place, queue in enumerate((unit.own, unit.a, unit.b, unit.d)):
                words = [word.data for word in queue.words]
                self.recording.unit(cycle, node, self._place(context, place), [words] if words else NOTHING)
            stages = [NOTHING if word is None else word.data for word in (unit.join.first, unit.join.second)]
            held = stages if stages != [NOTHING] * 2 else NOTHING
            self.recording.unit(cycle, node, self._place(context, JOIN), held)
