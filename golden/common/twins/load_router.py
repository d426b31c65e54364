"""What load routers of all systems have in common: a load node, a router, and what stands between them."""

from __future__ import annotations

from typing import Any, NamedTuple

from cubecast.golden.common.contract.load import LoadShape
from cubecast.golden.common.twins.load_node import Came, LoadNode, Offer
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["NOTHING", "AnyLoadRouter", "Injected", "LoadPort"]

HIDDEN = ("inject__", "eject__", "multiple_faults")
"""Ports of a router that stay inside."""


class Injected(NamedTuple):
    """What a router is offered in a cycle.

    Parameters
    ----------
    word : dict
        Fields of its injection port.
    ready : int
        Whether it takes the word.
    heading : int
        The word is one of the router's own, and none of the load node's.
    """

    word: dict[str, int]
    ready: int
    heading: int


NOTHING = Injected({}, 0, 0)


class LoadPort:
    """What stands between a load node and its router: nothing; a router with words of its own derives from it."""

    def reset(self) -> None:
        """Set all registers to their reset values."""

    def inject(self, address: int, offered: Offer, ready: int) -> Injected:
        """Return what the router is offered, of the word of the load node and the router's ``inject_ready``."""
        return Injected(offered._asdict(), ready, 0)

    def edge(self, offered: Offer, injected: Injected) -> None:
        """Take the edge of a cycle in which the load node offers a word."""


class AnyLoadRouter:
    """Twin of the load router of any system.

    Parameters
    ----------
    shape : LoadShape
        What the router takes.
    router : router
        Its twin.
    port : LoadPort
        What stands between.
    """

    def __init__(self, shape: LoadShape, router: Any, port: LoadPort) -> None:
        """Start in reset."""
        self.router = router
        self.node = LoadNode(shape)
        self.port = port

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, node, router = inputs.get, self.node, self.router
        node.address = get("address", 0)
        node.adopt(inputs)
        load = get("load", 0)
        offered = node.offer(load)
        injected = NOTHING
        if offered is not None:
            injected = self.port.inject(node.address, offered, router.inject_ready)
        words = {f"inject__{name}": value for name, value in injected.word.items()}
        ports = router.step({**inputs, **words, "inject__valid": int(offered is not None), "eject__ready": 1})
        outputs = {name: value for name, value in ports.items() if not name.startswith(HIDDEN)}
        came = Came(*(ports.get(f"eject__{name}", 0) for name in Came._fields)) if ports["eject__valid"] else None
        _, ready, heading = injected
        outputs |= node.outputs(load, offered, ready, int(node.shows(came)), heading)
        if get("rst"):
            node.reset()
            self.port.reset()
            return outputs
        node.edge(load, get("enable", 0), offered, ready, heading)
        node.take(came)
        if offered is not None:
            self.port.edge(offered, injected)
        return outputs
