"""Vector memory: the vector of a node, its own at first and the result at last."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["VectorMemory"]


class VectorMemory:
    """Twin of the vector memory; it reads in the same cycle, what is written is there in the next. Nothing is reset.

    With ``memories`` = block it reads at the address given in the cycle before.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start with all words 0."""
        self.config = config
        self.words = [0] * config.max_vector
        self._address = 0

    def read(self, address: int) -> int:
        """Return the word at an address; beyond the memory, where no word is used, 0."""
        return self.words[address] if address < len(self.words) else 0

    def write(self, address: int, data: int) -> None:
        """Take the edge with ``write``; beyond the memory nothing is written."""
        if address < len(self.words):
            self.words[address] = data

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        address = get("read_address", 0)
        if self.config.reads_ahead:
            address, self._address = self._address, get("read_ahead", 0)
        outputs: Outputs = {"read_data": self.read(address) if address < len(self.words) else None}
        if get("write"):
            self.write(get("write_address", 0), get("write_data", 0))
        return outputs
