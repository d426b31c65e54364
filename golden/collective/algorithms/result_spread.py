"""The way back of a merge: the result goes from the sink to every node that took part."""

from __future__ import annotations

from dataclasses import dataclass

from cubecast.golden.collective.algorithms.merge_stages import MergePlan

__all__ = ["BROADCAST", "SPREAD", "ResultSpread", "result_mode", "spread", "spread_steps"]

BROADCAST, SPREAD = "broadcast", "spread"
"""By the router's own broadcast, or from neighbour to neighbour."""


@dataclass(frozen=True)
class ResultSpread:
    """A breadth-first tree from the sink over good links.

    Parameters
    ----------
    sink : int
        Its root.
    parents : dict of int to int
        For every other node that takes part the neighbour that it gets the result from.
    children : dict of int to tuple of int
        For every node that takes part the neighbours that it passes the result to, lowest dimension first.
    steps : int
        Depth of the tree: parallel steps, when a node sends on all its links in one.
    """

    sink: int
    parents: dict[int, int]
    children: dict[int, tuple[int, ...]]
    steps: int

    def mask(self, node: int) -> int:
        """Return the dimensions in which ``node`` passes the result on, as a mask."""
        return sum(node ^ child for child in self.children[node])


def spread(plan: MergePlan) -> ResultSpread:
    """Return the tree over which the sink's result goes to all nodes of a merge.

    Each node gets it from exactly one neighbour, over as few links as there can be. Nodes are visited in the order
    in which they get it, and pass it on in their lowest dimensions first.

    Parameters
    ----------
    plan : MergePlan
        The stage tables of the merge.

    Raises
    ------
    ValueError
        The scheme of the plan is not "repaired": only that one is sure to have good links to everybody.
    """
    if plan.scheme != "repaired":
        raise ValueError(f"scheme must be repaired, not {plan.scheme}")
    sink = plan.tree.sink
    depth = {sink: 0}
    parents: dict[int, int] = {}
    children: dict[int, tuple[int, ...]] = {}
    edge = [sink]
    for node in edge:
        good = [node ^ 1 << j for j in range(plan.tree.dim) if not plan.words[node] >> j & 1]
        children[node] = tuple(end for end in good if end not in depth)
        for child in children[node]:
            parents[child], depth[child] = node, depth[node] + 1
        edge += children[node]
    return ResultSpread(sink, parents, children, max(depth.values()))


def spread_steps(plan: MergePlan) -> int:
    """Return the parallel steps of :func:`spread`: the links between the sink and the node furthest from it.

    Raises
    ------
    ValueError
        The scheme of the plan is not "repaired".
    """
    return spread(plan).steps


def result_mode(plan: MergePlan) -> str:
    """Return how the result gets to everybody: :data:`BROADCAST` without any fault, else :data:`SPREAD`.

    The router's broadcast is sure to reach everybody only while there is no fault; the tree always is.
    """
    return SPREAD if any(plan.words) else BROADCAST
