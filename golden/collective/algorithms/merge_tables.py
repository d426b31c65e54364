"""From the stage tables of a merge to the values that the host writes into the registers of every node."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from cubecast.golden.collective.algorithms.merge_operations import split
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, Hop, MergePlan
from cubecast.golden.collective.algorithms.result_spread import BROADCAST, SPREAD, result_mode, spread
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import OPERATION_CODES, RESULT_CODES, Table, entries
from cubecast.golden.common.algorithms.address import check_integer
from cubecast.golden.common.contract.registers import Entry

__all__ = ["MOST_ENDS", "MOST_HOPS", "NO_RESULT", "blank", "merge_tables", "relays_needed"]

NO_RESULT = "none"
"""Result for the sink only."""

MOST_ENDS = 15
"""Detours that may come to their end over one link."""

MOST_HOPS = 255
"""Links that a detour may have."""


@dataclass
class _Node:
    """What is known of one node while the stages are gone through."""

    receive: int = 0
    expect: int = 0
    stage: int = 0
    sends: list[Hop] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    relays: list[dict[str, int]] = field(default_factory=list)


def blank(config: CollectiveConfig) -> Table:
    """Return a table that says nothing but that the local port belongs to the collectives."""
    names = ["RECEIVE", "EXPECT", "SENDS", "SPREAD", "RELAYS", "NEXT"]
    names += [f"{name}_{place}" for name in ("ENDS", "SEND") for place in range(config.dim)]
    names += [f"RELAY_{place}" for place in range(config.max_relays)]
    return {"ENABLE": 1} | dict.fromkeys(names, 0)


def merge_tables(
    plan: MergePlan, config: CollectiveConfig, length: int, result: str = NO_RESULT, operation: str = "sum"
) -> dict[int, Table]:
    """Return the register values of every node that takes part in a merge.

    A node's COMMAND, which starts it, has to be written last, and only when all nodes have their tables. Relay entries
    stand in the order of (stage, sender) in every node, so that no two detours wait for each other.

    Parameters
    ----------
    plan : MergePlan
        The stage tables; its scheme must be "repaired".
    config : CollectiveConfig
        Parameters of the nodes.
    length : int
        Words of every vector, 0 to ``max_vector``; 0 for a barrier, which takes no words from ``vector_in``.
    result : str
        "none": it stays in the sink; "broadcast", only without any fault, or "spread": everybody gets it.
    operation : str
        One of :data:`~cubecast.golden.collective.contract.registers.OPERATION_CODES`.

    Raises
    ------
    ValueError
        A value is out of range, or the plan does not fit into the registers; one line with the parameter, its value
        and what is allowed.
    """
    _check(plan, config, result, operation)
    length = check_integer("length", length, 0, config.max_vector)
    nodes = _nodes(plan)
    codes = {"operation": OPERATION_CODES[operation], "result": RESULT_CODES[result]}
    layout = entries(config)
    command = layout["COMMAND"].pack(start=1, empty=length == 0, **codes)
    tree = spread(plan)
    tables = {}
    for node, found in nodes.items():
        if len(found.relays) > config.max_relays:
            raise ValueError(
                f"max_relays must be at least {len(found.relays)}, since so many detours cross node {node}, "
                f"not {config.max_relays}"
            )
        table = blank(config)
        table |= {"RECEIVE": found.receive, "EXPECT": found.expect, "RELAYS": len(found.relays)}
        for j, count in found.ends.items():
            if count > MOST_ENDS:
                where = f"detours that end at node {node} over link {j}"
                raise ValueError(f"{where} must be at most {MOST_ENDS}, not {count}")
            table[f"ENDS_{j}"] = count
        if found.sends:
            table |= _sends(found, length, layout)
        if result == SPREAD:
            table["SPREAD"] = tree.mask(node)
        table |= {f"RELAY_{place}": layout["RELAY"].pack(**entry) for place, entry in enumerate(found.relays)}
        tables[node] = table | {"COMMAND": command}
    return tables


def relays_needed(plan: MergePlan) -> int:
    """Return the relay entries that the node crossed by most detours needs: the least ``max_relays``."""
    return max(len(node.relays) for node in _nodes(plan).values())


def _check(plan: MergePlan, config: CollectiveConfig, result: str, operation: str) -> None:
    """Check what does not need to be worked out."""
    if plan.tree.dim != config.dim:
        raise ValueError(f"dim of the plan must be {config.dim}, that of the nodes, not {plan.tree.dim}")
    if operation not in OPERATION_CODES:
        raise ValueError(f"operation must be one of {', '.join(OPERATION_CODES)}, not {operation!r}")
    if result not in RESULT_CODES:
        raise ValueError(f"result must be one of {', '.join(RESULT_CODES)}, not {result!r}")
    if result == BROADCAST and result_mode(plan) != BROADCAST:
        raise ValueError(f"result must be {NO_RESULT} or {SPREAD} when anything is faulty, not {result!r}")


def _nodes(plan: MergePlan) -> dict[int, _Node]:
    """Return what each node that takes part receives, sends and passes on."""
    nodes = {node: _Node() for node in plan.members}
    for stage in plan.stages:
        for hop in stage.messages:
            nodes[hop.sender].stage = stage.index
            nodes[hop.sender].sends.append(hop)
            receiver = nodes[hop.receiver]
            receiver.expect += 1
            if hop.kind == DETOUR:
                _detour(nodes, hop.path)
            else:
                receiver.receive |= hop.sender ^ hop.receiver
    return nodes


def _detour(nodes: dict[int, _Node], path: tuple[int, ...]) -> None:
    """Enter a detour into the nodes on its way."""
    if len(path) - 1 > MOST_HOPS:
        raise ValueError(f"links of the detour from {path[0]} must be at most {MOST_HOPS}, not {len(path) - 1}")
    dims = [_dimension(a, b) for a, b in itertools.pairwise(path)]
    last = len(dims) - 1
    for place, node in enumerate(path[1:-1], start=1):
        entry = {"from": dims[place - 1], "to": dims[place], "first": place == 1, "end": place == last}
        nodes[node].relays.append(entry)
    nodes[path[-1]].ends[dims[-1]] += 1


def _sends(node: _Node, length: int, layout: Mapping[str, Entry]) -> Table:
    """Return the registers that say what a node sends: its parts begin where :func:`split` divides a vector."""
    first = node.sends[0]
    detour = first.kind == DETOUR
    way = len(first.path) - 1
    sends = {"count": len(node.sends), "stage": node.stage, "way": way, "detour": detour}
    table = {"SENDS": layout["SENDS"].pack(**sends)}
    for place, hop in enumerate(node.sends):
        start, _ = split(range(length), hop.part, hop.parts)
        table[f"SEND_{place}"] = layout["SEND"].pack(dimension=_dimension(*hop.path[:2]), place=start)
    return table


def _dimension(a: int, b: int) -> int:
    """Return the dimension in which two neighbours differ."""
    return (a ^ b).bit_length() - 1
