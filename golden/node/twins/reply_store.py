"""Reply store: control packets that are to be sent."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op

__all__ = ["Reply", "ReplyStore"]


class Reply(NamedTuple):
    """What a control packet says, but for the kind of its stream."""

    op: int
    stop: int
    damaged: int
    ticket: int


Entry = dict[tuple[bool, int], Reply]
"""Replies to one source, by whether it is a rewind, and b; sorted so, the first goes first."""


class ReplyStore:
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

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        ready, put = self.cleared == self.config.nodes, bool(get("put__valid"))
        valid = ready and bool(self.queue) and not put
        source = self.queue[0] if valid else None
        key = min(self.entries[source]) if source is not None else None
        reply = self.entries[source][key] if source is not None and key is not None else None
        outputs: Outputs = {
            "ready": int(ready),
            "o__valid": int(valid),
            "o__source": source,
            "o__b": key[1] if key is not None else None,
            **{f"o__{name}": getattr(reply, name, None) for name in Reply._fields},
        }
        if get("rst"):
            self.reset()
            return outputs
        self.cleared += not ready
        if put:
            self._put(inputs)
        if source is not None and key is not None and get("o__ready"):
            del self.entries[source][key]
            del self.queue[0]
            if self.entries[source]:
                self.queue.append(source)
        return outputs

    def _put(self, inputs: Inputs) -> None:
        """Keep a reply."""
        get = inputs.get
        source, b, op = get("put__source", 0), get("put__b", 0), get("put__op", 0)
        rewind = op == Op.REWIND
        if not self.entries[source]:
            self.queue.append(source)
        said = (0, 0) if rewind else (get("put__stop", 0), get("put__damaged", 0))
        self.entries[source][rewind, b] = Reply(op, *said, get("put__ticket", 0))
