"""The description of a generated unit, in words and numbers: what is the same for all systems.

A system adds what its ports mean, what follows from its parameters, and its formats and registers.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from cubecast import LICENSE, __version__
from cubecast.golden.common.contract.axi import Axi
from cubecast.golden.common.contract.registers import meaning_of
from cubecast.systems import System, Unit
from cubecast.systems.system import CLOCKS

__all__ = [
    "LITE",
    "REGISTERS",
    "REPORT",
    "STREAM",
    "Group",
    "describe",
    "grouped",
    "of_router",
    "router",
    "shared",
    "tuser",
]

Group = tuple[str, str, Mapping[str, str]]
"""Pattern of a port's name, the words before the meaning, and the meanings of the members: the pattern's last group."""

REPORT = {
    "valid": "something was not delivered",
    "reason": "reason code",
    "ready": "the report is taken",
}
"""Members of an error report that mean the same in all systems."""

STREAM = {
    "tdata": "the word, in whole bytes; bits above the word are 0, or not looked at",
    "tvalid": "a word is offered",
    "tready": "the word is taken",
    "tlast": "it is the last word of its packet",
    "tuser": "error: with tlast, it was cut off",
}
"""Members of an AXI4-Stream."""

LITE = {
    "awaddr": "write address: byte offset of the register",
    "awprot": "ignored",
    "awvalid": "a write address is offered",
    "awready": "it is taken",
    "wdata": "value to write",
    "wstrb": "bytes to write; the others keep their value",
    "wvalid": "a value is offered",
    "wready": "it is taken",
    "bresp": "0 done, 2 no register there or only read",
    "bvalid": "a write is answered",
    "bready": "the answer is taken",
    "araddr": "read address: byte offset of the register",
    "arprot": "ignored",
    "arvalid": "a read address is offered",
    "arready": "it is taken",
    "rdata": "value of the register",
    "rresp": "0 done, 2 no register there",
    "rvalid": "a read is answered",
    "rready": "the answer is taken",
}
"""Members of an AXI4-Lite slave."""

REGISTERS = {
    "address": "register address",
    "write": "write in this cycle",
    "write_data": "value to write",
    "read_data": "register addressed in the cycle before",
}
"""Members of a register port."""

_SHARED = (
    ("aclk", "cycle; every register changes with its rising edge"),
    ("aresetn", "synchronous reset, active low"),
    ("clk", "cycle; every register changes with its rising edge"),
    ("rst", "synchronous reset, active high"),
    ("address", "strap: address of this node"),
    ("multiple_faults", "more than one link is out of use"),
    *((f"control__?{name}", f"control port: {text}") for name, text in REGISTERS.items()),
)


def of_router(
    *,
    link: Mapping[str, str],
    inject: Mapping[str, str],
    eject: Mapping[str, str],
    report: Mapping[str, str],
    sent: Mapping[str, str] = STREAM,
    delivered: Mapping[str, str] = STREAM,
) -> tuple[Group, ...]:
    """Return the ports that the routers of all systems have, with AXI ports too.

    Parameters
    ----------
    link, inject, eject, report : mapping
        What the members of these streams mean.
    sent, delivered : mapping
        What those of the AXI4-Streams to and from the router mean.
    """
    return (
        (r"link_in__(\d+)__(\w+)", "link from dimension {0}: ", link),
        (r"link_out__(\d+)__(\w+)", "link to dimension {0}: ", link),
        (r"inject__?(\w+)", "from the node's processor: ", inject),
        (r"eject__?(\w+)", "to the node's processor: ", eject),
        (r"report__?(\w+)", "error report: ", report),
        (r"s_axis_(\w+)", "AXI4-Stream from the node's processor: ", sent),
        (r"m_axis_(\w+)", "AXI4-Stream to the node's processor: ", delivered),
        (r"s_axi_(\w+)", "AXI4-Lite, registers: ", LITE),
    )


def shared(port: str) -> str:
    """Return what a port is for that the routers of all systems have.

    Raises
    ------
    KeyError
        There is no such port.
    """
    for pattern, text in _SHARED:
        if re.fullmatch(pattern, port):
            return text
    raise KeyError(port)


def grouped(groups: Sequence[Group], port: str) -> str | None:
    """Return what a port is for by the first of the groups that has it; None if none has."""
    for pattern, text, members in groups:
        found = re.fullmatch(pattern, port)
        if found and found[found.lastindex or 0] in members:
            return text.format(*found.groups()) + members[found[found.lastindex or 0]]
    return None


def ports_of(
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    meaning: Callable[[str], str],
    nodes: int = 0,
    alone: Collection[str] = CLOCKS,
) -> list[dict[str, Any]]:
    """Return the description of all ports.

    Parameters
    ----------
    inputs, outputs : dict
        Port name to width in bits, the clock included.
    meaning : function
        Returns what a port means.
    nodes : int
        Nodes that have an item in each port; 0: there is but one node.
    alone : collection of str
        Ports that have no items.
    """
    ports = []
    for direction, group in (("input", inputs), ("output", outputs)):
        for port, width in group.items():
            text = meaning(port)
            if nodes and port not in alone:
                text += f"; item v of {width // nodes} bits belongs to node v"
            ports.append({"name": port, "direction": direction, "width": width, "meaning": text})
    return ports


def router(codes: type[enum.IntEnum], registers: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return reason codes and registers of a router; None: what is described has no registers."""
    found: dict[str, Any] = {
        "reasons": {reason.name: int(reason) for reason in codes},
        "reason_meanings": {reason.name: meaning_of(reason) for reason in codes if reason},
    }
    return found if registers is None else found | {"registers": registers}


def tuser(unit: Unit, axi: Axi) -> dict[str, Any]:
    """Return, of a unit with AXI ports, the fields of ``tuser`` of its streams; else nothing."""
    if not unit.extra.get("axi_clock"):
        return {}
    return {
        "tuser": {
            stream.prefix: [{"name": name, "low": part.low, "width": part.bits} for name, part in stream.user.items()]
            for stream in axi.streams
        }
    }


def describe(
    system: System,
    unit: Unit,
    config: Any,
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    *,
    name: str,
    command: str,
) -> dict[str, Any]:
    """Return the description of a generated unit as plain values.

    Parameters
    ----------
    system : System
        Whose unit it is.
    unit : Unit
        Which.
    config : configuration
        Its parameters.
    inputs, outputs : dict
        Port name to width in bits, the clock included.
    name : str
        Name of the Verilog module.
    command : str
        The command that generates it.
    """
    own = system.description
    alone = (*unit.clocks, *getattr(own, "ALONE", ()))
    return {
        "name": name,
        "unit": unit.name,
        "license": LICENSE,
        "version": __version__,
        "command": command,
        "parameters": config.to_json(),
        "derived": own.derived(config),
        "ports": ports_of(
            inputs, outputs, lambda port: own.meaning(port, unit.name), config.nodes if unit.cube else 0, alone
        ),
        **own.formats(unit, config),
    }
