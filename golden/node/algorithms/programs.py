"""Programs of nodes: what a file of them may hold, and what the hardware says of illegal operands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.node.contract.block import ANY_BIT, LENGTH_BITS, SYSTEM_BIT, TYPE_BITS, Instruction, Status
from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["DOORBELLS", "FIELDS", "Step", "read_programs", "refusal"]

DOORBELLS = tuple(each.name.lower() for each in Instruction)
"""Steps that ring a doorbell."""

WORD = (1 << 32) - 1

LATEST = 10**9
"""Most cycles of a compute step."""

LONGEST_LIST = 64
"""Most entries of a list of neighbours; more than any cube has, so that the hardware sees lists that are too long."""

FIELDS = {
    "send": ("name", "to", "type", "data", "bytes", "fill", "misplaced"),
    "broadcast": ("name", "type", "data", "bytes", "fill", "misplaced"),
    "neighbours": ("name", "to", "type", "data", "bytes", "fill", "misplaced"),
    "receive": ("name", "from", "type", "room", "misplaced"),
    "release": ("name", "of"),
    "wait": ("for", "until"),
    "compute": ("clocks",),
    "read": ("of", "offset", "bytes"),
    "fault": ("dimensions",),
}
"""Fields of a step, by what it does."""

LEFT_OUT = {"data", "bytes", "fill", "misplaced", "until"}
"""Fields that need not be there; of data, bytes and fill either the first or the other two are."""

ANY_SOURCE = {"any": 1 << ANY_BIT}
ANY_TYPE = {"any": 1 << ANY_BIT, "any system": 1 << ANY_BIT | 1 << SYSTEM_BIT}
"""Words of a block that stand for more than one value."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of a program.

    Parameters
    ----------
    do : str
        What it does.
    name : str
        Of a step that rings a doorbell.
    to : tuple of int
        Destinations as written in the block; of a broadcast all other nodes.
    partner, type : int
        Words of the block: the source that a receive names; type.
    length : int
        Bytes to send.
    data : bytes or None
        They themselves; None: from ``fill``.
    fill : int
        Byte k is fill + 31 k + 17 floor(k / 256), modulo 256.
    room : int or None
        Bytes that a receive has room for; None: it asks for a system buffer.
    misplaced : bool
        The address of the buffer is not aligned.
    steps : tuple of int
        The steps that are waited for, released or read.
    started : bool
        A wait ends when they are in progress.
    cycles, offset, size : int
        Of a compute step; of a read.
    vector : int
        What a fault step makes the node's fault vector, bit j for dimension j.
    """

    do: str
    name: str = ""
    to: tuple[int, ...] = ()
    partner: int = 0
    type: int = 0
    length: int = 0
    data: bytes | None = None
    fill: int = 0
    room: int | None = 0
    misplaced: bool = False
    steps: tuple[int, ...] = ()
    started: bool = False
    cycles: int = 0
    offset: int = 0
    size: int = 0
    vector: int = 0

    @property
    def sends(self) -> bool:
        """Whether it sends a message."""
        return self.do in ("send", "broadcast", "neighbours")

    def content(self) -> bytes:
        """Return the bytes that it sends."""
        if self.data is not None:
            return self.data
        return bytes(self.fill + 31 * k + 17 * (k >> 8) & 0xFF for k in range(self.length))


def refusal(step: Step, node: int, config: NodeConfig) -> Status | None:
    """Return the status with which the hardware refuses the operands of a step; None if they are legal.

    Whether a buffer is lent, and whether one is free, is not a question of operands alone.
    """
    checks: list[tuple[bool, Status]] = []
    if step.do == "send":
        checks.append((step.to[0] >= config.nodes or step.to[0] == node, Status.BAD_DESTINATION))
    elif step.do == "neighbours":
        near = [node ^ 1 << dimension for dimension in range(config.dim)]
        wrong = any(other not in near for other in step.to) or len(set(step.to)) < len(step.to)
        checks.append((not step.to or wrong, Status.BAD_LIST))
    elif step.do == "receive":
        other = step.partner >= config.nodes or step.partner == node
        checks.append((step.partner >> ANY_BIT != 1 and other, Status.BAD_SOURCE))
        checks.append((step.type >> ANY_BIT > 1, Status.BAD_TYPE))
        checks.append((step.room is not None and step.room >> LENGTH_BITS > 0, Status.BAD_LENGTH))
    if step.sends:
        checks.append((step.type >> TYPE_BITS > 0, Status.BAD_TYPE))
        checks.append((step.length >> LENGTH_BITS > 0, Status.BAD_LENGTH))
    checks.append((step.misplaced, Status.BAD_BUFFER))
    return next((status for wrong, status in checks if wrong), None)


def read_programs(value: object, config: NodeConfig) -> tuple[tuple[Step, ...], ...]:
    """Return the program of every node; a node that is not named has an empty one.

    Raises
    ------
    ValueError
        One line with the field, what is allowed, and its value.
    """
    top = _object("programs", value, ("nodes",))
    nodes = top.get("nodes")
    if not isinstance(nodes, Mapping):
        raise ValueError(f"nodes must be an object of programs, not {_shown(nodes)}")
    programs: dict[int, tuple[Step, ...]] = {}
    for key, steps in nodes.items():
        digits = isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < len(str(WORD))
        if not (digits and str(int(key)) == key):
            raise ValueError(f"nodes must have numbers of nodes for keys, not {_shown(key)}")
        node = _whole("nodes: key", int(key), config.nodes - 1)
        programs[node] = _program(f"nodes.{key}", steps, node, config)
    return tuple(programs.get(node, ()) for node in range(config.nodes))


def _program(name: str, value: object, node: int, config: NodeConfig) -> tuple[Step, ...]:
    """Return the program of one node."""
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list of steps, not {_shown(value)}")
    steps: list[Step] = []
    for index, entry in enumerate(value):
        steps.append(_step(f"{name}[{index}]", entry, node, config, steps))
    return tuple(steps)


def _step(name: str, value: object, node: int, config: NodeConfig, before: Sequence[Step]) -> Step:
    """Return one step; ``before`` are those that it may refer to."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be an object, not {_shown(value)}")
    do = value.get("do")
    if not isinstance(do, str) or do not in FIELDS:
        raise ValueError(f"{name}.do must be one of {', '.join(FIELDS)}, not {_shown(do)}")
    fields = _object(name, value, ("do", *FIELDS[do]))
    for key in FIELDS[do]:
        if key not in fields and (key not in LEFT_OUT or do == "read"):
            raise ValueError(f"{name}.{key} must be given")
    if do in DOORBELLS:
        own = fields["name"]
        if not isinstance(own, str) or not own or not own.isprintable() or own in [step.name for step in before]:
            allowed = "a text of printable characters that no step of the node before has"
            raise ValueError(f"{name}.name must be {allowed}, not {_shown(own)}")
    if do == "receive":
        return _receive(name, fields, before)
    if do in ("wait", "release", "read"):
        return _refer(name, do, fields, config, before)
    if do == "compute":
        return Step(do, cycles=_whole(f"{name}.clocks", fields["clocks"], LATEST))
    if do == "fault":
        return _fault(name, fields["dimensions"], config)
    return _send(name, do, fields, node, config)


def _send(name: str, do: str, fields: Mapping[str, Any], node: int, config: NodeConfig) -> Step:
    """Return a step that sends."""
    if do == "send":
        to: tuple[int, ...] = (_whole(f"{name}.to", fields["to"], WORD),)
    elif do == "broadcast":
        to = tuple(other for other in range(config.nodes) if other != node)
    else:
        values = fields["to"]
        if not isinstance(values, list) or len(values) > LONGEST_LIST:
            raise ValueError(f"{name}.to must be a list of 0 to {LONGEST_LIST} nodes, not {_shown(values)}")
        to = tuple(_whole(f"{name}.to[{place}]", entry, WORD) for place, entry in enumerate(values))
    data, length, fill = None, 0, 0
    if "data" in fields:
        for key in ("bytes", "fill"):
            if key in fields:
                raise ValueError(f"{name}.{key} must not be given with data")
        data = _hex(f"{name}.data", fields["data"])
        length = len(data)
    elif "bytes" not in fields:
        raise ValueError(f"{name}.data or bytes must be given")
    else:
        length = _whole(f"{name}.bytes", fields["bytes"], WORD)
        fill = _whole(f"{name}.fill", fields.get("fill", 0), 255)
    kind = _whole(f"{name}.type", fields["type"], WORD)
    misplaced = _flag(f"{name}.misplaced", fields.get("misplaced", False))
    return Step(do, fields["name"], to, type=kind, length=length, data=data, fill=fill, misplaced=misplaced)


def _receive(name: str, fields: Mapping[str, Any], before: Sequence[Step]) -> Step:
    """Return a step that receives."""
    room = fields["room"]
    misplaced = _flag(f"{name}.misplaced", fields.get("misplaced", False))
    if room == "system" and misplaced:
        raise ValueError(f"{name}.misplaced must not be true with a system buffer")
    return Step(
        "receive",
        fields["name"],
        partner=_word(f"{name}.from", fields["from"], ANY_SOURCE),
        type=_word(f"{name}.type", fields["type"], ANY_TYPE),
        room=None if room == "system" else _word(f"{name}.room", room, {"system": 0}),
        misplaced=misplaced,
    )


def _refer(name: str, do: str, fields: Mapping[str, Any], config: NodeConfig, before: Sequence[Step]) -> Step:
    """Return a step that refers to others."""
    places = {step.name: place for place, step in enumerate(before) if step.name}
    key = "for" if do == "wait" else "of"
    names = fields[key] if do == "wait" else [fields[key]]
    if not isinstance(names, list) or not names:
        raise ValueError(f"{name}.{key} must be a list of names, not {_shown(names)}")
    for each in names:
        if not isinstance(each, str) or each not in places:
            raise ValueError(f"{name}.{key} must have names of steps of the node before it, not {_shown(each)}")
    steps = tuple(places[each] for each in names)
    if do == "wait":
        until = fields.get("until", "done")
        if until not in ("done", "started"):
            raise ValueError(f"{name}.until must be one of done, started, not {_shown(until)}")
        return Step(do, steps=steps, started=until == "started")
    receive = before[steps[0]]
    waits = [step for step in before if step.do == "wait" and steps[0] in step.steps]
    if do == "release":
        waits = [step for step in waits if not step.started]
    if receive.do != "receive" or not waits:
        how = " until done" if do == "release" else ""
        raise ValueError(f"{name}.of must be a receive that was waited for{how}, not {names[0]!r}")
    if do == "release":
        return Step(do, fields["name"], steps=steps)
    size = fields["bytes"]
    if type(size) is not int or size not in (1, 2, 4):
        raise ValueError(f"{name}.bytes must be one of 1, 2, 4, not {_shown(size)}")
    room = config.buffer_bytes if receive.room is None else receive.room
    offset = _whole(f"{name}.offset", fields["offset"], WORD)
    if offset % size or offset + size > room:
        raise ValueError(f"{name}.offset must be a multiple of {size} inside the {room} bytes of room, not {offset}")
    return Step(do, steps=steps, offset=offset, size=size)


def _fault(name: str, values: object, config: NodeConfig) -> Step:
    """Return a step that writes the fault vector."""
    if not config.router.fault_tolerant:
        raise ValueError(f"{name}.do must not be 'fault' with routers that have no fault vector")
    if not isinstance(values, list) or len(values) > config.dim:
        raise ValueError(f"{name}.dimensions must be a list of 0 to {config.dim} dimensions, not {_shown(values)}")
    vector = 0
    for place, value in enumerate(values):
        dimension = _whole(f"{name}.dimensions[{place}]", value, config.dim - 1)
        if vector >> dimension & 1:
            raise ValueError(f"{name}.dimensions[{place}] must be another than those before, not {dimension}")
        vector |= 1 << dimension
    return Step("fault", vector=vector)


def _object(name: str, value: object, allowed: Sequence[str]) -> Mapping[str, Any]:
    """Return ``value`` if it is an object with no other fields."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be an object, not {_shown(value)}")
    for key in value:
        if key not in allowed:
            raise ValueError(f"{name} must have no fields but {', '.join(allowed)}, not {_shown(key)}")
    return value


def _whole(name: str, value: object, most: int) -> int:
    """Return ``value`` if it is an integer from 0 to ``most``."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{name} must be an integer from 0 to {most}, not {_shown(value)}")
    return value


def _word(name: str, value: object, words: Mapping[str, int]) -> int:
    """Return the word of a block that a number or a word of text stands for."""
    if isinstance(value, str) and value in words:
        return words[value]
    if type(value) is not int or not 0 <= value <= WORD:
        allowed = ", ".join(repr(word) for word in words)
        raise ValueError(f"{name} must be an integer from 0 to {WORD}, or {allowed}, not {_shown(value)}")
    return value


def _flag(name: str, value: object) -> bool:
    """Return ``value`` if it is true or false."""
    if type(value) is not bool:
        raise ValueError(f"{name} must be true or false, not {_shown(value)}")
    return value


def _hex(name: str, value: object) -> bytes:
    """Return the bytes of a text of hex digits."""
    digits = value if isinstance(value, str) else ""
    if not isinstance(value, str) or len(digits) % 2 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        raise ValueError(f"{name} must be pairs of hex digits, not {_shown(value)}")
    return bytes.fromhex(digits)


def _shown(value: object) -> str:
    """Return a value as an error shows it: never longer than a line should be."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
