"""Message cutter: a part of a message as packets to be made."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import ENVELOPE, TURN, Kind, pack
from cubecast.golden.node.twins.packet_maker import Job
from cubecast.golden.node.twins.unit import Unit

__all__ = ["MessageCutter", "Part"]


class Part(NamedTuple):
    """The offer of a message, or the rest of it."""

    slots: int
    destination: int
    rest: int
    offset: int
    odd: int
    type: int
    length: int
    eager: int
    behind: int
    others: int
    mark: int
    ticket: int
    buffer: int


class MessageCutter(Unit):
    """Twin of the message cutter.

    Parameters
    ----------
    config : NodeConfig
        Bytes in a packet.

    Source: Buzzard 1988, sections 5.1.2 and 5.4.4.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forget the part."""
        self.part: Part | None = None
        self.offset = self.packet = self.sent = 0
        self.stopped = False

    def job(self, part: Part) -> Job:
        """Return the next packet of a part."""
        first = self.packet == 1
        room = self.config.first_bytes if first else self.config.packet_bytes
        values = part._asdict() | {"rest": part.others}
        names = [field.name.lower() for field in ENVELOPE]
        return Job(
            slots=part.slots,
            destination=part.destination,
            kind=Kind.FIRST if first else Kind.EVEN if self.packet % 2 else Kind.MORE,
            prefix=pack(ENVELOPE, **{name: values[name] for name in names}) if first else 0,
            prefix_words=self.config.prefix_words if first else 0,
            address=part.buffer + self.offset & 0xFFFFFFFF,
            bytes=min(room, part.length - self.offset),
        )

    def final(self, part: Part) -> bool:
        """Return whether the next packet is the last one of a part."""
        ends = self.offset + self.job(part).bytes == part.length
        return ends or (not part.rest and self.packet == part.eager)

    def stops(self, inputs: Inputs) -> bool:
        """Return whether the rest of a message gives way to others."""
        return self.part is not None and bool(self.part.rest and inputs.get("preempt")) and self.sent >= TURN

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.part is None and not self.stopped

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        part, stops = self.part, self.stops(inputs)
        job = self.job(part) if part is not None and not stops else None
        final = part is not None and bool(inputs.get("job__ready")) and self.final(part)
        return {
            "part__ready": int(part is None and not self.stopped),
            "job__valid": int(job is not None),
            **{f"job__{name}": getattr(job, name, None) for name in Job._fields},
            "back__valid": int(self.stopped),
            "back__offset": self.offset if self.stopped else None,
            "back__odd": int(self.packet % 2 == 0) if self.stopped else None,
            "cut": int(stops or final),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, part = inputs.get, self.part
        if get("rst"):
            self.reset()
        elif part is not None:
            self.stopped = self.stops(inputs)
            if get("job__ready") and not self.stopped:
                self.offset += self.job(part).bytes
                self.packet, self.sent = self.packet + 1, self.sent + 1
            self.part = None if outputs["cut"] else part
        elif self.stopped:
            self.stopped = not get("back__ready")
        elif get("part__valid"):
            part = self.part = Part(*(get(f"part__{name}", 0) for name in Part._fields))
            self.offset, self.packet, self.sent = 0, 1, 0
            if part.rest:
                # Of its number only the turn is known, which is all that matters.
                self.offset, self.packet = part.offset, 2 if part.odd else 3
