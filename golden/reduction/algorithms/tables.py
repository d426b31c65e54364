"""What the host writes into the registers of the nodes of a tree."""

from __future__ import annotations

from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import register_map
from cubecast.golden.reduction.contract.word import NONE

__all__ = ["tree_tables"]


def tree_tables(config: ReductionConfig, tree: ReductionTree) -> dict[int, dict[str, int]]:
    """Return the values of TREE and CTRL, by node of the tree; all members get the results.

    Raises
    ------
    ValueError
        The tree is of another cube.
    """
    if tree.dim != config.dim:
        raise ValueError(f"tree must be of a {config.dim}-cube, not of a {tree.dim}-cube")
    entries = {entry.name: entry for entry in register_map(config)}
    found = {}
    for node, ends in tree.children(register=config.reduce_register).items():
        a, b = (NONE if end < 0 else _dimension(node, end) for end in ends)
        parent = _dimension(node, tree.parents[node]) if node in tree.parents else NONE
        member = int(node in tree.members)
        found[node] = {
            "TREE": entries["TREE"].pack(parent=parent, a=a, b=b),
            "CTRL": entries["CTRL"].pack(enable=1, member=member, deliver=member),
        }
    return found


def _dimension(node: int, end: int) -> int:
    """Return the dimension of the link between two neighbours."""
    return (node ^ end).bit_length() - 1
