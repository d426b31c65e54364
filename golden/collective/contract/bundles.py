"""Bundles of ports between the units of a collective unit: what is in each, with its bits, and what goes back.

A port of a bundle is called ``<bundle>__<name>``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, HEADER

__all__ = ["COUNT_BITS", "DIMENSION_BITS", "Bundle", "bare", "bundle", "bundled", "ports"]

COUNT_BITS = 4
"""Bits of a number of pieces, of detours that end at a node, and of end credits."""

DIMENSION_BITS = 4
"""Bits of a dimension in a register."""


class Bundle(NamedTuple):
    """Names and bits of what the unit that gives a bundle puts out, and of what it is told."""

    forth: dict[str, int]
    back: dict[str, int]


def _command(config: CollectiveConfig) -> Bundle:
    """Registers: an operation begins; it is aborted."""
    return Bundle({"start": 1, "cut_short": 1}, {})


def _awaited(config: CollectiveConfig) -> Bundle:
    """Registers: whether it is a ring, and what is to come."""
    return Bundle({"ring": 1, "expected": ARGUMENT_BITS}, {})


def _own(config: CollectiveConfig) -> Bundle:
    """Registers: the node's own part in an operation."""
    n = config.dim
    lists = {"ends": COUNT_BITS * n, "send_dim": DIMENSION_BITS * n, "send_place": ARGUMENT_BITS * n}
    sends = {"sends": COUNT_BITS, "stage": HEADER["stage"], "way": HEADER["hops"], "detour": 1}
    return Bundle(
        {"result": 2, "empty": 1, "receive": n, **sends, "spread": n, "next_member": n, "own": 1, **lists}, {}
    )


def _relay(config: CollectiveConfig) -> Bundle:
    """Registers: the relay entries; without any only their number."""
    most = config.max_relays
    entries = {
        "relay_from": DIMENSION_BITS * most,
        "relay_to": DIMENSION_BITS * most,
        "relay_first": most,
        "relay_end": most,
    }
    return Bundle({"relays": 5, **(entries if most else {})}, {})


def _arrival(config: CollectiveConfig) -> Bundle:
    """Receiver: strobes, and the header of the message under way."""
    return Bundle({"head": 1, "word": 1, "message_end": 1, **HEADER, "argument": ARGUMENT_BITS}, {})


def _offer(config: CollectiveConfig) -> Bundle:
    """Receiver: the word that is there."""
    return Bundle({"offered": 1, "data": config.width, "last": 1, "error": 1}, {})


def _gathered(config: CollectiveConfig) -> Bundle:
    """Collector: what has come for the node itself; back: the credit that is used."""
    n = config.dim
    return Bundle(
        {"received": ARGUMENT_BITS, "credit": n, "highest": HEADER["hops"], "result_here": 1}, {"use_credit": n}
    )


def _passed(config: CollectiveConfig) -> Bundle:
    """Collector: what has come to be passed on; back: whether a piece may come, and the credits that are used."""
    n = config.dim
    forth = {"relay_credit": n, "end_credits": COUNT_BITS * n, "accept": 2, "accepted": 2}
    return Bundle(forth, {"relay_open": 1, "use_relay": n, "use_end": n})


def _store(config: CollectiveConfig) -> Bundle:
    """Pass sequencer: a word into the pass buffer; back: what is in it."""
    i = {"push": 1, "i_data": config.width, "i_last": 1, "i_final": 1, "i_error": 1}
    return Bundle(i, {"level": config.level_bits, "o_data": config.width, "o_last": 1, "o_final": 1, "o_error": 1})


def _request(config: CollectiveConfig) -> Bundle:
    """Sequencers: a segment that is to be sent; back: it is begun, it has been sent."""
    n = config.dim
    where = {"valid": 1, "distant": 1, "targets": n, "destination": n}
    return Bundle({**where, **HEADER, "argument": ARGUMENT_BITS, "body": 1}, {"granted": 1, "done": 1})


_BUNDLES = {
    "command": _command,
    "awaited": _awaited,
    "own": _own,
    "relay": _relay,
    "arrival": _arrival,
    "offer": _offer,
    "gathered": _gathered,
    "passed": _passed,
    "store": _store,
    "request": _request,
}


def bundle(config: CollectiveConfig, name: str) -> Bundle:
    """Return what is in a bundle with these parameters."""
    return _BUNDLES[name](config)


@functools.cache
def ports(config: CollectiveConfig, *names: str) -> dict[str, str]:
    """Return the ports of bundles by the names in them; of names in several bundles that of the first counts."""
    found: dict[str, str] = {}
    for name in names:
        forth, back = bundle(config, name)
        for each in (*forth, *back):
            found.setdefault(each, f"{name}__{each}")
    return found


def bundled(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return values by their ports, those of bundles by what :func:`ports` says."""
    return {names.get(name, name): value for name, value in values.items()}


def bare(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of ports by the names that they have in their bundles."""
    return dict(zip(_inside(*values), values.values(), strict=True))


@functools.cache
def _inside(*ports: str) -> tuple[str, ...]:
    """Return the names that ports have in their bundles."""
    parts = [(port, *port.partition("__")) for port in ports]
    return tuple(inside if name in _BUNDLES else port for port, name, _, inside in parts)
