"""Reply store: control packets that are to be sent."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Reply", "ReplyStore"]


class Reply(NamedTuple):
    """What a control packet says, but for the kind of its stream."""

    op: int
    stop: int
    damaged: int
    ticket: int


Entry = dict[tuple[bool, int], Reply]
"""Replies to one source, by whether it is a rewind, and b; sorted so, the first goes first."""


class ReplyStore(Unit):
    """Twin of the reply store.

    Parameters
    ----------
    config : NodeConfig
        Number of nodes.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forget all replies; the entries are cleared one by one."""
        self.cleared = 0
        self.entries: list[Entry] = [{} for _ in range(self.config.nodes)]
        self.queue: list[int] = []

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.cleared == self.config.nodes and not self.queue

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        ready = self.cleared == self.config.nodes
        source = self.queue[0] if ready and self.queue and not inputs.get("put__valid") else None
        key = min(self.entries[source]) if source is not None else None
        reply = self.entries[source][key] if source is not None and key is not None else None
        return {
            "ready": int(ready),
            "o__valid": int(source is not None),
            "o__source": source,
            "o__b": key[1] if key is not None else None,
            **{f"o__{name}": getattr(reply, name, None) for name in Reply._fields},
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        self.cleared += not outputs["ready"]
        if get("put__valid"):
            self._put(inputs)
        elif outputs["o__valid"] and get("o__ready"):
            source = self.queue.pop(0)
            del self.entries[source][min(self.entries[source])]
            if self.entries[source]:
                self.queue.append(source)

    def _put(self, inputs: Inputs) -> None:
        """Keep a reply."""
        get = inputs.get
        source, b, op = get("put__source", 0), get("put__b", 0), get("put__op", 0)
        rewind = op == Op.REWIND
        if not self.entries[source]:
            self.queue.append(source)
        said = (0, 0) if rewind else (get("put__stop", 0), get("put__damaged", 0))
        self.entries[source][rewind, b] = Reply(op, *said, get("put__ticket", 0))
