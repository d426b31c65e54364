"""Envelope list: messages without a receive, oldest first."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.block import SYSTEM_BIT
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Entry", "EnvelopeList", "Pattern"]


@dataclasses.dataclass(frozen=True)
class Entry:
    """A message of the list, by its number."""

    index: int
    source: int
    type: int
    length: int
    broadcast: int


ENTRY = tuple(field.name for field in dataclasses.fields(Entry))
"""Names of the ports of an entry."""

KNOWN = ("source", "broadcast")
"""Those that an entry which is held does not have: its source is its number, and it is a broadcast."""


class Pattern(NamedTuple):
    """What is searched for."""

    source: int
    any_source: int
    type: int
    any_type: int
    short: int


class EnvelopeList(Unit):
    """Twin of the envelope list.

    Parameters
    ----------
    config : NodeConfig
        Number and size of system buffers, number of nodes.
    held : bool
        Entries are broadcasts, and their numbers those of their sources; else those of buffers.

    Source: Buzzard 1988, section 5.1.1 (unclaimed messages).
    """

    def __init__(self, config: NodeConfig, held: bool = False) -> None:
        """Start in reset."""
        self.config, self.held = config, held
        self.count = config.nodes if held else max(1, config.buffers)
        self.reset()

    def reset(self) -> None:
        """Forget all messages."""
        self.entries: list[Entry] = []
        self.pattern: Pattern | None = None
        self.place = 0

    def fits(self, pattern: Pattern, entry: Entry) -> bool:
        """Return whether a pattern matches an entry."""
        low = SYSTEM_BIT if pattern.any_type else 0
        return (
            bool(pattern.any_source or pattern.source == entry.source)
            and pattern.type >> low == entry.type >> low
            and (not pattern.short or entry.length <= self.config.buffer_bytes)
        )

    @property
    def found(self) -> Entry | None:
        """The entry that a search has found in this cycle."""
        if self.pattern is None or self.missing or not self.fits(self.pattern, self.entries[self.place]):
            return None
        return self.entries[self.place]

    @property
    def missing(self) -> bool:
        """Whether a search has come to the end of the list in this cycle."""
        return self.pattern is not None and self.place == len(self.entries)

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.pattern is None

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        found = self.found
        names = [name for name in ENTRY if not (self.held and name in KNOWN)]
        return {
            "idle": int(self.pattern is None),
            "search__ready": int(self.pattern is None and not inputs.get("append")),
            "level": len(self.entries),
            "found": int(found is not None),
            "missing": int(self.missing),
            **{"message_type" if name == "type" else name: getattr(found, name, None) for name in names},
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
        elif self.pattern is not None:
            if outputs["found"]:
                del self.entries[self.place]
            self.place += 1
            if outputs["missing"] or outputs["found"]:
                self.pattern = None
        elif get("append"):
            entry = Entry(*(get(f"append_{name}", 0) for name in ENTRY))
            if self.held:
                entry = dataclasses.replace(entry, source=entry.index, broadcast=1)
            self.entries.append(entry)
        elif get("search__valid"):
            self.pattern, self.place = Pattern(*(get(f"search__{name}", 0) for name in Pattern._fields)), 0
