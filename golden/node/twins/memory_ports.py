"""Memory ports: the two word ports of node memory, shared by those who read and those who write."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.units import CLIENTS
from cubecast.golden.node.twins.unit import Unit

__all__ = ["MemoryPorts"]

READS, WRITES = 4, 8
"""Requests that have no whole answer yet, at most."""


class Read(NamedTuple):
    """A read request: word address, and words less one."""

    address: int
    beats: int


class Write(NamedTuple):
    """A write request."""

    address: int
    data: int
    strobe: int


class Port:
    """One direction: an arbiter, the register of the request, and the owners of what is under way.

    Parameters
    ----------
    inner, outer : str
        Names of the clients' streams and of the memory's.
    kind : type
        What a request is.
    depth : int
        Owners at most.
    """

    def __init__(self, inner: str, outer: str, kind: type[Read] | type[Write], depth: int) -> None:
        """Start in reset."""
        self.inner, self.outer, self.kind, self.depth = inner, outer, kind, depth
        self.arbiter = Arbiter(Requests(count=CLIENTS))
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()
        self.request: Read | Write | None = None
        self.owners: list[list[int]] = []

    @property
    def owner(self) -> int:
        """One-hot number of the client that is answered next, 0 if there is none."""
        return 1 << self.owners[0][0] if self.owners else 0

    @property
    def busy(self) -> bool:
        """Whether a request is offered or under way."""
        return self.request is not None or bool(self.owners)

    def client(self, inputs: Inputs) -> int:
        """Return who is granted in this cycle, -1: nobody."""
        valids = sum(1 << client for client in range(CLIENTS) if inputs.get(f"{self.inner}__{client}__valid"))
        return self.arbiter.grant(valids)

    def free(self, inputs: Inputs) -> bool:
        """Return whether a request is taken."""
        return (self.request is None or bool(inputs.get(f"{self.outer}__ready"))) and len(self.owners) != self.depth

    def show(self, inputs: Inputs) -> Outputs:
        """Return the outputs of the request's side."""
        free, client = self.free(inputs), self.client(inputs)
        outputs: Outputs = {
            f"{self.inner}__{number}__ready": int(free and number == client) for number in range(CLIENTS)
        }
        outputs[f"{self.outer}__valid"] = int(self.request is not None)
        for name in self.kind._fields:
            outputs[f"{self.outer}__{name}"] = getattr(self.request, name, None)
        return outputs

    def edge(self, inputs: Inputs, answered: bool) -> None:
        """Take the edge; ``answered``: a word, or an acknowledgement."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        free, client = self.free(inputs), self.client(inputs)
        if answered and self.owners:
            if self.owners[0][1]:
                self.owners[0][1] -= 1
            else:
                del self.owners[0]
        if free and client >= 0:
            self.arbiter.advance(client)
            self.request = self.kind(*(get(f"{self.inner}__{client}__{name}", 0) for name in self.kind._fields))
            self.owners.append([client, self.request.beats if isinstance(self.request, Read) else 0])
        elif get(f"{self.outer}__ready"):
            self.request = None


class MemoryPorts(Unit):
    """Twin of the memory ports.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reads = Port("reader", "read", Read, READS)
        self.writes = Port("writer", "write", Write, WRITES)

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return not (self.reads.busy or self.writes.busy)

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get = inputs.get
        data, done = bool(get("data__valid")), bool(get("done"))
        outputs: Outputs = {
            "served": self.reads.owner if data else 0,
            "word": get("data__word", 0) if data else None,
            "word_error": get("data__error", 0) if data else None,
            "written": self.writes.owner if done else 0,
            "write_error": get("done_error", 0) if done else None,
        }
        return outputs | self.reads.show(inputs) | self.writes.show(inputs)

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        self.reads.edge(inputs, bool(inputs.get("data__valid")))
        self.writes.edge(inputs, bool(inputs.get("done")))
