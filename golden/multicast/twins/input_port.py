"""Input port: the address in a header word, and that address relative to this node."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config

__all__ = ["InputPort"]


class InputPort:
    """Twin of the input port; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.1, figure 6.4.
    """

    def __init__(self, config: Config) -> None:
        """Note the width of an address."""
        self.config = config
        self._dim = config.dim
        self._mask = config.nodes - 1

    def split(self, word: int) -> tuple[int, int]:
        """Return the address field of a word, and whether a bit above it is set."""
        return word & self._mask, int(word >> self._dim != 0)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        field, high = self.split(inputs.get("word", 0))
        return {"field": field, "relative": field ^ inputs.get("address", 0), "high": high}
