"""What a generated network for a board is, in words and numbers: ports, loads, and the line that it prints."""

from __future__ import annotations

from typing import Any

from cubecast.golden.board.contract.config import LOADS, BoardConfig
from cubecast.golden.board.contract.line import FIELDS, MARK, TEMPLATE
from cubecast.systems.crosspoint import description as crosspoint
from cubecast.systems.description import shared
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing"]

_PORTS = {
    "button": "1 while the button is pressed that steps the load; of any clock",
    "tx": "UART, eight bits, no parity, 1 between bytes",
    "alive": "changes with every line",
    "failed": "there was an error since the reset",
    "step": "which of the loads",
}


def meaning(port: str, unit: str) -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    return _PORTS.get(port) or shared(port)


def derived(config: BoardConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return crosspoint.derived(config.router) | {"longest_line_cycles": config.line_cycles}


def formats(unit: Unit, config: BoardConfig) -> dict[str, Any]:
    """Return the loads in percent, and the line with the name of each number in its place."""
    line = TEMPLATE.decode("latin-1")
    for place, name in enumerate(FIELDS):
        line = line.replace(chr(MARK + place), f"{{{name}}}")
    return {"loads": list(LOADS), "line": line}


def headers(unit: Unit, config: BoardConfig, name: str) -> dict[str, str]:
    """Return the C files of a unit, by name: none, for it has no registers."""
    return {}


def missing(config: BoardConfig) -> str:
    """Return what becomes of a link without a neighbour: all are inside."""
    return ""
