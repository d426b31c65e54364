"""Collective node: a router with a collective unit at its local port."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.local_port import LocalPort
from cubecast.golden.collective.twins.unit import CollectiveUnit
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.twins.router import Router

__all__ = ["CollectiveNode"]

FIELDS = ("data", "last", "error")


class CollectiveNode:
    """Twin of the collective node.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset."""
        self.config = config
        self.router = Router(config.router)
        self.unit = CollectiveUnit(config)
        self.port = LocalPort(config)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, unit, port = inputs.get, self.unit, self.port
        if get("address", 0) != unit.address:
            unit.strap(get("address", 0))
        address, write, data = (get(f"collective__{name}", 0) for name in ("address", "write", "write_data"))
        unit.begin(get("vector_out__ready", 0), (address, write, data))
        offered = unit.injecting
        if not port.inject_unit:
            offered = (get("inject__data", 0), get("inject__last", 0), get("inject__error", 0))
            offered = offered if get("inject__valid") else None
        ready = unit.eject_ready if port.eject_unit else get("eject__ready", 0)
        local = dict(zip(FIELDS, offered or (0, 0, 0), strict=True)) | {"valid": int(offered is not None)}
        outputs = self.router.step(
            {**inputs, **{f"inject__{name}": value for name, value in local.items()}, "eject__ready": ready}
        )
        taken = outputs["inject__ready"] or 0
        came = None
        if outputs["eject__valid"]:
            came = outputs["eject__data"] or 0, outputs["eject__last"] or 0, outputs["eject__error"] or 0
        outputs["inject__ready"] = 0 if port.inject_unit else taken
        if port.eject_unit:
            outputs |= {"eject__valid": 0} | dict.fromkeys([f"eject__{name}" for name in FIELDS])
        unit.arrive(came if port.eject_unit else None)
        shown = unit.outputs_before() | unit.outputs_after()
        outputs |= {"collective__read_data": shown.pop("control__read_data"), **shown}
        if get("rst"):
            unit.reset()
            port.reset()
            return outputs
        enable = unit.registers.fields["enable"]
        word = (get("vector_in__data", 0), get("vector_in__last", 0)) if get("vector_in__valid") else None
        unit.edge(taken if port.inject_unit else 0, word, get("custom_result", 0))
        port.edge(
            enable,
            offered[1] if offered is not None and taken else None,
            came[1] if came is not None and ready else None,
        )
        return outputs
