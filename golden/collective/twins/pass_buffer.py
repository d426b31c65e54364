"""Pass buffer: what a node takes from one neighbour to pass it on to another."""

from __future__ import annotations

from collections import deque

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Entry", "PassBuffer"]

Entry = tuple[int, int, int, int]
"""One entry: data, last, final, error."""


class PassBuffer:
    """Twin of the pass buffer; an entry pushed in one cycle can be the oldest in the next.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start empty."""
        self.config = config
        self._depth = config.pass_depth
        self.entries: deque[Entry] = deque()

    def reset(self) -> None:
        """Empty the buffer."""
        self.entries.clear()

    @property
    def level(self) -> int:
        """Number of entries."""
        return len(self.entries)

    @property
    def head(self) -> Entry | None:
        """The oldest entry, None if there is none."""
        return self.entries[0] if self.entries else None

    def edge(self, clear: int, push: Entry | None, pop: int) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        clear : int
            Whether the buffer is emptied, whatever else there is.
        push : data, last, final and error, or None
            The new entry; a full buffer does not take it.
        pop : int
            Whether the oldest entry goes.
        """
        entries = self.entries
        if clear:
            entries.clear()
            return
        full = len(entries) == self._depth
        if pop and entries:
            entries.popleft()
        if push is not None and not full:
            entries.append(push)

    @by_bundles("store")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        outputs: Outputs = {"level": self.level}
        outputs |= zip(("o_data", "o_last", "o_final", "o_error"), self.head or (None,) * 4, strict=True)
        word = get("i_data", 0), get("i_last", 0), get("i_final", 0), get("i_error", 0)
        push = word if get("push") else None
        self.edge(get("clear", 0) | get("rst", 0), push, get("pop", 0))
        return outputs
