"""What a generated unit of the collectives is, in words and numbers: ports, segments, registers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cubecast.golden.collective.contract import registers
from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import HEADER_WORDS, CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import plain
from cubecast.systems.description import LITE, REGISTERS, STREAM, Group, grouped, router
from cubecast.systems.driver import driver
from cubecast.systems.multicast import description as multicast
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing", "segment"]

_HERE = Path(__file__).parent

_WORDS = {
    "valid": "a word is offered",
    "data": "the word",
    "last": "it is the last word",
    "error": "with last: cut off by an abort; ignored at vector_in",
    "ready": "the word is taken",
}

_VECTORS = {
    "vector_in": "the node's own vector, or message of a ring: ",
    "vector_out": "the result, or a message of a ring with the address that it comes from before it: ",
}

_PORTS = {
    "busy": "an operation is under way",
    "failed": "in this operation, or the last one, a vector was too long or a message not whole",
    "enable": "the router's local port belongs to the collectives",
    "finished": "an operation ends",
    "custom_own": "the node's own word, while another one is merged into it",
    "custom_other": "the word that is merged into it",
    "custom_result": "what the operation custom makes of the two, in the same cycle",
}

_OWN = STREAM | {"tuser": "not looked at"}

_OWN = STREAM | {"tuser": "not looked at"}

_GROUPS: tuple[Group, ...] = (
    (r"s_axis_vector_(\w+)", "AXI4-Stream: the node's own vector, or message of a ring: ", _OWN),
    (r"m_axis_vector_(\w+)", "AXI4-Stream: the result, or a message of a ring: ", STREAM),
    (r"s_axi_collective_(\w+)", "AXI4-Lite, registers of the collectives: ", LITE),
)

_UNIT = {"inject": "to the router's injection port: ", "eject": "from the router's ejection port: "}


def meaning(port: str, unit: str) -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    if port in _PORTS:
        return _PORTS[port]
    found = re.fullmatch(r"(vector_in|vector_out|collective|control|inject|eject)_{1,2}(\w+)", port)
    if found:
        group, member = found.groups()
        if group in _VECTORS:
            return _VECTORS[group] + _WORDS[member]
        if group == "collective" or (group == "control" and unit == "collective_unit"):
            return "registers of the collectives: " + REGISTERS[member]
        if unit == "collective_unit":
            return _UNIT[group] + multicast.meaning(f"i__{member}").partition(": ")[2]
    return grouped(_GROUPS, port) or multicast.meaning(port)


def segment(config: CollectiveConfig) -> dict[str, Any]:
    """Return the format of a segment, the payload of a message between collective units."""
    fields = (
        ("kind", 0, 0, 3, "kind of the message"),
        ("final", 0, 3, 1, "it is the last segment of its piece"),
        ("stage", 0, 4, 4, "stage in which the sender is active"),
        ("hops", 0, 8, 8, "hops so far in this stage; of END_CREDIT: how many credits"),
        ("argument", 1, 0, 16, "place of the first word in the vector; of RING: origin; of credits: who gives it"),
    )
    return {
        "header_words": HEADER_WORDS,
        "most_words": config.segment,
        "fields": [
            {"name": name, "word": word, "low": low, "width": width, "meaning": text}
            for name, word, low, width, text in fields
        ],
        "kinds": {kind.name: int(kind) for kind in Kind},
    }


def derived(config: CollectiveConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return {
        "nodes": config.nodes,
        "local_port": config.router.local,
        "segment_words": config.segment,
        "pass_buffer_depth": config.pass_depth,
    }


def formats(unit: Unit, config: CollectiveConfig) -> dict[str, Any]:
    """Return the formats of messages and segments, and the registers of a unit."""
    return {
        "message": multicast.message(config.router),
        "segment": segment(config),
        "collective_registers": registers.plain(config),
        **(router(Reason, plain(config.router)) if unit.routes else {}),
    }


def headers(unit: Unit, config: CollectiveConfig, name: str) -> dict[str, str]:
    """Return the C files of a unit, by name; files and macros begin with ``name``."""
    vectors = [stream for stream in axi(config).streams if stream.port.startswith("vector")]
    driven = driver(
        name,
        "collective",
        "cubecast_collective",
        config.to_json(),
        registers.register_map(config),
        streams=vectors,
        folder=_HERE,
        numbers=False,
    )
    own = {f"{name}_collective_regs.h": registers.c_header(config, name), **driven}
    return own | multicast.headers(unit, config.router, name)


def missing(config: CollectiveConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied: 0, but ``down`` 1."""
    return multicast.missing(config.router)
