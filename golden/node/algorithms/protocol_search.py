"""Runs of the message-level model: all states of small programs, random orders of larger ones, what must be true."""

from __future__ import annotations

import random
from typing import NamedTuple

from cubecast.golden.node.algorithms.protocol import ProtocolModel
from cubecast.golden.node.algorithms.protocol_state import Action, Message, OrderError, Piece, State

__all__ = ["Search", "balanced", "faults", "run", "search"]


class Search(NamedTuple):
    """What a search has seen: states, those of them in which nothing more can happen, and whether these are all."""

    states: int
    ends: int
    complete: bool


def balanced(model: ProtocolModel, state: State) -> bool:
    """Return whether every buffer is in the pool, lent, or holds one message."""
    return all(
        receiver.free >= 0
        and receiver.free + len(receiver.lent) + len(receiver.unclaimed) + len(receiver.attached)
        == model.limits.buffers
        for receiver in state.receivers
    )


def _sent(model: ProtocolModel, state: State) -> list[Message]:
    """Return the messages whose instruction was executed."""
    return [message for message in model.messages.values() if message.step < state.steps[message.source]]


def faults(model: ProtocolModel, state: State) -> list[str]:
    """Return what is wrong with a state in which nothing more can happen, a line for each.

    What is on its way stands still; a message has a place and is not stored; a receive and a message that fit are
    apart (O3); a message waits without a reason; a flag does not say what is stored.
    """
    found = [f"{queue[0].message} stands before node {way[0]} for ever" for way, queue in state.pieces.items()]
    sent = _sent(model, state)
    for message in sent:
        for node in message.to:
            receiver = state.receivers[node]
            if not receiver.has(message):
                found += _apart(model, state, node, message)
            elif message not in receiver.stored:
                found.append(f"{message} has a place at node {node} and never comes")
        stored = all(message in state.receivers[node].stored for node in message.to)
        if stored != (model.left(state, message) == 0):
            found.append(f"{message} is {'' if stored else 'not '}stored everywhere, and its flag says otherwise")
    return found


def _apart(model: ProtocolModel, state: State, node: int, message: Message) -> list[str]:
    """Return why a message should not wait for a place at a node."""
    receiver = state.receivers[node]
    before = [other for other in model.streams[message.source, node, message.broadcast] if other.step < message.step]
    if message.broadcast:
        blocked = any(model.left(state, other) for other in before)
    else:
        blocked = any(not receiver.has(other) for other in before)
    found = []
    step = model.oldest(receiver, node, message)
    if step is not None and not (message.broadcast and blocked):
        found.append(f"receive {step} of node {node} and {message} are apart")
    if not blocked and model.buffered(receiver, Piece(message, "first", True)):
        found.append(f"{message} waits for node {node}, which has a buffer")
    return found


def search(model: ProtocolModel, most: int = 100_000) -> Search:
    """Look at every state that the programs can get into, in any order of actions.

    Raises
    ------
    OrderError
        A match breaks the order, buffers are lost or doubled, a state without actions is wrong, or states follow
        each other in a ring, so that a run need not end.
    """
    first = model.start()
    known, path, ends = {first.key()}, {first.key()}, 0
    # Depth first: what is on the path from the start is what a ring would close to.
    stack = [(first, first.key(), _branches(model, first))]
    ends += not stack[0][2]
    while stack:
        state, key, branches = stack[-1]
        if not branches:
            path.remove(key)
            stack.pop()
            continue
        after = state.copy()
        model.take(after, branches.pop())
        key = after.key()
        if key in path:
            raise OrderError("states follow each other in a ring")
        if key not in known:
            if len(known) == most:
                return Search(len(known), ends, False)
            known.add(key)
            path.add(key)
            stack.append((after, key, _branches(model, after)))
            ends += not stack[-1][2]
    return Search(len(known), ends, True)


def _branches(model: ProtocolModel, state: State) -> list[Action]:
    """Return what can happen next, with a check of what must be true in this state."""
    actions = model.actions(state)
    _check(model, state, not actions)
    return actions


def _check(model: ProtocolModel, state: State, end: bool) -> None:
    """Raise an error if buffers are lost or doubled, or the end of a run is wrong."""
    found = [] if balanced(model, state) else ["buffers are lost or doubled"]
    found += faults(model, state) if end else []
    if found:
        raise OrderError("; ".join(found))


def run(model: ProtocolModel, seed: int, most: int = 100_000) -> State:
    """Return the last state of a run in random order, with long delays and bursts.

    Raises
    ------
    OrderError
        As for :func:`search`; a run has an end when it has one within so many actions.
    """
    generator, state = random.Random(seed), model.start()
    for _ in range(most):
        actions = model.actions(state)
        _check(model, state, not actions)
        if not actions:
            return state
        # Often the first or the last: one kind of action then goes before all others for a while.
        model.take(state, generator.choice(actions) if generator.random() < 0.7 else actions[generator.choice((0, -1))])
    raise OrderError(f"a run has no end within {most} actions")
