"""Merges of the patterns of one point: steps, what is lost, who cannot be helped, how much data a node gets."""

from __future__ import annotations

from collections.abc import Iterator

from cubecast.golden.collective.algorithms.fault_words import detect, distribute
from cubecast.golden.collective.algorithms.merge_run import MergeRun, run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, DIRECT, MergePlan, plan_stages
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError, find_tree
from cubecast.study.leu.detour import SCHEME, plan_detours
from cubecast.study.leu.patterns import fault_patterns
from cubecast.study.model import Outcome
from cubecast.study.statistics import summarise

__all__ = ["ITEMS", "MERGE_SCHEMES", "WORDS", "is_crowded", "lost_share", "merge_point", "messengers"]

WORDS = 12
"""Words of each node's data: they can be divided by 2, 3, 4 and 6 without a rest."""

ITEMS = 1024
"""Items of data for each node of a fault-free cube."""

MERGE_SCHEMES = ("repaired", SCHEME, "commented", "printed")
"""What is run on each tree, the repaired scheme first."""


def merge_point(seed: int, dim: int, kind: str, faults: int, runs: int) -> Outcome:
    """Return what merges on the trees of FIND_TREE come to.

    Returns
    -------
    dict
        ``patterns``; ``all``, whether these are all there are; ``sinks``, those with a sink, of which all the rest is.
        ``not_n_plus_k``, merges of the repaired scheme that take other than n + k steps; ``faulty_stages``, sum of k;
        ``most_faulty``, the largest k; ``troubled``, nodes that cannot send over their link, and ``alone``, those of
        them that nobody can help; ``crowded``, patterns in which a node gets more data than a fair
        share of all fault-free nodes.
        By scheme: ``steps`` and ``lost``, summaries of parallel steps and of the share of the data that does not
        arrive; ``incomplete`` and ``hung``, merges in which some does not, or a node waits forever.
    """
    exhaustive, patterns = fault_patterns(seed, dim, kind, faults, runs)
    found = [list(_merges(dim, links, nodes)) for links, nodes in patterns]
    merges = [each for each in found if each]
    outcome: Outcome = {"patterns": len(found), "all": exhaustive, "sinks": len(merges)}
    if not merges:
        return outcome
    repaired = [each[0] for each in merges]
    stages = [run.plan.faulty_stages for run in repaired]
    troubled, alone = zip(*(messengers(run.plan) for run in repaired), strict=True)
    dead = faults if kind == "nodes" else 0
    outcome |= {
        "not_n_plus_k": sum(run.steps != dim + k for run, k in zip(repaired, stages, strict=True)),
        "faulty_stages": sum(stages),
        "most_faulty": max(stages),
        "troubled": sum(troubled),
        "alone": sum(alone),
        "crowded": sum(is_crowded(run.plan, dead) for run in repaired),
    }
    for scheme, of_scheme in zip(MERGE_SCHEMES, zip(*merges, strict=True), strict=True):
        lost = [lost_share(run) for run in of_scheme]
        outcome[scheme] = {
            "steps": summarise([run.steps for run in of_scheme]).to_json(),
            "lost": summarise(lost).to_json(),
            "incomplete": sum(part > 0 for part in lost),
            "hung": sum(bool(run.waiting) for run in of_scheme),
        }
    return outcome


def messengers(plan: MergePlan) -> tuple[int, int]:
    """Return how many nodes cannot send over their link of the tree, and how many of them have to take a detour."""
    kinds = {hop.sender: hop.kind for stage in plan.stages for hop in stage.messages}
    return sum(kind != DIRECT for kind in kinds.values()), sum(kind == DETOUR for kind in kinds.values())


def lost_share(run: MergeRun) -> float:
    """Return which share of the data, ones to be added, is not in the result.

    The schemes that are not repaired give data to all nodes that are not isolated, if no way leads to the sink too.
    """
    return 1.0 if run.result is None else 1 - sum(run.result) / (WORDS * len(run.plan.members))


def is_crowded(plan: MergePlan, dead: int) -> bool:
    """Return whether a node gets more data than if all nodes but the ``dead`` ones had an equal share."""
    size = 1 << plan.tree.dim
    items = ITEMS * size
    return max(map(len, distribute(items, plan.members).values())) > -(-items // (size - dead))


def _merges(dim: int, links: list[tuple[int, int]], nodes: list[int]) -> Iterator[MergeRun]:
    """Yield the runs of all schemes on the tree of a pattern; nothing if it has no sink."""
    words = detect(dim, links, nodes)
    try:
        tree = find_tree(dim, words)
    except NoSinkError:
        return
    repaired = plan_stages(tree, words)
    plans = {"repaired": repaired, SCHEME: plan_detours(repaired)}
    for scheme in MERGE_SCHEMES:
        plan = plans.get(scheme) or plan_stages(tree, words, scheme)
        yield run_merge(plan, dict.fromkeys(plan.members, (1,) * WORDS), "sum")
