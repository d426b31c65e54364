"""The stage table of a merge: who sends what to whom in each stage of TC and FTTC, and who waits for whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cubecast.golden.collective.algorithms.fault_words import (
    check_words,
    connected_to,
    detect,
    exclude,
    isolated,
    shortest_path,
)
from cubecast.golden.collective.algorithms.sink_tree import IDLE, SinkTree, find_tree

__all__ = [
    "DETOUR",
    "DIRECT",
    "PART",
    "SCHEMES",
    "Hop",
    "MergePlan",
    "Stage",
    "plan_merge",
    "plan_stages",
]

SCHEMES = ("repaired", "commented", "printed", "plain")
"""FTTC with all repairs; FTTC with the helper's test as its comment says; FTTC as printed; TC, blind to faults."""

DIRECT, PART, DETOUR = "direct", "part", "detour"


@dataclass(frozen=True, slots=True)
class Hop:
    """One message of a stage.

    Parameters
    ----------
    kind : str
        "direct" to the passive neighbour, "part" to an active one, "detour" over several links.
    path : tuple of int
        Nodes from sender to receiver, both included.
    part, parts : int
        Which of how many partitions of the sender's data it carries.
    """

    kind: str
    path: tuple[int, ...]
    part: int = 0
    parts: int = 1

    @property
    def sender(self) -> int:
        """Node that sends the message."""
        return self.path[0]

    @property
    def receiver(self) -> int:
        """Node that the message is sent to."""
        return self.path[-1]


@dataclass(frozen=True)
class Stage:
    """One stage.

    Parameters
    ----------
    index : int
        Its number, from 0.
    dimension : int
        The dimension that active nodes send in.
    messages : tuple of Hop
        By ascending sender, parts in the order of their numbers.
    waits : dict of int to tuple of int
        For each node that waits for messages: their senders, in the order in which it takes them.
    """

    index: int
    dimension: int
    messages: tuple[Hop, ...]
    waits: dict[int, tuple[int, ...]]

    @property
    def is_faulty(self) -> bool:
        """Whether a node cannot send to its passive neighbour."""
        return any(message.kind != DIRECT for message in self.messages)

    @property
    def helpers(self) -> tuple[int, ...]:
        """Active nodes that get parts, ascending."""
        return tuple(sorted({message.receiver for message in self.messages if message.kind == PART}))


@dataclass(frozen=True)
class MergePlan:
    """The stage tables of all nodes.

    Parameters
    ----------
    tree : SinkTree
        Sink and order of dimensions.
    scheme : str
        One of :data:`SCHEMES`.
    words : tuple of int
        Fault words by node, excluded nodes counted as faulty.
    excluded : tuple of int
        Nodes that take no part and get no data, ascending.
    stages : tuple of Stage
        In their order.
    """

    tree: SinkTree
    scheme: str
    words: tuple[int, ...]
    excluded: tuple[int, ...]
    stages: tuple[Stage, ...] = field(repr=False)

    @cached_property
    def members(self) -> tuple[int, ...]:
        """Nodes that take part, ascending."""
        out = set(self.excluded)
        return tuple(node for node in range(1 << self.tree.dim) if node not in out)

    @property
    def faulty_stages(self) -> int:
        """k, the number of stages in which a node cannot send to its passive neighbour."""
        return sum(stage.is_faulty for stage in self.stages)

    def resource_graph(self) -> frozenset[tuple[int, int]]:
        """Return the resource dependency graph: (node, node that it waits for), over all stages.

        For what is sent and never taken there is an edge too: the sender needs the receiver's buffer.

        Source
        ------
        Leu and Kuo, section 3.2, theorem 6 and figure 15.
        """
        waits = {(node, sender) for stage in self.stages for node, senders in stage.waits.items() for sender in senders}
        return frozenset(waits | {(hop.receiver, hop.sender) for stage in self.stages for hop in stage.messages})

    def table(self, node: int) -> tuple[dict[str, Any], ...]:
        """Return the stage table of one node, as a host would write it there.

        Each stage has ``role`` and ``dimension``; ``receive`` lists the senders to wait for, in order, and ``send``
        the messages to send after that, each with ``kind``, ``path``, ``part`` and ``parts``.
        """
        rows: list[dict[str, Any]] = []
        for stage in self.stages:
            role = IDLE if node in self.excluded else self.tree.role(node, stage.index)
            sends = [
                {"kind": hop.kind, "path": list(hop.path), "part": hop.part, "parts": hop.parts}
                for hop in stage.messages
                if hop.sender == node
            ]
            receive = list(stage.waits.get(node, ()))
            rows.append({"role": role, "dimension": stage.dimension, "receive": receive, "send": sends})
        return tuple(rows)

    def to_json(self) -> dict[str, Any]:
        """Return sink, order, excluded nodes and stages as plain lists and dictionaries."""
        return {
            "sink": self.tree.sink,
            "order": list(self.tree.order),
            "scheme": self.scheme,
            "excluded": list(self.excluded),
            "stages": [
                {
                    "stage": stage.index,
                    "dimension": stage.dimension,
                    "active": sorted({hop.sender for hop in stage.messages}),
                    "passive": sorted(
                        {node for node in self.members if self.tree.stage_of(node) > stage.index} & stage.waits.keys()
                    ),
                    "helpers": list(stage.helpers),
                    "partitions": [
                        {"from": hop.sender, "to": hop.receiver, "part": hop.part, "parts": hop.parts}
                        for hop in stage.messages
                        if hop.kind == PART
                    ],
                    "detours": [list(hop.path) for hop in stage.messages if hop.kind == DETOUR],
                }
                for stage in self.stages
            ],
        }


def plan_merge(
    dim: int, links: Iterable[Sequence[int]] = (), nodes: Iterable[int] = (), scheme: str = "repaired"
) -> MergePlan:
    """Return the stage tables of a merge in a cube with faults, on the tree that FIND_TREE finds.

    Parameters
    ----------
    dim : int
        1 to 20.
    links : iterable of pairs of int
        Faulty links, by their ends.
    nodes : iterable of int
        Faulty nodes.
    scheme : str
        One of :data:`SCHEMES`.

    Raises
    ------
    NoSinkError
        There is no node whose links and neighbours are all good.
    ValueError
        A value is out of range.
    """
    words = detect(dim, links, nodes)
    return plan_stages(find_tree(dim, words), words, scheme)


def plan_stages(tree: SinkTree, words: Sequence[int], scheme: str = "repaired") -> MergePlan:
    """Return the stage tables of a merge on a given tree.

    Parameters
    ----------
    tree : SinkTree
        Its sink must have no faulty link, unless the scheme is "plain".
    words : sequence of int
        Fault words as detected.
    scheme : str
        "repaired" takes part with all nodes connected to the sink, the others with all that are not isolated.

    Raises
    ------
    ValueError
        ``scheme`` is unknown, ``words`` are not fault words of the cube, or the sink has a faulty link.

    Source
    ------
    Leu and Kuo, section 2.2, figure 6, and section 3.2, figure 13.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(SCHEMES)}, not {scheme!r}")
    checked = check_words(tree.dim, words)
    if checked[tree.sink] and scheme != "plain":
        raise ValueError(f"sink must have no faulty link or neighbour, not {tree.sink} with {checked[tree.sink]:b}")
    if scheme == "repaired":
        excluded = frozenset(range(1 << tree.dim)) - connected_to(tree.sink, tree.dim, checked)
    else:
        excluded = isolated(tree.dim, checked)
    checked = exclude(tree.dim, checked, excluded)
    plan = {"repaired": _repaired, "commented": _commented, "printed": _printed, "plain": _plain}[scheme]
    stages = tuple(plan(tree, checked, excluded, stage) for stage in range(tree.dim))
    return MergePlan(tree, scheme, checked, tuple(sorted(excluded)), stages)


def _parts(node: int, targets: Sequence[int]) -> list[Hop]:
    """Return the messages of a node that divides its data among ``targets``."""
    return [Hop(PART, (node, target), part, len(targets)) for part, target in enumerate(targets)]


def _repaired(tree: SinkTree, words: Sequence[int], excluded: frozenset[int], stage: int) -> Stage:
    """Return a stage in which everything sent is taken, and everything waited for is sent.

    Parts go to untroubled neighbours only. The host, which knows all words, tells the receiver of a detour.
    """
    d, later = tree.order[stage], tree.order[stage + 1 :]
    messages: list[Hop] = []
    waits: dict[int, list[int]] = {}
    direct: list[tuple[int, int]] = []
    for node in tree.active(stage):
        if node in excluded:
            continue
        passive = node ^ 1 << d
        if not words[node] >> d & 1:
            messages.append(Hop(DIRECT, (node, passive)))
            direct.append((passive, node))
            continue
        targets = [node ^ 1 << j for j in later if not words[node] >> j & 1 and not words[node ^ 1 << j] >> d & 1]
        sent = _parts(node, targets)
        if not targets:
            end = tree.sink if passive in excluded else passive
            path = shortest_path(node, end, tree.dim, words)
            assert path is not None, "a node that is not excluded reaches every other such node"
            sent = [Hop(DETOUR, path)]
        messages += sent
        for hop in sent:
            waits.setdefault(hop.receiver, []).append(node)
    for passive, node in direct:
        # what a node waits for in any case comes before what detours bring it
        waits.setdefault(passive, []).insert(0, node)
    rank = {d: i for i, d in enumerate(later)}
    for node in {hop.receiver for hop in messages if hop.kind == PART}:
        waits[node].sort(key=lambda sender, node=node: rank[(sender ^ node).bit_length() - 1])  # type: ignore[misc]
    return Stage(stage, d, tuple(messages), {node: tuple(waits[node]) for node in sorted(waits)})


def _original(tree: SinkTree, words: Sequence[int], excluded: frozenset[int], stage: int, *, tests_link: bool) -> Stage:
    """Return a stage of FTTC as printed, or with the helper's test (``tests_link``) that its comment describes."""
    d, later = tree.order[stage], tree.order[stage + 1 :]
    messages: list[Hop] = []
    waits: dict[int, list[int]] = {}
    for node in tree.active(stage):
        if node in excluded:
            continue
        passive = node ^ 1 << d
        if words[node] >> d & 1:
            targets = [node ^ 1 << j for j in later if not words[node] >> j & 1]
            path = None if targets else shortest_path(node, passive, tree.dim, words)
            messages += _parts(node, targets)
            if path is not None:
                messages.append(Hop(DETOUR, path))
            continue
        for j in later:
            # printed: the bit of d once more, which is 0 here
            if words[node ^ 1 << j] >> d & 1 and not words[node] >> (j if tests_link else d) & 1:
                waits.setdefault(node, []).append(node ^ 1 << j)
        messages.append(Hop(DIRECT, (node, passive)))
        waits.setdefault(passive, []).append(node)
    return Stage(stage, d, tuple(messages), {node: tuple(waits[node]) for node in sorted(waits)})


def _commented(tree: SinkTree, words: Sequence[int], excluded: frozenset[int], stage: int) -> Stage:
    """Return a stage of FTTC as the comments in it say."""
    return _original(tree, words, excluded, stage, tests_link=True)


def _printed(tree: SinkTree, words: Sequence[int], excluded: frozenset[int], stage: int) -> Stage:
    """Return a stage of FTTC as printed."""
    return _original(tree, words, excluded, stage, tests_link=False)


def _plain(tree: SinkTree, words: Sequence[int], excluded: frozenset[int], stage: int) -> Stage:
    """Return a stage of TC: every active node sends, every passive node waits, whatever is faulty."""
    d = tree.order[stage]
    messages = tuple(Hop(DIRECT, (node, node ^ 1 << d)) for node in tree.active(stage))
    return Stage(stage, d, messages, {hop.receiver: (hop.sender,) for hop in messages})
