"""From a group's ring to the values that the host writes into the registers of every node."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.collective.algorithms.group_ring import GroupRing
from cubecast.golden.collective.algorithms.merge_tables import blank
from cubecast.golden.collective.algorithms.ring_path import ring_path
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import Table, entries
from cubecast.golden.common.algorithms.address import check_integer

__all__ = ["ring_tables"]

ROUTED = "ascending"
"""Order of dimensions in which the routers take a unicast under the policy ``greedy``."""


def ring_tables(
    ring: GroupRing, config: CollectiveConfig, length: int, senders: Iterable[int] | None = None
) -> dict[int, Table]:
    """Return the register values of every node of a ring, for one circulation of messages.

    Each sender has one message, which goes round to all others. A node that is in the ring and no sender passes
    everything on: so a ring of all nodes along the Gray code can carry the messages of a group. A node's COMMAND,
    which starts it, has to be written last, and only when all nodes have their tables.

    Parameters
    ----------
    ring : GroupRing
        The ring. Its paths must be those that the routers take.
    config : CollectiveConfig
        Parameters of the nodes; the policy of the routers must be "greedy".
    length : int
        Words of every message, 0 to ``max_vector``; messages without words take none from ``vector_in``.
    senders : iterable of int
        The nodes that have a message; all of the ring if not given.

    Raises
    ------
    ValueError
        A value is out of range, a message would take another path than the ring's, or two paths share a link.
    """
    length = check_integer("length", length, 0, config.max_vector)
    if ring.dim != config.dim:
        raise ValueError(f"dim of the ring must be {config.dim}, that of the nodes, not {ring.dim}")
    if config.router.policy != "greedy":
        raise ValueError(f"policy must be greedy for a ring, not {config.router.policy}")
    if len(ring.ring) < 2:
        raise ValueError(f"ring must have at least 2 nodes, not {len(ring.ring)}")
    for path in ring.paths:
        if path != ring_path(path[0], path[-1], ROUTED):
            raise ValueError(f"order must be {ROUTED}, that in which the routers send, not {ring.order}")
    if not ring.disjoint:
        raise ValueError(f"paths must share no link, not {len(ring.proof.contended)} of them")
    own = set(ring.ring if senders is None else senders)
    if not own <= set(ring.ring):
        raise ValueError(f"senders must be nodes of the ring, not {min(own - set(ring.ring))}")
    layout = entries(config)
    command = layout["COMMAND"].pack(start=1, ring=1, empty=length == 0)
    tables = {}
    for node, following in ring.next_member.items():
        sends = node in own
        following_member = layout["NEXT"].pack(member=following, own=sends)
        ring_table = {"NEXT": following_member, "EXPECT": len(own) - sends, "COMMAND": command}
        tables[node] = blank(config) | ring_table
    return tables
