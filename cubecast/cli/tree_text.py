"""Multicast trees as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from cubecast.golden.multicast.algorithms.tree import MulticastTree
from cubecast.options.text import nested

__all__ = ["tree_lines"]


def tree_lines(tree: MulticastTree) -> Iterator[str]:
    """Yield the tree as indented text.

    One line per crossing of a link: the dimension in front of the arrow, the node behind it, a ``*`` if the message is
    delivered there, and what the message carries. A node's links stand in the order of its decisions.
    """
    delivered = set(tree.delivered)
    several = tree.policy in ("unicast", "spare")

    def name(node: int, arrived: tuple[int, ...]) -> str:
        """Return a node's address, with a mark if this message is delivered there."""
        here = node in delivered and (not several or node in arrived)
        return f"{node} {node:0{tree.dim}b}{' *' if here else ''}"

    def below(place: tuple[int, tuple[int, ...]]) -> list[tuple[str, tuple[int, tuple[int, ...]]]]:
        """Return what hangs below a node that got a destination list."""
        node, arrived = place
        lines = []
        for decision in tree.nodes.get(node, ()):
            if not several or set(decision.destinations) <= set(arrived):
                carried = f"  {{{' '.join(map(str, decision.destinations))}}}" if decision.destinations else ""
                control = "" if decision.control is None else f"  control {decision.control:0{tree.dim}b}"
                to = name(decision.to, decision.destinations)
                label = f"{decision.dimension}→ {to}{carried}{control}"
                lines.append((label, (decision.to, decision.destinations)))
        return lines

    yield name(tree.source, tree.destinations)
    yield from nested(below((tree.source, tree.destinations)), below)
