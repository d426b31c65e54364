"""Emitter: the words of the packets that are ordered, one in each cycle."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import tag_places
from cubecast.golden.adapter.twins.words import ORDER_FIELDS, Order, Word
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.golden.crosspoint.twins.flit import Head

__all__ = ["Emitted", "Emitter"]


class Emitted(NamedTuple):
    """What becomes of an order in a cycle.

    Parameters
    ----------
    ready : bool
        The order is taken.
    pop : bool
        A word of the packet that is sent on is taken.
    freed : bool
        Its bank is freed.
    """

    ready: bool = False
    pop: bool = False
    freed: bool = False


class Emitter:
    """Twin of the emitter.

    A cycle: :meth:`offer` finds the word for the router, :meth:`edge` takes the edge.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self._places = tag_places(config)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.place = 0

    def index(self, order: Order) -> int:
        """Return which word of the chunk is at ``place``; less than 0: what comes before."""
        return self.place - (2 if order.kind == Kind.BITMAP else 1)

    def tag(self, order: Order, address: int) -> int:
        """Return the tag of an own packet."""
        path = order.r2 if order.kind == Kind.UNICAST else 0
        values = {"source": address, "path": path}
        return sum(
            (values.get(name, getattr(order, name, 0)) & (1 << width) - 1) << low
            for name, (low, width) in self._places.items()
        )

    def offer(self, order: Order | None, word: int, passed: Word | None, address: int) -> Head | None:
        """Return the word that the router is offered.

        Parameters
        ----------
        order : Order, optional
            What is to be sent.
        word : int
            The word of its bank at :meth:`index`.
        passed : Word, optional
            The head of the relay store.
        address : int
            Of the node.
        """
        if order is None or not order.send:
            return None
        route = order.r1, order.r2, order.kind
        if order.relay:
            return Head(*(passed or Word()), *route)
        index = self.index(order)
        last = int(index == order.count - 1)
        data = word if index >= 0 else self.tag(order, address) if index == -1 else order.bitmap
        return Head(data, last, last and order.error, *route)

    def edge(self, order: Order | None, offered: Head | None, passed: Word | None, inject_ready: bool) -> Emitted:
        """Take the edge of a cycle; return what becomes of the order."""
        if order is None:
            return Emitted()
        moved = bool(inject_ready) if order.send else True
        if order.relay:
            ready = moved and passed is not None and bool(passed.last)
        else:
            ready = offered is None or (moved and bool(offered.last))
        if ready:
            self.place = 0
        elif offered is not None and inject_ready:
            self.place += 1
        return Emitted(ready, bool(order.relay) and moved, ready and bool(order.release))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        order = Order(*(get(f"order__{name}", 0) for name in ORDER_FIELDS)) if get("order__valid") else None
        passed = Word(*(get(f"relay__{name}", 0) for name in Word._fields))
        index = self.index(order) if order is not None and order.send and not order.relay else -1
        offered = self.offer(order, get("word", 0), passed, get("address", 0))
        done = self.edge(order, offered, passed, bool(get("inject__ready")))
        outputs: Outputs = {
            "order__ready": int(done.ready),
            "word_row": (order.bank << self.config.index_bits) + index if order is not None and index >= 0 else None,
            "relay_pop": int(done.pop),
            "freed": int(done.freed),
            "freed_bank": order.bank if order is not None and done.freed else None,
            "inject__valid": int(offered is not None),
        }
        outputs |= {f"inject__{name}": getattr(offered, name, None) for name in Head._fields}
        if get("rst"):
            self.reset()
        return outputs
