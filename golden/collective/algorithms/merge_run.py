"""A merge run with data, step by step: every link carries one message each way in a step."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cubecast.golden.collective.algorithms.merge_operations import Operation, Vector, find_operation, split
from cubecast.golden.collective.algorithms.merge_stages import Hop, MergePlan, Stage

__all__ = ["CROSSES", "HELD", "MERGED", "WAITS", "MergeEvent", "MergeRun", "run_merge"]

CROSSES, HELD, WAITS, MERGED = "crosses", "held", "waits", "merged"
"""Kinds of events: a message crosses a link; it does not, for another one does; a node waits for a message; it has
merged what came."""


@dataclass(frozen=True, slots=True)
class MergeEvent:
    """What happens in a parallel step of a run that is recorded.

    Parameters
    ----------
    step : int
        The step, counted over all stages, from 0; what is merged is there from this step on.
    stage : int
        The stage that it belongs to.
    kind : str
        :data:`CROSSES`, :data:`HELD`, :data:`WAITS` or :data:`MERGED`.
    node : int
        Where: the node that the link leads away from, or that waits or has merged.
    to : int
        The other end of the link; the sender that a node waits for; the node itself if it has merged.
    hop : Hop or None
        The message on a link.
    words : tuple
        Its data, or those of the node that has merged.
    """

    step: int
    stage: int
    kind: str
    node: int
    to: int
    hop: Hop | None = None
    words: Vector = ()


@dataclass(frozen=True)
class MergeRun:
    """What came of a merge.

    Parameters
    ----------
    plan : MergePlan
        What was run.
    result : tuple or None
        Data of the sink at the end; None if the sink waits forever.
    stage_steps : tuple of int
        Parallel steps of each stage.
    lost : tuple of tuple
        Messages that nobody took, as (stage, sender, receiver).
    waiting : tuple of tuple
        Nodes that wait forever, as (stage, node, node that it waits for).
    events : tuple of MergeEvent
        What happened, in the order of steps; none if the run was not recorded.
    """

    plan: MergePlan
    result: Vector | None
    stage_steps: tuple[int, ...]
    lost: tuple[tuple[int, int, int], ...]
    waiting: tuple[tuple[int, int, int], ...]
    events: tuple[MergeEvent, ...] = ()

    @property
    def steps(self) -> int:
        """Parallel steps in all: n + k if no detour takes more than two, k stages being faulty."""
        return sum(self.stage_steps)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was lost and nobody waits forever."""
        return not self.lost and not self.waiting


class _Nodes:
    """Data of all nodes between stages, and who is stuck."""

    def __init__(
        self, plan: MergePlan, data: dict[int, Vector], operation: Operation, one_port: bool, events: bool
    ) -> None:
        self.events: list[MergeEvent] | None = [] if events else None
        self.now = 0
        self.plan = plan
        self.data = data
        self.operation = operation
        self.one_port = one_port
        self.lost: list[tuple[int, int, int]] = []
        self.waiting: dict[int, tuple[int, int, int]] = {}

    def _note(self, stage: Stage, kind: str, node: int, to: int, hop: Hop | None = None, words: Vector = ()) -> None:
        """Keep an event, if they are kept."""
        if self.events is not None:
            self.events.append(MergeEvent(self.now, stage.index, kind, node, to, hop, words))

    def stage(self, stage: Stage) -> int:
        """Run one stage; return its number of steps."""
        outgoing: dict[int, list[Hop]] = {}
        for hop in stage.messages:
            outgoing.setdefault(hop.sender, []).append(hop)
        mail: dict[tuple[int, int], tuple[int, Vector]] = {}
        flying: list[tuple[Hop, int, tuple[int, Vector]]] = []
        pending = sorted(set(outgoing) | set(stage.waits))
        steps = 0
        while True:
            held = []
            for node in pending:
                if node in self.waiting or node not in self.data:
                    continue
                senders = stage.waits.get(node, ())
                if all((sender, node) in mail for sender in senders):
                    self._act(node, [mail.pop((sender, node)) for sender in senders], outgoing.get(node, ()), flying)
                    if senders:
                        self._note(stage, MERGED, node, node, words=self.data[node])
                else:
                    held.append(node)
            pending = held
            if not flying:
                break
            if self.events is not None:
                for node in pending:
                    missing = next(sender for sender in stage.waits[node] if (sender, node) not in mail)
                    self._note(stage, WAITS, node, missing)
            flying = self._move(stage, flying, mail)
            steps += 1
            self.now += 1
        for node in pending:
            missing = next(sender for sender in stage.waits[node] if (sender, node) not in mail)
            self.waiting[node] = (stage.index, node, missing)
        self.lost += [(stage.index, sender, receiver) for sender, receiver in mail]
        return steps

    def _act(
        self,
        node: int,
        pieces: Sequence[tuple[int, Vector]],
        hops: Sequence[Hop],
        flying: list[tuple[Hop, int, tuple[int, Vector]]],
    ) -> None:
        """Merge what came in, then send."""
        for offset, piece in pieces:
            self.data[node] = self.operation.join(self.data[node], offset, piece)
        flying += [(hop, 0, split(self.data[node], hop.part, hop.parts)) for hop in hops]

    def _move(
        self,
        stage: Stage,
        flying: list[tuple[Hop, int, tuple[int, Vector]]],
        mail: dict[tuple[int, int], tuple[int, Vector]],
    ) -> list[tuple[Hop, int, tuple[int, Vector]]]:
        """Move every message over one link, if that is free, the oldest first; return those that are not there yet."""
        taken: set[object] = set()
        left = []
        for hop, place, content in flying:
            start, end = hop.path[place : place + 2]
            uses: set[object] = {("out", start), ("in", end)} if self.one_port else {(start, end)}
            if uses & taken:
                self._note(stage, HELD, start, end, hop)
                left.append((hop, place, content))
                continue
            taken |= uses
            self._note(stage, CROSSES, start, end, hop, content[1])
            if self.plan.words[start] & (start ^ end) or end not in self.data:
                self.lost.append((stage.index, hop.sender, hop.receiver))
            elif place + 2 < len(hop.path):
                left.append((hop, place + 1, content))
            else:
                mail[hop.sender, hop.receiver] = content
        return left


def run_merge(
    plan: MergePlan,
    contributions: Mapping[int, Sequence[Any]],
    operation: str | Operation = "sum",
    *,
    one_port: bool = False,
    events: bool = False,
) -> MergeRun:
    """Run a merge over its stage tables.

    Nodes wait for nothing but messages. A stage begins when the last message of the one before has arrived, which is
    how parallel steps are counted; no result depends on it. What goes over a faulty link is lost.

    Parameters
    ----------
    plan : MergePlan
        The stage tables.
    contributions : mapping of int to sequence
        Data of each node that takes part; vectors of one length, or sorted sequences. Those of excluded nodes are
        left out.
    operation : str or Operation
        One of :data:`~cubecast.golden.collective.algorithms.merge_operations.OPERATIONS`, by name, or an own one.
    one_port : bool
        Whether a node sends one message and receives one in a step, rather than one on every link.
    events : bool
        Whether to record what happens.

    Raises
    ------
    ValueError
        The operation is unknown, a node has no contribution, or vectors differ in length.

    Source
    ------
    Leu and Kuo, sections 2.2 and 3.2.
    """
    chosen = find_operation(operation)
    missing = [node for node in plan.members if node not in contributions]
    if missing:
        raise ValueError(f"contributions must hold one for every node that takes part, not none for {missing[0]}")
    data = {node: tuple(contributions[node]) for node in plan.members}
    lengths = {len(vector) for vector in data.values()}
    if chosen.aligned and len(lengths) > 1:
        raise ValueError(f"contributions must have one length, not {min(lengths)} and {max(lengths)}")
    if not chosen.aligned:
        for node, vector in data.items():
            if any(a > b for a, b in itertools.pairwise(vector)):
                raise ValueError(f"contributions must be sorted, not that of node {node}")
    nodes = _Nodes(plan, data, chosen, one_port, events)
    steps = tuple(nodes.stage(stage) for stage in plan.stages)
    sink = plan.tree.sink
    result = None if sink in nodes.waiting else nodes.data.get(sink)
    lost, waiting = tuple(sorted(nodes.lost)), tuple(sorted(nodes.waiting.values()))
    return MergeRun(plan, result, steps, lost, waiting, tuple(nodes.events or ()))
