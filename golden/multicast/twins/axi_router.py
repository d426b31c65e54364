"""Router with AXI4-Stream local ports and an AXI4-Lite control port: a router and an AXI4-Lite slave, wired."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_control import AxiControl
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.router import Router

__all__ = ["AxiRouter"]

_STREAM = {"data": "tdata", "last": "tlast", "error": "tuser", "valid": "tvalid"}


class AxiRouter:
    """Twin of the router with AXI ports, in the clock domain ``clk``, ``rst``.

    ``router`` and ``registers`` are the twins inside. Nothing takes longer than in the router itself.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node, before its port says otherwise.

    Source: Lan 1988, section 6.3; docs/axi.md.
    """

    def __init__(self, config: Config, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.router = Router(config, address)
        self.registers = AxiControl(config.control)
        self._mask = (1 << config.width) - 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        request = self.registers.request()
        inside = dict(inputs)
        for name, axi in _STREAM.items():
            inside[f"inject__{name}"] = inputs.get(f"s_axis_{axi}", 0)
        inside["inject__data"] &= self._mask
        inside["eject__ready"] = inputs.get("m_axis_tready", 0)
        for name, value in request._asdict().items():
            inside[f"control__{name}"] = value
        outputs = self.router.step(inside)
        read_data = outputs.pop("control__read_data") or 0
        outputs["s_axis_tready"] = outputs.pop("inject__ready")
        for name, axi in _STREAM.items():
            outputs[f"m_axis_{axi}"] = outputs.pop(f"eject__{name}")
        if outputs["m_axis_tlast"] == 0:
            outputs["m_axis_tuser"] = 0
        slave = self.registers.step({**inputs, "control__read_data": read_data})
        outputs |= {name: value for name, value in slave.items() if name.startswith("s_axi_")}
        return outputs
