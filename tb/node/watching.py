"""Recording of a network of nodes: packets on the links, each with the message or the answer that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cubecast.golden.node.contract.block import Status
from cubecast.golden.node.contract.packet import CONTROL, Op, unpack
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.recording import NOBODY
from cubecast.tb.node.follower import Message
from cubecast.tb.node.program_run import ProgramRun
from cubecast.tb.packet.watching import PacketWatcher

__all__ = ["NodeWatcher"]

PROGRAM = "program"
"""The unit of a node behind those of its router: what has become of the instructions of its program."""


class NodeWatcher(PacketWatcher):
    """Units of a node: its router's, and its program.

    Messages are the steps that send, in the order of nodes and programs, and behind them control packets, one by one in
    the order in which they are made.

    Parameters
    ----------
    recorder : PacketFollower
        Which follows the packets.
    run : ProgramRun
        The programs.
    """

    def __init__(self, recorder: Any, run: ProgramRun) -> None:
        """Start with nothing recorded, and no control packet."""
        super().__init__(recorder, ())
        self.run = run
        self.listed: list[dict[str, Any]] = []
        self.messages = self.listed
        self._steps: dict[tuple[int, int], int] = {}
        for node, program in enumerate(run.programs):
            for index, step in enumerate(program):
                if step.sends:
                    # Destinations that the hardware refuses are no nodes of the picture.
                    to = dict.fromkeys(other for other in step.to if other < self.config.nodes and other != node)
                    self._steps[node, index] = self._list(node, to, f"{step.do} {step.name}")

    def _list(self, source: int, destinations: Iterable[int], what: str) -> int:
        """Add a message; return its place."""
        place = len(self.listed)
        self.listed.append({"message": place, "source": source, "destinations": [*destinations], "what": what})
        return place

    def sent(self, message: Message) -> int:
        """Return the place of a message of which a packet is made."""
        slot = self.run.layouts[message.source].buffers[message.buffer]
        return self._steps[message.source, slot.index]

    def answered(self, node: int, destination: int, word: int) -> int:
        """Return the place of a control packet that a node makes, given its word."""
        fields = unpack(CONTROL, word)
        op = Op(fields["op"])
        # A REWIND of unicasts is of all that the node has postponed, and has no ticket.
        of = None
        if op is not Op.REWIND or fields["b"]:
            of = self.run.follower.asked(node, destination, fields["b"], fields["ticket"])
        what = op.name if of is None else f"{op.name} of {self.listed[self.sent(of)]['what']}"
        return self._list(node, [destination], what)

    def parts(self) -> dict[str, Any]:
        """Return the units of a node."""
        found = super().parts()
        kinds = found["kinds"] | {PROGRAM: ["instructions"]}
        return found | {"units": [*found["units"], [PROGRAM, PROGRAM]], "kinds": kinds}

    def result(self) -> dict[str, Any]:
        """Return what the header of the recording says of the run besides its result, and the events."""
        for node in range(self.config.nodes):
            self._instructions(node)
        starts = self.recorder.starts
        answers = (each for receiver in self.recorder.receivers for each in receiver.deliveries)
        names = ("message", "node", "first_cycle", "last_cycle", "error")
        came = [{name: each[name] for name in names} for each in answers if each["message"] >= len(self._steps)]
        errors = [
            {name: report[name] for name in ("message", "node", "destination")}
            | {"reason": PacketReason(report["reason"]).name}
            for report in self.recorder.reports
        ]
        return super().result() | {
            "messages": [each | {"start_cycle": starts.get(each["message"])} for each in self.listed],
            "deliveries": sorted([*came, *self._stored()], key=lambda each: (each["last_cycle"], each["message"])),
            "errors": errors,
            "changes": self.recorder.changes,
        }

    def _instructions(self, node: int) -> None:
        """Record what has become of the instructions of a node, from the cycles on that the result names."""
        processor, program = self.run.processors[node], self.run.programs[node]
        statuses = {index: processor.status[index].name for index in processor.done}
        told: list[tuple[int, int, int, str]] = []
        for order, (times, say) in enumerate(
            ((processor.posted, "posted"), (processor.started, "started"), (processor.done, None))
        ):
            told += [(cycle, order, index, say or statuses[index]) for index, cycle in times.items()]
        now: dict[int, str] = {}
        unit = len(super().parts()["units"])
        for cycle, _, index, say in sorted(told):
            now[index] = f"{program[index].name} {say}"
            self.recording.unit(cycle, node, unit, [", ".join(now[each] for each in sorted(now))])

    def _stored(self) -> Iterator[Mapping[str, Any]]:
        """Yield the deliveries of messages: in receives that are complete, and in system buffers."""
        run = self.run
        for node, program in enumerate(run.programs):
            processor, follower = run.processors[node], run.follower
            for index, step in enumerate(program):
                block = run.layouts[node].slots[index].block if step.do == "receive" else NOBODY
                if block in follower.matched[node] and index in processor.done:
                    first, message = follower.matched[node][block]
                    error = processor.status[index] is not Status.OK
                    yield self._delivery(message, node, first, processor.done[index], error)
            for entry in follower.unclaimed[node]:
                if entry.number in follower.complete[node]:
                    yield self._delivery(entry.message, node, entry.since, follower.complete[node][entry.number], False)

    def _delivery(self, message: Message, node: int, first: int, last: int, error: bool) -> dict[str, Any]:
        """Return a delivery, from the cycle in which the message has got its place."""
        times = {"first_cycle": first, "last_cycle": last}
        return {"message": self.sent(message), "node": node, **times, "error": error}
