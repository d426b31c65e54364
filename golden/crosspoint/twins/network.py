"""Crosspoint network: a hypercube of 2**n crosspoint routers."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.common.twins.ports import Inputs
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CONTEXTS, KIND_BITS, OPERATION_BITS
from cubecast.golden.crosspoint.twins.flit import IDLE
from cubecast.golden.crosspoint.twins.router import CrosspointRouter

__all__ = ["CrosspointNetwork", "links_of"]


def links_of(config: CrosspointConfig, *, reduce: int = 0) -> dict[str, Any]:
    """Return what a :class:`Cube` has to know of links of crosspoint routers, with so many join units beside each."""
    n = config.dim
    link = {"push": n + 1, "head": 1, "last": 1, "error": 1, "data": config.width, "r1": n}
    link |= {"r2": n * config.carries_r2, "kind": KIND_BITS * config.multicast}
    back = {"ready": 1, "ready_up": int(config.runs == 2)}
    return {
        "link": {
            **link,
            "push_r": int(reduce > 0),
            "rop": OPERATION_BITS * (reduce > 0),
            "push_r_1": int(reduce > 1),
        },
        "back": {**back, **{f"ready_r{context}": 1 for context in CONTEXTS[:reduce]}},
        "down": config.fault_tolerant,
        "idle": IDLE,
    }


class CrosspointNetwork(Cube[CrosspointRouter]):
    """Twin of the crosspoint network, a :class:`Cube`.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: CrosspointConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        n, word = config.dim, {"data": config.width, "last": 1, "error": 1}
        super().__init__(
            [CrosspointRouter(config, address=node) for node in range(config.nodes)],
            config,
            inject={"valid": 1, **word, "r1": n, "r2": n, "kind": KIND_BITS},
            eject={**word, "kind": KIND_BITS},
            probe=probe,
            **links_of(config),
        )

    def _speaking(self, inputs: Inputs) -> int:
        """Return where a word is offered, or a packet has begun, whose error tail takes what is on the wires."""
        begun = sum(bool(router.injection.inside) << node for node, router in enumerate(self.routers))
        return inputs.get("inject_valid", 0) | begun
