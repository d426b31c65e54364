"""What a generated packet router is, in words and numbers: ports, packet format, registers, reason codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cubecast import __version__
from cubecast.cli.description import meaning as multicast_meaning
from cubecast.cli.description import ports_of
from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import NONE, PacketReason
from cubecast.golden.packet.contract.registers import plain

__all__ = ["describe", "meaning", "packet"]

_LINK = {
    "valid": "a head or a word is there; it is taken whenever it comes",
    "head": "it is a head",
    "data": "the head, or in the low bits the word",
    "ready": "a whole packet can be taken",
    "refusing": "a contrary packet can not be taken now",
    "line": "the line: start bits, head, and sync bits and word for every further word, high bit first",
    "hold": "the 1 of a start is repeated while this is 1; after the preheader: the contrary packet is refused",
}

_INJECT = {
    "valid": "a word is offered",
    "data": "the destination, then data words",
    "last": "it is the last word of its packet",
    "slots": "buffer slots that take it: one for a unicast, any for a broadcast",
    "ready": "bit j: slot j has room for a word; the word is taken when all slots that it is for have",
}

_EJECT = {
    "valid": "a word is offered",
    "data": "the destination, then the source word (slot in the high bits, source in the low ones), then data words",
    "last": "it is the last word of its packet",
    "error": "with last: the packet ended early, and this is no word",
    "ready": "the word is taken",
}

_REPORT = {
    "destination": "destination concerned, of a broadcast its source",
    "port": "dimension of the unit that reports",
    "lane": "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot",
}

_GROUPS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    (r"link_in__(\d+)__(\w+)", "link from dimension {0}: ", _LINK),
    (r"link_out__(\d+)__(\w+)", "link to dimension {0}: ", _LINK),
    (r"inject__?(\w+)", "from the node's processor: ", _INJECT),
    (r"eject__?(\w+)", "to the node's processor: ", _EJECT),
    (r"report__?(\w+)", "error report: ", _REPORT),
)


def meaning(port: str) -> str:
    """Return what a port is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    for pattern, text, members in _GROUPS:
        found = re.fullmatch(pattern, port)
        if found and found[found.lastindex or 0] in members:
            return text.format(*found.groups()) + members[found[found.lastindex or 0]]
    if re.match("link|inject|eject", port):
        raise KeyError(port)
    return multicast_meaning(port)


def packet(config: PacketConfig) -> dict[str, Any]:
    """Return the packet format: the fields of the head from the high bit down, and the words after it."""
    head = (
        ("contrary", 1, "the hop being made is not the one of fixed routing"),
        ("next_port", PORT_BITS, f"output wanted at the node that gets the head; {config.local}: its processor"),
        ("length", config.length_bits, f"words after the head, 1 to {config.max_words}"),
        ("destination", config.width, "node address; of a broadcast its source's"),
    )
    fields, low = [], config.head_bits
    for name, bits, text in head:
        low -= bits
        fields.append({"name": name, "low": low, "width": bits, "meaning": text})
    return {
        "word_bits": config.width,
        "head_bits": config.head_bits,
        "head": fields,
        "source_word": [
            {
                "name": "slot",
                "low": config.width - PORT_BITS,
                "width": PORT_BITS,
                "meaning": "buffer slot it came from",
            },
            {"name": "source", "low": 0, "width": config.dim, "meaning": "address of the source"},
        ],
        "most_data_words": config.max_words - 1,
        "injected": ["destination", "data ..."],
        "delivered": ["destination", "source word", "data ..."],
    }


def describe(
    name: str, unit: str, config: PacketConfig, inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> dict[str, Any]:
    """Return the description of a generated unit as plain values.

    Parameters
    ----------
    name : str
        Name of the Verilog module.
    unit : str
        ``packet_router`` or ``packet_network``.
    config : PacketConfig
        Its parameters.
    inputs, outputs : dict
        Port name to width in bits, the clock included.
    """
    packed = config.nodes if unit == "packet_network" else 0
    return {
        "name": name,
        "unit": unit,
        "version": __version__,
        "parameters": config.to_json(),
        "derived": {
            "nodes": config.nodes,
            "local_port": config.local,
            "no_port": NONE,
            "full_crossbar": config.contrary,
        },
        "ports": ports_of(inputs, outputs, meaning, packed),
        "packet": packet(config),
        "reasons": {reason.name: int(reason) for reason in PacketReason},
        "reason_meanings": {reason.name: meaning_of(reason) for reason in PacketReason},
        "registers": plain(config),
    }
