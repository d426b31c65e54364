"""Link pipe: the registers on a link, one way."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.units import Port
from cubecast.golden.crosspoint.contract.word import CONTEXTS, KIND_BITS, OPERATION_BITS

__all__ = ["LinkPipe", "Pipe", "link_fields"]

Item = TypeVar("Item")


class Pipe(Generic[Item]):
    """A row of registers; without any it is wires.

    Parameters
    ----------
    length : int
        Registers.
    idle : Item
        What they hold after reset.
    """

    def __init__(self, length: int, idle: Item) -> None:
        """Start in reset."""
        self.idle = idle
        self.items: deque[Item] = deque([idle] * length)

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.items = deque([self.idle] * len(self.items))

    def unlike(self, item: Item) -> bool:
        """Return whether some register holds anything else."""
        return any(held != item for held in self.items)

    def out(self, item: Item) -> Item:
        """Return what comes out in a cycle in which ``item`` goes in."""
        return self.items[0] if self.items else item

    def edge(self, item: Item) -> None:
        """Take the edge of a cycle in which ``item`` goes in."""
        if self.items:
            self.items.popleft()
            self.items.append(item)


def link_fields(config: Port, forward: bool, reduce: int = 0) -> dict[str, int]:
    """Return the fields of one direction of a link with their widths; ``reduce``: with so many join units."""
    router = config.router
    if not forward:
        flags = {"ready": True, "ready_up": router.runs == 2}
        flags |= {f"ready_r{context}": True for context in CONTEXTS[:reduce]}
        return {name: 1 for name, there_is_one in flags.items() if there_is_one}
    fields = {"push": router.dim + 1, "head": 1, "last": 1, "error": 1, "data": router.width, "r1": router.dim}
    fields |= {"r2": router.dim} if router.carries_r2 else {}
    fields |= {"kind": KIND_BITS} if router.multicast else {}
    fields |= {f"push_r{context}": 1 for context in CONTEXTS[:reduce]}
    fields |= {"rop": OPERATION_BITS} if reduce else {}
    return fields | ({"down": 1} if router.fault_tolerant else {})


class LinkPipe:
    """Twin of the link pipe: all fields of one direction together.

    Parameters
    ----------
    config : Port
        The router, and the number of the link.
    forward : bool
        Words and ``down``; otherwise the flags that go back.
    reduce : int
        Join units beside the router.
    """

    def __init__(self, config: Port, *, forward: bool, reduce: int = 0) -> None:
        """Start in reset."""
        router = config.router
        self.config = config
        self.fields = tuple(link_fields(config, forward, reduce))
        self.pipe = Pipe(router.forward if forward else router.backward, (0,) * len(self.fields))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        item = tuple(inputs.get(f"i__{name}", 0) for name in self.fields)
        outputs = self.pipe.out(item)
        if inputs.get("rst"):
            self.pipe.reset()
        else:
            self.pipe.edge(item)
        return {f"o__{name}": value for name, value in zip(self.fields, outputs, strict=True)}
