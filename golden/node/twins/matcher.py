"""Matcher: messages to receives and buffers, receives to messages."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.node.contract.block import LENT_LOW, SYSTEM_BIT, Status
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.golden.node.twins.envelope_list import Entry, EnvelopeList
from cubecast.golden.node.twins.expected_queues import Candidate, ExpectedQueues
from cubecast.golden.node.twins.unit import Unit

__all__ = ["First", "Matcher", "Place", "Post"]


ENTRY_PORTS = {
    "index": "number",
    "source": "source",
    "type": "message_type",
    "length": "length",
    "broadcast": "broadcast",
}
"""Fields of an unclaimed message, and the ports that show them."""

MEMORY = ("served", "word", "word_error", "written", "write_error", "reader__ready", "writer__ready")
"""Ports of the memory, which the expected queues use."""


EVENT = ("reason", "status", "source", "value")
"""Payload of an event."""


class First(NamedTuple):
    """A message that looks for a place."""

    source: int
    b: int
    type: int
    length: int
    behind: int
    rest: int
    mark: int


class Post(NamedTuple):
    """A receive that looks for a message."""

    block: int
    source: int
    any_source: int
    type: int
    any_type: int
    only: int
    room: int
    buffer: int
    pooled: int
    number: int


class Place(NamedTuple):
    """Where a message goes."""

    user: int
    block: int
    room: int
    buffer: int
    pooled: int
    number: int

    def outputs(self) -> Outputs:
        """Return the place as ports; None: not compared."""
        found: Outputs = dict(self._asdict())
        if not self.user:
            found["block"] = None
        if self.user and not self.pooled:
            found["number"] = None
        return found


class Matcher(Unit):
    """Twin of the matcher.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, sections 5.1.1 and 5.1.2.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.queues = ExpectedQueues(config)
        self.unclaimed = EnvelopeList(config)
        self.held = EnvelopeList(config, held=True)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values; the memory of P and R is cleared source by source."""
        self.state = "IDLE"
        self.cleared = self.freshly = self.turn = self.kind = self.source = 0
        self.available = self.asked = False
        self.owing = [0] * self.config.nodes
        self.rewinding = [0] * self.config.nodes
        self.first = First(0, 0, 0, 0, 0, 0, 0)
        self.post = Post(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        self.place: Place | None = None
        self.entry: Entry | None = None
        self.prepared = self.stop = self.granted = self.number = self.how = self.suspect = 0
        self.again = self.lost = False

    def okay(self, system: int, free: int) -> bool:
        """Return whether the pool has a buffer for a class of types."""
        return free > (0 if system else self.config.reserved)

    def buffered(self, free: int) -> bool:
        """Return whether a message takes a buffer in this cycle, as no receive waits for it."""
        first = self.first
        return (
            self.state == "FIND"
            and self.queues.state == "ANSWER"
            and self.queues.found is None
            and not self.queues.failed
            and not first.behind
            and first.length <= self.config.buffer_bytes
            and self.okay(first.type >> SYSTEM_BIT, free)
        )

    @property
    def served(self) -> bool:
        """Whether a broadcast that is held gets a buffer in this cycle."""
        return self.state == "SERVE" and self.available and self.held.found is not None

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.state == "IDLE" and self.cleared == self.config.nodes and not self.freshly

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get, free = inputs.get, inputs.get("free", 0)
        ready = self.cleared == self.config.nodes
        listening = self.state == "IDLE" and ready and not self.freshly
        others = get("grab__valid") or get("post__valid")
        first = bool(listening and get("first__valid") and not (self.turn and others))
        grab = bool(listening and get("grab__valid") and not first)
        post = bool(listening and get("post__valid") and not first and not grab)
        granted = grab and self.okay(get("grab__system", 0), free)
        rewind = self.state == "SCAN" and bool(self.owing[self.source] and not self.rewinding[self.source])
        answer, request = self.queues.state == "ANSWER", self.queues.request
        visit = answer and request is not None and not request.post
        outputs: Outputs = {
            "ready": int(ready),
            "first__ready": int(first),
            "grab__ready": int(grab),
            "post__ready": int(post),
            "take": int(granted or self.buffered(free) or self.served),
            "rewind__valid": int(rewind),
            "rewind__source": self.source if rewind else None,
            "failed": int(answer and self.queues.failed),
            **stream("event", EVENT, self._event()),
            "visit": int(visit),
            "visited": self.queues.visited if visit else None,
            **self._strobes(),
        }
        queues = self.queues.show({})
        return outputs | {name: value for name, value in queues.items() if name.startswith(("reader__", "writer__"))}

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, rst, ready = inputs.get, inputs.get("rst", 0), outputs["ready"]
        first, grab, post = (bool(outputs[f"{name}__ready"]) for name in ("first", "grab", "post"))
        buffered, system, answer = self.buffered(get("free", 0)), self._system(inputs), self.queues.state == "ANSWER"
        winner, rewind = self.queues.found, bool(outputs["rewind__valid"])
        found, missing = self._search(rst, inputs, buffered, self.served)
        queues = self.queues.step({**{name: get(name, 0) for name in MEMORY}, **self._request(), "rst": rst})
        if rst:
            self.reset()
            return
        self.cleared += not ready
        entering = bool(self.state == "IDLE" and ready and self.freshly)
        self.freshly = int(bool(get("freed")) or (self.freshly and not entering))
        if entering:
            self.state, self.available, self.kind = "NEXT", True, 0
        elif self.state == "IDLE":
            self._begin(inputs, first, grab, post, bool(outputs["take"]))
        elif self.state in ("FIND", "ENQUEUE"):
            if answer:
                self._answered(winner, bool(queues["posted"]), inputs.get("base", 0), system if buffered else None)
            elif queues["request__ready"]:
                self.asked = True
        elif self.state in ("CLAIM", "SERVE"):
            self._searched(found, missing, system)
        else:
            self._go_on(inputs, rewind)

    def _system(self, inputs: Inputs) -> Place:
        """Return the place that the pool offers."""
        get = inputs.get
        return Place(0, 0, self.config.buffer_bytes, get("pool_address", 0), 0, get("pool_number", 0))

    def _strobes(self) -> Outputs:
        """Return what the state alone says."""
        verdict, prepare = self.state == "VERDICT", self.state == "PREPARE"
        posted = self.state == "ENQUEUE" and self.queues.state == "ANSWER"
        settled = posted or self.state == "SETTLED"
        names = ("stop", "how", "placed", "lost", "granted")
        outputs: Outputs = dict.fromkeys((*Place._fields, *ENTRY_PORTS.values(), *names))
        outputs |= {"verdict": int(verdict), "settled": int(settled), "grabbed": int(self.state == "GRABBED")}
        outputs |= {"prepare__valid": int(prepare), "prepare__source": self.prepared if prepare else None}
        outputs |= dict.fromkeys((f"prepare__{name}" for name in Place._fields), None)
        if verdict:
            outputs |= {"placed": int(self.place is not None), "lost": int(self.lost), "stop": self.stop}
            if self.place is not None:
                outputs |= self.place.outputs()
        if self.state == "GRABBED":
            outputs |= {"granted": self.granted, "number": self.number if self.granted else None}
        if settled:
            outputs["how"] = How.POSTED if posted else self.how
            if not posted and self.how == How.UNCLAIMED:
                outputs |= {port: getattr(self.entry, name) for name, port in ENTRY_PORTS.items()}
        if prepare and self.place is not None:
            outputs |= {f"prepare__{name}": value for name, value in self.place.outputs().items()}
        return outputs

    def _event(self) -> tuple[int, int, int, int] | None:
        """Return the event of this cycle: reason, status, source, value."""
        if self.state != "FAULT":
            return None
        return Interrupt.MEMORY_ERROR, Status.MEMORY_ERROR, self.first.source, BLOCK_BYTES * self.suspect

    def _request(self) -> dict[str, int]:
        """Return what is asked of the expected queues."""
        if self.asked or self.state not in ("FIND", "ENQUEUE"):
            return {}
        if self.state == "FIND":
            return {"request__valid": 1, "request__source": self.first.source, "request__type": self.first.type}
        names = ("block", "source", "any_source", "type", "any_type")
        return {"request__valid": 1, "request__post": 1} | {
            f"request__{name}": getattr(self.post, name) for name in names
        }

    def _search(self, rst: int, inputs: Inputs, buffered: bool, served: bool) -> tuple[Entry | None, bool]:
        """Step both lists; return what the one that is searched has found, and whether it has found nothing."""
        searched = {"CLAIM": self.unclaimed, "SERVE": self.held}.get(self.state)
        answer = (searched.found, searched.missing) if searched is not None else (None, False)
        pattern: dict[str, int] = {}
        if searched is not None and not self.asked:
            names = ("source", "any_source", "type", "any_type")
            values = {name: getattr(self.post, name) for name in names}
            if self.available:
                values = {"any_source": 1, "any_type": 1, "type": self.kind << SYSTEM_BIT, "short": 1}
            pattern = {"search__valid": 1} | {f"search__{name}": value for name, value in values.items()}
        first, held = self.first, self.held.found
        unclaimed: dict[str, int] = {}
        if buffered:
            unclaimed = _append(inputs.get("pool_number", 0), first.type, first.length, first.source, first.b)
        elif served and held is not None:
            unclaimed = _append(inputs.get("pool_number", 0), held.type, held.length, held.source, held.broadcast)
        answered = self.state == "FIND" and self.queues.state == "ANSWER" and not self.queues.failed
        refused = answered and self.queues.found is None and not buffered
        keep = _append(first.source, first.type, first.length) if refused and first.b else {}
        if searched is not None and not self.asked:
            self.asked = searched.pattern is None
        self.unclaimed.step((pattern if self.state == "CLAIM" else {}) | unclaimed | {"rst": rst})
        self.held.step((pattern if self.state == "SERVE" else {}) | keep | {"rst": rst})
        return answer

    def _begin(self, inputs: Inputs, first: bool, grab: bool, post: bool, granted: bool) -> None:
        """Take a request."""
        get = inputs.get
        if first:
            self.first = First(*(get(f"first__{name}", 0) for name in First._fields))
            self.turn, self.state = 1, "LOOK"
        elif grab:
            self.turn, self.state = 0, "GRABBED"
            self.granted, self.number = int(granted), get("pool_number", 0)
        elif post:
            self.post = Post(*(get(f"post__{name}", 0) for name in Post._fields))
            self.turn, self.available = 0, False
            self.state = "CLAIM" if self.unclaimed.entries else self._missed()

    def _missed(self) -> str:
        """Return the next state of a receive for which no message is in a buffer."""
        self.how, self.source = How.NOTHING, 0 if self.post.any_source else self.post.source
        if self.post.only:
            return "SETTLED"
        if self.held.entries:
            return "SERVE"
        owes = self.owing[self.source] and not self.rewinding[self.source]
        return "SCAN" if self.post.any_source or owes else "ENQUEUE"

    def _answered(self, winner: Candidate | None, posted: bool, base: int, system: Place | None) -> None:
        """Go on with the answer of the expected queues; ``system``: the buffer that the message takes else."""
        self.asked = False
        if self.state == "ENQUEUE":
            self.state = "IDLE"
            return
        if self.queues.failed:
            self.suspect, self.state = self.queues.hand, "FAULT"
            return
        first = self.first
        self.place = system if winner is None else self._receive(base, winner.block)
        self.stop = 0
        if not first.b:
            self.owing[first.source] = first.rest if self.place is not None else 1
            self.stop = int(self.place is None and not posted)
        self.state = "VERDICT"

    def _receive(self, base: int, block: int) -> Place:
        """Return the place of a posted receive."""
        word = self.queues.buffer
        if word & 1:
            number = word >> LENT_LOW & (1 << self.config.buffer_bits) - 1
            address = base + number * self.config.buffer_bytes & 0xFFFFFFFF
            return Place(1, block, self.config.buffer_bytes, address, 1, number)
        return Place(1, block, self.queues.room, word, 0, 0)

    def _searched(self, found: Entry | None, missing: bool, system: Place) -> None:
        """Go on when a list was searched."""
        if found is None and not missing:
            return
        self.asked = False
        if self.state == "CLAIM":
            self.entry, self.how = found, How.UNCLAIMED
            self.state = "SETTLED" if found is not None else self._missed()
        elif found is not None:
            post = self.post
            own = Place(1, post.block, post.room, post.buffer, post.pooled, post.number)
            self.place, self.prepared = system if self.available else own, found.source
            self.how, self.state = How.HELD, "PREPARE"
        elif self.available:
            self.kind, self.state = self.kind + 1, "NEXT"
        else:
            self.state = "SCAN"

    def _go_on(self, inputs: Inputs, rewind: bool) -> None:
        """Take the edge of a state that asks nobody inside."""
        get, first = inputs.get, self.first
        if self.state == "LOOK":
            self.state, self.lost, self.again = "FIND", False, False
            if not first.b and first.mark:
                self.rewinding[first.source] = 0
            elif not first.b and self.rewinding[first.source]:
                self.owing[first.source], self.stop, self.place, self.state = 1, 0, None, "VERDICT"
        elif self.state == "SCAN":
            if rewind and not get("rewind__ready"):
                return
            if rewind:
                self.rewinding[self.source] = 1
            everyone = self.available or self.post.any_source
            if not everyone or self.source == self.config.nodes - 1:
                self.state = "IDLE" if self.available else "ENQUEUE"
            else:
                self.source += 1
        elif self.state == "FAULT":
            if get("event__ready"):
                self._failed()
        elif self.state == "PREPARE":
            if get("prepare__ready"):
                self.state = "NEXT" if self.available else "SETTLED"
        elif self.state == "NEXT":
            self._next(get("free", 0))
        else:
            self.state = "IDLE"

    def _failed(self) -> None:
        """Let the message look for its receive once more, or give it up."""
        if not self.again:
            self.again, self.state = True, "FIND"
            return
        first = self.first
        self.place, self.stop, self.lost, self.state = None, 0, True, "VERDICT"
        if not first.b:
            self.owing[first.source] = first.rest

    def _next(self, free: int) -> None:
        """Choose the class of types that is served with a buffer that became free."""
        if self.kind == 2:
            self.source, self.state = 0, "SCAN" if self.okay(0, free) or self.okay(1, free) else "IDLE"
        elif self.okay(self.kind, free):
            self.state = "SERVE"
        else:
            self.kind += 1


def _append(index: int, kind: int, length: int, source: int = 0, broadcast: int = 0) -> dict[str, int]:
    """Return the ports that append an entry to a list; one that is held has no source and no broadcast of its own."""
    values = {"index": index, "source": source, "type": kind, "length": length, "broadcast": broadcast}
    return {"append": 1} | {f"append_{name}": value for name, value in values.items()}
