"""What is told of an operation that is recorded: its messages, as plain values, and their places in a recording.

A message is what one node sends another one in a stage of a merge, the result of a merge, that of a member of a ring,
or a credit. It has as many segments as it needs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cubecast.golden.collective.algorithms.group_ring import GroupRing
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, PART, Hop, MergePlan
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import Table, entries
from cubecast.golden.common.twins.ports import bits
from cubecast.tb.common.recording import NOBODY

__all__ = ["Messages", "called", "told_of_merge", "told_of_ring"]


def called(stage: int, hop: Hop) -> str:
    """Return what a message of a stage is called."""
    kind = {PART: f", part {hop.part + 1} of {hop.parts}", DETOUR: ", detour"}.get(hop.kind, "")
    return f"stage {stage}{kind}"


def told_of_merge(plan: MergePlan, *, everybody: bool) -> dict[str, Any]:
    """Return what is told of a merge; ``everybody``: the result goes to all who take part, not to the sink alone."""
    pieces = []
    for stage in plan.stages:
        for hop in stage.messages:
            about = {"what": called(stage.index, hop), "over": (hop.path[-2] ^ hop.receiver).bit_length() - 1}
            pieces.append({"source": hop.sender, "destinations": [hop.receiver], **about})
    sink = plan.tree.sink
    return {"pieces": pieces, "result": {"source": sink, "destinations": [*plan.members] if everybody else [sink]}}


def told_of_ring(ring: GroupRing) -> dict[str, Any]:
    """Return what is told of a ring."""
    return {"members": [*ring.ring]}


class Messages:
    """The messages of an operation, ``listed`` by their places in the recording.

    ``own`` and ``coming`` are the pieces that a node sends and gets, ``over`` the dimension of a piece's last link;
    ``result`` is that of a merge, ``member`` those of a ring by their origin. ``credit``, ``end_credit`` and
    ``relay_credit`` are what a node sends its neighbours, the neighbour of a dimension, and for a relay entry.
    :data:`NOBODY` stands for what there is none of.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    tables : mapping
        Register values by node.
    told : mapping
        Of :func:`told_of_merge` or :func:`told_of_ring`.
    """

    def __init__(self, config: CollectiveConfig, tables: Mapping[int, Table], told: Mapping[str, Any]) -> None:
        """Number them: pieces in the order of their stages, the result, credits by node."""
        self.listed: list[dict[str, Any]] = []
        self.own: dict[int, list[int]] = defaultdict(list)
        self.coming: dict[int, list[int]] = defaultdict(list)
        self.over: dict[int, int] = {}
        self.result = NOBODY
        self.credit: dict[int, int] = {}
        self.end_credit: dict[tuple[int, int], int] = {}
        self.relay_credit: dict[tuple[int, int], int] = {}
        for piece in told.get("pieces", ()):
            place = self._add(piece["source"], piece["destinations"], piece["what"])
            self.own[piece["source"]].append(place)
            self.coming[piece["destinations"][0]].append(place)
            self.over[place] = piece["over"]
        if "result" in told:
            self.result = self._add(**told["result"], what="result")
        members = told.get("members", ())
        others = {member: [other for other in members if other != member] for member in members}
        self.member = {member: self._add(member, others[member]) for member in members}
        layout = entries(config)
        for node, table in tables.items():
            self._credits(node, table, layout)
        # By node, where its pieces begin in its vector.
        self._begin = {
            node: [layout["SEND"].unpack(tables[node][f"SEND_{index}"])["place"] for index, _ in enumerate(own)]
            for node, own in self.own.items()
        }

    def _credits(self, node: int, table: Table, layout: Mapping[str, Any]) -> None:
        """Number the credits that a node gives."""
        if table["RECEIVE"]:
            to = [node ^ 1 << j for j in bits(table["RECEIVE"])]
            self.credit[node] = self._add(node, to, "credit")
        for name, value in table.items():
            if name.startswith("ENDS_") and value:
                j = int(name.removeprefix("ENDS_"))
                self.end_credit[node, j] = self._add(node, [node ^ 1 << j], "credit for the end of a detour")
        for entry in range(table["RELAYS"]):
            to = [node ^ 1 << layout["RELAY"].unpack(table[f"RELAY_{entry}"])["from"]]
            self.relay_credit[node, entry] = self._add(node, to, "credit for a detour")

    def _add(self, source: int, destinations: Iterable[int], what: str | None = None) -> int:
        """Number a message; return its place."""
        place = len(self.listed)
        about = {} if what is None else {"what": what}
        self.listed.append({"message": place, "source": source, "destinations": [*destinations], **about})
        return place

    def loaded(self, node: int, place: int) -> int:
        """Return the message that the word at a place of a node's vector goes to others in; the sink's: the result."""
        if node in self.member:
            return self.member[node]
        own: Sequence[int] = self.own.get(node, ())
        return own[bisect_right(self._begin[node], place) - 1] if own else self.result
