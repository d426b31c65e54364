"""Messages of a file for the crosspoint router, checked completely before anything is simulated."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from cubecast.golden.crosspoint.algorithms.routes import check_policy
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import KIND_BITS
from cubecast.options.usage import UsageError, shown
from cubecast.systems.messages import (
    LONGEST_RAW,
    Event,
    Planned,
    entries,
    everyone,
    only,
    other_nodes,
    whole,
    wholes,
)

__all__ = ["HELP", "CrosspointMessage", "check", "parse"]

KINDS = ("destinations", "subcube", "broadcast", "raw")
SIDE = ("r1", "r2", "kind")
HELP = """\
  Words have --width bits. A message may also go to
  "subcube"       {"base": NODE, "mask": BITS}: all nodes that differ from base in bits of mask alone
  "raw"           the words of one packet as they are injected, with "r1" and "r2", lists of dimensions (default none),
                  and "kind": 0 unicast, 1 subcube, 2 bitmap, 3 illegal (default 0)
  Messages longer than a packet are sent as several. Their source chooses the routes when their cycle has come, by
  --policy and around the faults of that cycle, over a relay if need be; what it cannot reach is an error: FAULTY,
  CUT_OFF or TWO_RELAYS. A message without data goes as one word, which is not shown.
  policies, of unicasts; all but the first need two runs and do not keep the order of messages:
    e-cube   dimensions in descending order
    either   in descending, or in ascending order, at random
    random   a random part of them in descending order, then the others in ascending order
    valiant  over a random node
"""
"""What this router has in a file of messages that others have not, for the help text."""

FIELDS = ("source", *KINDS, *SIDE, "data", "cycle")
SUBCUBE = ("base", "mask")


@dataclasses.dataclass(frozen=True, kw_only=True)
class CrosspointMessage(Planned):
    """One message of the file.

    Parameters
    ----------
    header : tuple of int, optional
        Of a raw packet: kind, r1 and r2.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (*Planned.OPTIONS, "header")

    header: tuple[int, int, int] | None = None


def check(config: CrosspointConfig, policy: str) -> None:
    """Raise ``ValueError`` for a routing policy that these routers have no use for."""
    check_policy(policy, config.runs)


def parse(
    values: object, config: CrosspointConfig, faults: frozenset[int]
) -> tuple[list[CrosspointMessage], list[Event]]:
    """Return the messages and the events that the content of a file stands for; errors as of :func:`entries`."""
    return entries(values, config, faults, _message, FIELDS, KINDS)


def _message(
    name: str, value: dict[str, Any], fixed: dict[str, Any], config: CrosspointConfig, faults: frozenset[int]
) -> CrosspointMessage:
    """Return one message."""
    source, most = fixed["source"], (1 << config.width) - 1
    if "raw" in value:
        words = wholes(f"{name}.raw", value["raw"], most, 1, LONGEST_RAW, "words")
        return CrosspointMessage(**fixed, data=words, header=_header(name, value, config))
    for field in SIDE:
        if field in value:
            raise UsageError(f"{name}.{field} must be given with raw only")
    data = wholes(f"{name}.data", value.get("data", []), most, 0, LONGEST_RAW, "words")
    if "destinations" in value:
        nodes = other_nodes(f"{name}.destinations", value["destinations"], config, source)
        named = tuple(sorted(set(nodes)))
        return CrosspointMessage(**fixed, data=data, destinations=named, expected=named, kind="list")
    nodes = everyone(config, source, faults)
    kind = "to all"
    if "subcube" in value:
        base, mask = _subcube(f"{name}.subcube", value["subcube"], config)
        nodes = tuple(node for node in nodes if not (node ^ base) & ~mask)
        kind = f"to the subcube {base} with free dimensions {[j for j in range(config.dim) if mask >> j & 1]}"
        if not {node for node in range(config.nodes) if not (node ^ base) & ~mask} - {source}:
            raise UsageError(f"{name}.subcube must hold another node than the source, not {source} alone")
        if not nodes:
            raise UsageError(f"{name}.subcube must hold a node that works besides the source, not faulty ones alone")
    return CrosspointMessage(**fixed, data=data, destinations=nodes, expected=nodes, kind=kind)


def _header(name: str, value: dict[str, Any], config: CrosspointConfig) -> tuple[int, int, int]:
    """Return kind, r1 and r2 of a raw packet."""
    kind = whole(f"{name}.kind", value.get("kind", 0), (1 << KIND_BITS) - 1)
    sets = (
        wholes(f"{name}.{field}", value.get(field, []), config.dim - 1, 0, config.dim, "dimensions")
        for field in ("r1", "r2")
    )
    r1, r2 = (sum(1 << dimension for dimension in set(dimensions)) for dimensions in sets)
    return kind, r1, r2


def _subcube(name: str, value: object, config: CrosspointConfig) -> tuple[int, int]:
    """Return base and mask of a subcube."""
    if not isinstance(value, dict):
        raise UsageError(f"{name} must be an object, not {shown(value)}")
    only(name, value, SUBCUBE)
    for field in SUBCUBE:
        if field not in value:
            raise UsageError(f"{name}.{field} must be given")
    base, mask = (whole(f"{name}.{field}", value[field], config.nodes - 1) for field in SUBCUBE)
    return base, mask
