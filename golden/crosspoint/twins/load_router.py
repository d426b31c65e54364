"""Load router: a crosspoint router with a load node at its ports."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.twins.flit import Head
from cubecast.golden.crosspoint.twins.load_node import LoadNode
from cubecast.golden.crosspoint.twins.router import CrosspointRouter

__all__ = ["LoadRouter"]


class LoadRouter:
    """Twin of the load router.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    router : twin, optional
        The router, if it is another one than a crosspoint router alone.
    """

    def __init__(self, config: CrosspointConfig, router: Any = None) -> None:
        """Start in reset."""
        self.router = router or CrosspointRouter(config)
        self.node = LoadNode(config)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, node, router = inputs.get, self.node, self.router
        node.address = get("address", 0)
        node.adopt(inputs)
        load, ready, came = get("load", 0), router.inject_ready, router.ejected
        offered = node.offer(load)
        words = {f"inject__{name}": value for name, value in zip(Head._fields, offered or (), strict=False)}
        ports = router.step({**inputs, **words, "inject__valid": int(offered is not None), "eject__ready": 1})
        hidden = ("inject__", "eject__", "multiple_faults")
        outputs = {name: value for name, value in ports.items() if not name.startswith(hidden)}
        outputs |= node.outputs(load, offered, ready, int(came is not None))
        if get("rst"):
            node.reset()
            return outputs
        node.edge(load, get("enable", 0), offered, ready)
        node.take(None if came is None else Head(came.data, came.last, came.error, kind=came.kind))
        return outputs
