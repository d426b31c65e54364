"""The way back of a merge: the result goes from the sink to every node that took part."""

from __future__ import annotations

from cubecast.golden.collective.merge_stages import DIRECT, Hop, MergePlan

__all__ = ["spread", "spread_steps"]


def spread(plan: MergePlan) -> tuple[tuple[Hop, ...], ...]:
    """Return the messages that take the sink's result to all nodes of a merge, by stage, the last stage first.

    Each node gets it from one that it sent its data to: its passive neighbour, the helper that got its first part,
    or the end of its detour. In a stage the direct messages come first, since a helper must have the result before
    it passes it on.

    Raises
    ------
    ValueError
        The scheme of the plan is not "repaired": only that one is sure to reach everybody.
    """
    if plan.scheme != "repaired":
        raise ValueError(f"scheme must be repaired, not {plan.scheme}")
    stages = []
    for stage in reversed(plan.stages):
        back = [Hop(hop.kind, hop.path[::-1]) for hop in stage.messages if hop.part == 0]
        stages.append(tuple(sorted(back, key=lambda hop: hop.kind != DIRECT)))
    return tuple(stages)


def spread_steps(plan: MergePlan) -> int:
    """Return the parallel steps of :func:`spread`, when every link carries one message each way in a step.

    Raises
    ------
    ValueError
        The scheme of the plan is not "repaired".
    """
    has = {plan.tree.sink}
    total = 0
    for messages in spread(plan):
        flying = [(hop, 0) for hop in messages]
        while flying:
            total += 1
            taken: set[tuple[int, int]] = set()
            arrived: set[int] = set()
            left = []
            for hop, place in flying:
                link = hop.path[place], hop.path[place + 1]
                if link in taken or (place == 0 and hop.sender not in has):
                    left.append((hop, place))
                    continue
                taken.add(link)
                if place + 2 < len(hop.path):
                    left.append((hop, place + 1))
                else:
                    arrived.add(hop.receiver)
            has |= arrived
            flying = left
    return total
