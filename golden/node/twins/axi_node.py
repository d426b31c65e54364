"""Packet node with AXI: registers and doorbells on AXI4-Lite, memory behind an AXI4 master."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_control import AxiControl
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.axi import registers
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Register
from cubecast.golden.node.twins.axi_memory import AxiMemory
from cubecast.golden.node.twins.packet_node import PacketNode

__all__ = ["AxiNode"]

REQUESTS = ("read", "write")
"""Streams from the node to its memory."""

INSIDE = ("doorbell__", "control__", "read__", "write__")
"""How the ports of the node begin that do not come out."""


class AxiNode:
    """Twin of the packet node with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: docs/node_units.md, docs/axi.md.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.node, self.memory = PacketNode(config), AxiMemory(config)
        self.slave = AxiControl(registers(config))
        self.bell: tuple[int, int] | None = None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, request, bell = inputs.get, self.slave.request(), self.bell
        number = request.address - Register.PLACES
        rings = bool(request.write) and 0 <= number < len(Instruction)
        shown = self.memory.show(inputs)
        instruction, address = bell or (0, 0)
        given = {
            **{name: value for name, value in inputs.items() if not name.startswith(("s_axi_", "m_axi_"))},
            "control__address": request.address,
            "control__write": int(bool(request.write) and not rings),
            "control__write_data": request.write_data,
            "doorbell__valid": int(bell is not None),
            "doorbell__instruction": instruction,
            "doorbell__address": address,
            **{name: shown[name] or 0 for name in shown if not name.startswith("m_axi_")},
        }
        outputs = self.node.step(given)
        asked = {name: value or 0 for name, value in outputs.items() if name.startswith(REQUESTS)}
        self.memory.edge({**inputs, **asked}, shown)
        held = {"s_axi_awvalid": 0, "s_axi_bready": 0} if bell is not None else {}
        lite = self.slave.step({**inputs, **held, "control__read_data": outputs["control__read_data"] or 0})
        if bell is not None:
            lite |= {"s_axi_awready": 0, "s_axi_bvalid": 0, "s_axi_bresp": None}
        if get("rst"):
            self.bell = None
        elif rings:
            self.bell = number, request.write_data
        elif outputs["doorbell__ready"]:
            self.bell = None
        return {
            **{name: value for name, value in outputs.items() if not name.startswith(INSIDE)},
            **{name: value for name, value in lite.items() if name.startswith("s_axi_")},
            **{name: value for name, value in shown.items() if name.startswith("m_axi_")},
        }
