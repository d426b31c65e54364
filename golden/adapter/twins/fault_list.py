"""What an adapter knows of faults: hops that must not be taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["NO_ENTRY", "Entry", "Knowledge", "fault_input", "fault_outputs"]


class Entry(NamedTuple):
    """An entry of the list: the link of a node in a dimension, or the node."""

    valid: int = 0
    link: int = 0
    node: int = 0
    dimension: int = 0


NO_ENTRY = Entry()
"""An entry after reset."""


class Knowledge(NamedTuple):
    """What is known of faults in a cycle.

    Parameters
    ----------
    entries : sequence of Entry
        The list.
    cut : int
        Mask of the own links that are out of use.
    address : int
        Of the own node.
    """

    entries: Sequence[Entry] = ()
    cut: int = 0
    address: int = 0

    @property
    def any(self) -> bool:
        """Whether a fault is known."""
        return bool(self.cut) or any(entry.valid for entry in self.entries)

    def faulty(self, node: int) -> bool:
        """Return whether a node is in the list."""
        return any(entry.valid and not entry.link and entry.node == node for entry in self.entries)

    def bad(self, node: int, dimension: int) -> bool:
        """Return whether a fault is on the hop from a node in a dimension."""
        bit = 1 << dimension
        if self.cut & bit and not (node ^ self.address) & ~bit:
            return True
        for entry in self.entries:
            if not entry.valid:
                continue
            if entry.link:
                if entry.dimension == dimension and not (node ^ entry.node) & ~bit:
                    return True
            elif node ^ bit == entry.node:
                return True
        return False


def fault_input(config: AdapterConfig, inputs: Inputs) -> tuple[Entry, ...]:
    """Return the list from the ports of a unit."""
    get = inputs.get
    return tuple(Entry(*(get(f"fault__{i}__{name}", 0) for name in Entry._fields)) for i in range(config.fault_entries))


def fault_outputs(entries: Sequence[Entry]) -> Outputs:
    """Return the list as ports of a unit."""
    return {f"fault__{i}__{name}": value for i, entry in enumerate(entries) for name, value in entry._asdict().items()}
