"""What ports, messages and registers of generated units of the multicast router are, in words and numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cubecast.golden.multicast.contract import self_test
from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import c_header, plain, register_map
from cubecast.systems.description import REPORT, Group, grouped, of_router, router, shared
from cubecast.systems.driver import driver
from cubecast.systems.system import Unit

__all__ = ["ALONE", "derived", "formats", "headers", "meaning", "message", "missing"]

_HERE = Path(__file__).parent

ALONE = ("start", "passed")
"""Ports of a network, besides clock and reset, that have no items."""

_WORDS = {
    "valid": "a word is offered",
    "data": "the word",
    "last": "it is the last word of its message",
    "error": "with last: the message was cut off",
    "ready": "the word is taken",
    "lane": "lane of the message",
    "down": "not part of the stream: the sender's bit of FAULT for this link",
}

_REPORT = REPORT | {
    "destination": "destination concerned, for COPY_CUT the neighbour; 0 for a malformed message and INPUT_CUT",
    "port": "port whose message handling unit reports",
    "lane": "lane of that unit",
}

_MEANINGS: tuple[tuple[str, str], ...] = (
    ("fault", "bit j = 1 when the link in dimension j is out of use"),
    ("inject", "strap: 1 when the input is the injection port"),
    ("no_lane", "bit j = 1 when a copy in dimension j would need a lane beyond the last"),
    ("cut", "1 when the link that the messages come from is out of use; injection port: 0"),
    ("free", "a whole message of maximum length can be taken"),
    ("start", "the first word of a message is taken"),
    (r"link_(in|out)__(\d+)__ready", "bit l: the receiver's lane l can take a whole message of maximum length"),
    ("eject_ready", "the node's processor takes the word"),
    ("test__?address", "registers of generator and checker: address"),
    ("test__?write", "registers of generator and checker: write in this cycle"),
    ("test__?write_data", "registers of generator and checker: value to write"),
    ("test__?read_data", "registers of generator and checker: the one addressed in the cycle before"),
)

_SELF_TEST = {
    "start": "let the generators begin to send",
    "idle": "the generator has nothing to send",
    "failed": "a message came in wrong",
    "passed": "everything that was sent since reset has arrived, once and unchanged, and nothing else",
    "missing": "deliveries that this node's messages must lead to, less those that it got",
    "difference": "the same of their signatures",
}
"""Meaning of the ports that only a self-test has, or that mean something else there."""

_GROUPS: tuple[Group, ...] = (
    (r"i__(\w+)", "message in: ", _WORDS),
    (r"o__(\d+)__(\w+)", "copy for port {0}: ", _WORDS),
    *of_router(link=_WORDS, inject=_WORDS, eject=_WORDS, report=_REPORT),
)


def meaning(port: str, unit: str = "") -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    if unit.startswith("self_test") and port in _SELF_TEST:
        return _SELF_TEST[port]
    for pattern, text in _MEANINGS:
        if re.fullmatch(pattern, port):
            return text
    return grouped(_GROUPS, port) or shared(port)


def message(config: Config) -> dict[str, Any]:
    """Return the message format: the words of a message in their order."""
    last = "Control" if config.fault_tolerant else "S"
    fields = [
        {
            "name": "k",
            "words": "1",
            "meaning": f"number of destinations; {config.broadcast_k}: broadcast, no destination words follow",
        },
        {"name": "D", "words": f"k; none when k = {config.broadcast_k}", "meaning": "destination addresses"},
        {
            "name": last,
            "words": "1",
            "meaning": (
                f"control vector: {config.nodes - 1} from the source when k > {config.max_dest}, else 0"
                if config.fault_tolerant
                else "address of the source"
            ),
        },
    ]
    if config.source_field:
        fields.append({"name": "S", "words": "1", "meaning": "address of the source"})
    fields.append({"name": "DATA", "words": f"0 to {config.max_data}", "meaning": "payload, ended by last"})
    delivered = [field["name"] for field in fields[2:]]
    return {
        "word_bits": config.width,
        "header_bits": config.dim,
        "fields": fields,
        "delivered": delivered,
        "multicaster": f"1 <= k <= {config.max_dest}",
        "listed_broadcast": f"{config.max_dest} < k <= {config.max_list}" if config.carries_lists else "none",
        "broadcast": f"k = {config.broadcast_k}",
    }


def derived(config: Config) -> dict[str, int]:
    """Return what follows from the parameters."""
    return {
        "nodes": config.nodes,
        "local_port": config.local,
        "message_handling_units_per_router": config.units,
        "lane_bits": config.lane_bits,
        "buffer_depth": config.buffer_depth,
    }


def formats(unit: Unit, config: Config) -> dict[str, Any]:
    """Return the format of messages, and the registers of a unit."""
    found = {"message": message(config), **router(Reason, plain(config) if unit.routes else None)}
    if unit.name.startswith("self_test"):
        found["test_registers"] = self_test.plain(config)
    return found


def headers(unit: Unit, config: Config, name: str) -> dict[str, str]:
    """Return the C files of a unit, by name; names and macros begin with ``name``."""
    if not unit.routes:
        return {}
    tests = unit.name.startswith("self_test")
    # A self-test keeps the local port of its router for itself.
    messages: dict[str, Any] = {} if tests else {"streams": axi(config).streams, "folder": _HERE}
    driven = driver(name, "router", "cubecast", config.to_json(), register_map(config), **messages)
    own = {f"{name}_test_regs.h": self_test.c_header(config, name)} if tests else {}
    return {f"{name}_regs.h": c_header(config, name), **driven, **own}


def missing(config: Config) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied: 0, but ``down`` 1."""
    if config.fault_tolerant:
        return "the router goes around it."
    return "no message may need it."
