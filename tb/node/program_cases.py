"""Random programs of nodes, legal and illegal steps, in the style of tests of message passing libraries."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["crowded_programs", "cut_links", "random_programs"]

LENGTHS = (0, 1, 4, 22, 23, 60, 64, 65, 200, 200)
"""Bytes around the limits of packets of 22 and 28 bytes, and of buffers of 64."""

LONG = (250, 500, 1000)
"""Bytes that are more than is sent unasked: with words of 16 bits 218 in 8 packets, and 414 in 15."""

RARELY = 0.08
"""Part of the messages, and of the rooms of receives, that are as long."""

TYPES = (0, 1, 1, 0x7FFF, 0x8000, 0x8001)


def random_programs(seed: int, nodes: int, steps: int, buffer_bytes: int = 64, crowd: float = 0.0) -> dict[str, Any]:
    """Return what a file of programs holds: up to so many steps of each node, and waits for all of it.

    ``crowd`` is the share of the sends that go to node 0, whose program is longer then.
    """
    generator, rare = random.Random(seed), random.Random(f"long, {seed}")
    lengths = [steps * nodes // 2 if crowd and not node else steps for node in range(nodes)]
    return {
        "nodes": {
            str(node): _program(generator, rare, node, nodes, length, buffer_bytes, crowd)
            for node, length in enumerate(lengths)
        }
    }


def _program(
    generator: random.Random, rare: random.Random, node: int, nodes: int, steps: int, buffer_bytes: int, crowd: float
) -> list[dict[str, Any]]:
    """Return the program of one node."""
    program: list[dict[str, Any]] = []
    receives: list[dict[str, Any]] = []
    others = [other for other in range(nodes) if other != node]
    for number in range(generator.randint(0, steps)):
        name, draw = f"s{number}", generator.random()
        if draw < 0.45:
            step = {"do": generator.choice(("send", "send", "send", "broadcast", "neighbours")), "name": name}
            step |= {"type": generator.choice(TYPES), "bytes": generator.choice(LENGTHS), "fill": number}
            if rare.random() < RARELY:
                step["bytes"] = rare.choice(LONG)
            if step["do"] == "send":
                step["to"] = 0 if node and crowd and generator.random() < crowd else generator.choice(others)
            elif step["do"] == "neighbours":
                step["to"] = [other for other in others if (other ^ node).bit_count() == 1]
        elif draw < 0.85 or not receives:
            step = {"do": "receive", "name": name, "room": generator.choice((0, 22, 64, 200, "system"))}
            if step["room"] != "system" and rare.random() < RARELY:
                step["room"] = max(LONG)
            step["from"] = generator.choice(("any", *others))
            step["type"] = generator.choice(("any", "any system", *TYPES))
            receives.append(step)
        else:
            receive = generator.choice(receives)
            until = generator.choice(("done", "started"))
            program.append({"do": "wait", "for": [receive["name"]], "until": until})
            room = buffer_bytes if receive["room"] == "system" else receive["room"]
            if room >= 4:
                program.append({"do": "read", "of": receive["name"], "offset": (room - 4) // 4 * 4, "bytes": 4})
            if until == "started":
                continue
            step = {"do": "release", "name": name, "of": receive["name"]}
        if generator.random() < 0.08:
            _spoil(generator, step, node, nodes)
        program.append(step)
    return program


def crowded_programs(seed: int, nodes: int, node: int, steps: int, buffer_bytes: int) -> dict[str, Any]:
    """Return programs in which all others send to a node what fits into its buffers, of any type, before it is ready.

    It claims what is there, asks for a lent buffer and gives that back, and sends now and then; each sends or receives
    ``steps`` messages.
    """
    generator = random.Random(seed)
    programs: dict[str, Any] = {str(other): [] for other in range(nodes)}
    for number in range(steps):
        for other, program in programs.items():
            program.append({"do": "compute", "clocks": generator.choice((0, 20, 100))})
            if other != str(node) or generator.random() < 0.3:
                step = {"do": generator.choice(("send", "send", "send", "broadcast")), "name": f"s{number}"}
                step |= {"type": generator.getrandbits(15), "fill": number}
                step["bytes"] = generator.choice((4, buffer_bytes // 2, buffer_bytes - 1, buffer_bytes))
                to = node if other != str(node) else node ^ generator.randrange(1, nodes)
                program.append(step | ({"to": to} if step["do"] == "send" else {}))
                continue
            room = generator.choice(("system", buffer_bytes, buffer_bytes))
            program.append({"do": "receive", "name": f"r{number}", "room": room, "from": "any", "type": "any"})
            if room == "system":
                program.append({"do": "wait", "for": [f"r{number}"], "until": "done"})
                program.append({"do": "release", "name": f"f{number}", "of": f"r{number}"})
    return {"nodes": programs}


def cut_links(seed: int, programs: dict[str, Any], dim: int) -> dict[str, Any]:
    """Return programs with steps that cut links of some nodes, most of which are mended after a while."""
    generator = random.Random(seed)
    for program in programs["nodes"].values():
        for _ in range(generator.choice((0, 0, 1, 2))):
            place = generator.randint(0, len(program))
            cut = generator.sample(range(dim), generator.randint(1, dim))
            program.insert(place, {"do": "fault", "dimensions": cut})
            if generator.random() < 0.6:
                later = generator.randint(place + 1, len(program))
                pause = {"do": "compute", "clocks": generator.choice((10, 60, 300, 2000))}
                program[later:later] = [pause, {"do": "fault", "dimensions": []}]
    return programs


def _spoil(generator: random.Random, step: dict[str, Any], node: int, nodes: int) -> None:
    """Make a step illegal, most often."""
    field, value = generator.choice(
        (
            ("type", 1 << 17),
            ("to", generator.choice((node, nodes))),
            ("from", generator.choice((node, nodes, 1 << 17))),
            ("bytes", 1 << 20),
            ("room", 1 << 20),
            ("misplaced", True),
        )
    )
    if field == "misplaced" and (step["do"] == "release" or step.get("room") == "system"):
        return
    if field == "to" and step["do"] == "neighbours":
        value = [*step["to"], step["to"][0]]
    if field in step or field == "misplaced":
        step[field] = value
