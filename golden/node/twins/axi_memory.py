"""AXI4 master for the word ports of node memory."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["AxiMemory"]

PAGE = 1024
"""Words of 4 KB, which no burst crosses."""

MEMORY = 1 << 30
"""Words of node memory."""


class AxiMemory(Unit):
    """Twin of the AXI4 master.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: AMBA AXI4; docs/node_units.md.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.bursts: list[tuple[int, int]] = []
        self.asked: int | None = None
        self.given: tuple[int, int] | None = None

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing, as long as nothing comes in."""
        return not self.bursts and self.asked is None and self.given is None

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get = inputs.get
        address, beats = self.bursts[0] if self.bursts else (None, None)
        data, strobe = self.given if self.given is not None else (None, None)
        comes, done = get("m_axi_rvalid", 0), get("m_axi_bvalid", 0)
        outputs: Outputs = {
            "read__ready": int(not self.bursts),
            "data__valid": comes,
            "data__word": get("m_axi_rdata", 0) if comes else None,
            "data__error": int(get("m_axi_rresp", 0) != 0) if comes else None,
            "write__ready": int(
                (self.asked is None or bool(get("m_axi_awready"))) and (self.given is None or bool(get("m_axi_wready")))
            ),
            "done": done,
            "done_error": int(get("m_axi_bresp", 0) != 0) if done else None,
            "m_axi_rready": 1,
            "m_axi_bready": 1,
            "m_axi_wvalid": int(self.given is not None),
            "m_axi_wdata": data,
            "m_axi_wstrb": strobe,
            "m_axi_wlast": None if self.given is None else 1,
        }
        for channel, place, more in (("ar", address, beats), ("aw", self.asked, 1)):
            there = place is not None
            fields = {"id": 0, "addr": 4 * (place or 0), "len": (more or 1) - 1, "size": 2, "burst": 1}
            outputs[f"m_axi_{channel}valid"] = int(there)
            outputs |= {f"m_axi_{channel}{name}": value if there else None for name, value in fields.items()}
        return outputs

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        if self.bursts:
            if get("m_axi_arready"):
                del self.bursts[0]
        elif get("read__valid"):
            address, words = get("read__address", 0), get("read__beats", 0) + 1
            first = min(words, PAGE - address % PAGE)
            self.bursts = [(address, first)]
            if first < words:
                self.bursts.append(((address + first) % MEMORY, words - first))
        if outputs["write__ready"] and get("write__valid"):
            self.asked, self.given = get("write__address", 0), (get("write__data", 0), get("write__strobe", 0))
            return
        if get("m_axi_awready"):
            self.asked = None
        if get("m_axi_wready"):
            self.given = None
