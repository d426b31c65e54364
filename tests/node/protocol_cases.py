"""Small programs in which messages meet receives in every order, and the rules of the protocol that they need."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from cubecast.golden.node.algorithms.protocol import ProtocolModel
from cubecast.golden.node.algorithms.protocol_state import (
    ANY,
    ANY_SYSTEM,
    SYSTEM,
    Instruction,
    Limits,
    Receive,
    Release,
    Send,
    Wait,
)

ONE, MORE, LONG = 4, 40, 100
"""Bytes of a message of one packet, of two, and of one that fits no buffer."""


def one(to: int, kind: int, length: int = ONE) -> Send:
    """Return an instruction that sends to one node."""
    return Send((to,), kind, length)


def all_but(source: int, nodes: int, kind: int, length: int = ONE) -> Send:
    """Return an instruction that broadcasts."""
    return Send(tuple(node for node in range(nodes) if node != source), kind, length, True)


CASES: dict[str, ProtocolModel] = {
    "reversed": ProtocolModel(
        [[one(1, 0), one(1, 1, MORE)], [Receive(0, 1), Wait((0,)), Receive(0, 0)]],
    ),
    "wildcards": ProtocolModel(
        [[one(1, 0), one(1, 0), one(1, 1)], [Receive(ANY, 1), Receive(0, 0), Receive(ANY, ANY)]],
    ),
    "released": ProtocolModel(
        [
            [one(1, 0), one(1, 1), one(1, 2)],
            [Receive(0, 0, None), Wait((0,)), Release(0)],
        ],
        Limits(buffers=1),
    ),
    "one buffer": ProtocolModel(
        [[one(1, 0, MORE), one(1, 1), one(1, 0)], [Receive(0, 0), Receive(0, 0), Receive(0, 1)]],
        Limits(buffers=1),
    ),
    "too long for a buffer": ProtocolModel(
        [[one(1, 0, LONG), one(1, 0), one(1, 1)], [Receive(0, 1), Receive(ANY, 0), Receive(ANY, ANY)]],
        Limits(buffers=1),
    ),
    "two sources": ProtocolModel(
        [[one(2, 0), one(2, 1)], [one(2, 0)], [Receive(ANY, 0), Receive(1, 0), Receive(ANY, ANY)]],
    ),
    "broadcasts": ProtocolModel(
        [
            [all_but(0, 3, 0, MORE), all_but(0, 3, 1)],
            [Receive(0, 0), Receive(0, 1)],
            [Receive(0, 1), Receive(0, 0)],
        ],
    ),
    "broadcast to one that waits for another": ProtocolModel(
        [
            [all_but(0, 3, 0)],
            [Receive(0, 0), Wait((0,)), one(2, 0)],
            [Receive(1, 0), Wait((0,)), Receive(0, 0)],
        ],
    ),
    "broadcast and unicast": ProtocolModel(
        [
            [all_but(0, 3, 0), one(1, 0, MORE)],
            [Receive(0, 0), Receive(ANY, ANY)],
            [Receive(0, ANY)],
        ],
        Limits(buffers=1),
    ),
    "reserved": ProtocolModel(
        [
            [one(1, 0), one(1, SYSTEM), one(1, SYSTEM + 1, MORE)],
            [Receive(0, ANY_SYSTEM), Receive(0, ANY), Receive(ANY, SYSTEM + 1, None)],
        ],
        Limits(buffers=1, reserved=1),
    ),
    "eager": ProtocolModel(
        [[one(1, 0, MORE), one(1, 1, MORE)], [Receive(0, 1), Receive(0, 0)]],
        Limits(eager=2),
    ),
    "offered unasked": ProtocolModel(
        [[one(1, 0), one(1, 1)], [Receive(0, 1), Receive(0, 0)]],
        Limits(timeouts=2),
    ),
    "broadcast unasked": ProtocolModel(
        [[all_but(0, 3, 0), all_but(0, 3, 1)], [Receive(0, 0), Receive(0, ANY)], [Receive(0, 0), Receive(0, 1)]],
        Limits(timeouts=1),
    ),
}
"""Name to programs that are small enough for all their states."""


def small_models(sends: int, receives: int, lengths: Sequence[int]) -> Iterator[ProtocolModel]:
    """Yield all programs of one source and one destination with so many messages of two types, and receives of them."""
    kinds = list(itertools.product((0, 1), lengths))
    for messages in itertools.product(kinds, repeat=sends):
        for types in itertools.product((0, 1, ANY), repeat=receives):
            programs = [[one(1, *message) for message in messages], [Receive(0, kind) for kind in types]]
            for buffers in (0, 1):
                yield ProtocolModel(programs, Limits(buffers=buffers))


def random_model(seed: int, nodes: int, model: type[ProtocolModel] = ProtocolModel) -> ProtocolModel:
    """Return a model with programs of up to ten instructions, with some buffers or none."""
    generator = random.Random(seed)
    kinds = [*range(generator.randint(1, 3)), *[SYSTEM] * generator.randint(0, 1)]
    lengths = (ONE, ONE, MORE, LONG)
    programs: list[list[Instruction]] = []
    for node in range(nodes):
        others = [other for other in range(nodes) if other != node]
        program: list[Instruction] = []
        for _ in range(generator.randint(0, 10)):
            draw, kind, length = generator.random(), generator.choice(kinds), generator.choice(lengths)
            receives = [step for step, instruction in enumerate(program) if isinstance(instruction, Receive)]
            lent = [step for step in receives if program[step] == program[step]._replace(room=None)]
            if draw < 0.35:
                program.append(one(generator.choice(others), kind, length))
            elif draw < 0.4:
                program.append(Send(tuple(others), kind, length))
            elif draw < 0.5:
                program.append(all_but(node, nodes, kind, length))
            elif draw < 0.88:
                source = generator.choice([ANY, *others])
                program.append(
                    Receive(source, generator.choice([ANY, ANY_SYSTEM, *kinds]), generator.choice((0, None)))
                )
            elif receives:
                program.append(Wait((generator.choice(receives),), generator.random() < 0.5))
                program += [Release(lent[0])] if lent else []
        programs.append(program)
    limits = Limits(
        buffers=generator.randint(0, 3),
        reserved=generator.randint(0, 1),
        eager=generator.randint(1, 2),
        timeouts=generator.randint(0, 2),
    )
    return model(programs, limits)
