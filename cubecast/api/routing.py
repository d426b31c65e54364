"""Ways of messages: trees of the multicast router, packets of the crosspoint router."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.common.contract.parameters import plain
from cubecast.golden.crosspoint.algorithms.routes import faults_of
from cubecast.golden.crosspoint.algorithms.splitting import Plan, plan
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.algorithms.policy import Policy
from cubecast.golden.multicast.algorithms.route import route
from cubecast.golden.multicast.algorithms.tree import MulticastTree as Tree
from cubecast.options.usage import UsageError, check_seed
from cubecast.systems import config_name

__all__ = ["Plan", "Policy", "Tree", "route", "route_packets"]


def route_packets(
    config: CrosspointConfig,
    source: int,
    destinations: Iterable[int],
    *,
    faults: Iterable[int] = (),
    faulty_links: Iterable[tuple[int, int]] = (),
    policy: str = "e-cube",
    seed: int = 0,
) -> Plan:
    """Return the packets by which a crosspoint router's node sends one message, around faults.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    source : int
        Node that sends, a working one.
    destinations : iterable of int
        Nodes that get it; the source itself is left out.
    faults : iterable of int
        Faulty nodes.
    faulty_links : iterable of (int, int)
        Faulty links, by their two ends.
    policy : str
        Ways of unicasts: ``e-cube``, ``either``, ``random`` or ``valiant``.
    seed : int
        Of what the policy draws.

    Returns
    -------
    Plan
        ``packets``, each with its ``legs`` and ``destinations``; ``unreachable``, pairs of node and reason.

    Raises
    ------
    ValueError
        A parameter is out of range.

    Examples
    --------
    >>> found = route_packets(CrosspointConfig(dim=3), 0, [1, 3, 7])
    >>> [packet.destinations for packet in found.packets], found.unreachable
    ([(1, 3, 7)], ())
    """
    if not isinstance(config, CrosspointConfig):
        raise UsageError(f"config must be CrosspointConfig, not {config_name(type(config))}")
    around = faults_of(config.dim, faults, faulty_links)
    if (around.nodes or around.links) and not config.fault_tolerant:
        raise UsageError("faults and faulty_links must not be given without fault tolerance")
    seed = plain(seed)
    check_seed(seed)
    return plan(config, source, destinations, around, policy=policy, seed=seed)
