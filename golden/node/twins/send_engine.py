"""Send engine: parts of messages and answers as packets, injected word by word."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, Kind, pack
from cubecast.golden.node.twins.message_cutter import MessageCutter
from cubecast.golden.node.twins.packet_maker import Job, PacketMaker
from cubecast.golden.node.twins.send_scheduler import first_slot
from cubecast.golden.node.twins.unit import Unit

__all__ = ["SendEngine"]

REPLY = ("op", "b", "stop", "damaged", "ticket")
"""Fields of an answer that its packet has."""

MEMORY = ("served", "word", "word_error", "reader__ready", "inject__ready")
"""Ports that the packet maker uses."""


class SendEngine(Unit):
    """Twin of the send engine.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, section 5.4.4 (node output port).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.cutter, self.maker = MessageCutter(config), PacketMaker(config)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = "FREE"
        self.destination = self.ticket = self.open = 0
        self.wrong = False

    def _replies(self, inputs: Inputs) -> bool:
        """Return whether an answer goes before what the cutter has."""
        return bool(inputs.get("reply__valid")) and self.state != "DRAIN"

    def _reply(self, inputs: Inputs) -> Job:
        """Return the packet of the answer that is offered."""
        get = inputs.get
        source = get("reply__source", 0)
        return Job(
            slots=first_slot(self.config, get("address", 0) ^ source, get("inject__ready", 0)),
            destination=source,
            kind=Kind.CONTROL,
            prefix=pack(CONTROL, **{name: get(f"reply__{name}", 0) for name in REPLY}),
            prefix_words=1,
        )

    @property
    def _back(self) -> Outputs:
        """Where the cutter has stopped."""
        return {name: value for name, value in self.cutter.show({}).items() if name.startswith("back__")}

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.state == "FREE" and self.cutter.resting and self.maker.resting

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        maker = self.maker.show(inputs)
        faulty = self.state == "FAULT"
        return {
            "part__ready": int(self.state == "FREE"),
            "reply__ready": int(self._replies(inputs) and bool(maker["job__ready"])),
            **self._back,
            "fault__valid": int(faulty),
            "fault__destination": self.destination if faulty else None,
            "fault__ticket": self.ticket if faulty else None,
            **{name: value for name, value in maker.items() if name.startswith(("reader__", "inject__"))},
            "sent": maker["sent"],
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, rst = inputs.get, inputs.get("rst", 0)
        shown = self.maker.show(inputs)
        replies, ready = self._replies(inputs), bool(shown["job__ready"])
        begins = self.state == "FREE" and bool(get("part__valid"))
        part = {name: value for name, value in inputs.items() if name.startswith("part__")} if begins else {}
        heard = {"preempt": get("preempt", 0), "back__ready": get("back__ready", 0)}
        stopped = self.cutter.stopped
        cutter = self.cutter.step({**part, **heard, "rst": rst, "job__ready": int(ready and not replies)})
        job = self._reply(inputs) if replies else Job(*(cutter[f"job__{name}"] or 0 for name in Job._fields))
        offered = replies or bool(cutter["job__valid"])
        given = {f"job__{name}": value for name, value in job._asdict().items()} if offered else {}
        memory = {name: get(name, 0) for name in MEMORY}
        self.maker.edge({**memory, **given, "job__valid": int(offered), "rst": rst}, shown)
        if rst:
            self.reset()
            return
        self.wrong |= bool(shown["failed"])
        drained = self.open == 0 and not stopped
        self.open += (offered and ready) - bool(shown["sent"])
        if begins:
            self.state, self.wrong = "CUT", False
            self.destination, self.ticket = get("part__destination", 0), get("part__ticket", 0)
        elif self.state == "CUT" and cutter["cut"]:
            self.state = "DRAIN"
        elif self.state == "DRAIN" and drained:
            self.state = "FAULT" if self.wrong else "FREE"
        elif self.state == "FAULT" and get("fault__ready"):
            self.state = "FREE"
