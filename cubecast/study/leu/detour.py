"""The strategy that Leu and Kuo compare with: a node that cannot send over its link takes a detour of three hops."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.collective.algorithms.fault_words import shortest_path
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, DIRECT, Hop, MergePlan, Stage

__all__ = ["SCHEME", "plan_detours", "three_hops"]

SCHEME = "detour"


def three_hops(start: int, dimension: int, dim: int, words: Sequence[int]) -> tuple[int, ...] | None:
    """Return the way round a faulty link in three hops over good links, by the lowest dimension; None if none is."""
    for j in range(dim):
        side = start ^ 1 << j
        if words[start] >> j & 1 or words[side] >> dimension & 1:
            continue
        if not words[side ^ 1 << dimension] >> j & 1:
            return start, side, side ^ 1 << dimension, start ^ 1 << dimension
    return None


def plan_detours(plan: MergePlan) -> MergePlan:
    """Return the merge of the same nodes on the same tree, with a detour wherever a node cannot send directly.

    Where no way in three hops is good, the detour is a shortest one, and where the passive neighbour takes no part, it
    leads to the next node on its way to the sink that does: this strategy loses nothing either.

    Parameters
    ----------
    plan : MergePlan
        Of the repaired scheme.

    Source
    ------
    Leu and Kuo, section 3.2, after theorem 5: "it tries a detour path of three hops".
    """
    tree, words = plan.tree, plan.words
    members = set(plan.members)
    stages = []
    for index, d in enumerate(tree.order):
        direct: list[Hop] = []
        round_about: list[Hop] = []
        for node in tree.active(index):
            if node not in members:
                continue
            if not words[node] >> d & 1:
                direct.append(Hop(DIRECT, (node, node ^ 1 << d)))
                continue
            path = three_hops(node, d, tree.dim, words)
            if path is None:
                end = node ^ 1 << d
                while end not in members:
                    end = tree.parent(end)
                path = shortest_path(node, end, tree.dim, words)
            assert path is not None, "members are connected"
            round_about.append(Hop(DETOUR, path))
        waits: dict[int, tuple[int, ...]] = {}
        for hop in (*direct, *round_about):
            waits[hop.receiver] = (*waits.get(hop.receiver, ()), hop.sender)
        messages = sorted((*direct, *round_about), key=lambda hop: hop.sender)
        stages.append(Stage(index, d, tuple(messages), dict(sorted(waits.items()))))
    return MergePlan(tree, SCHEME, words, plan.excluded, tuple(stages))
