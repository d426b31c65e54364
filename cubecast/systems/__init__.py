"""The systems, one object each. A new one is a folder here with ``SYSTEM``, and one line below."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cubecast.systems.system import Parameter, System, Unit

__all__ = ["SYSTEMS", "Parameter", "System", "Unit", "config_name", "system_of", "unit_named", "units"]

FOLDERS = (
    "multicast",
    "packet",
    "crosspoint",
    "adapter",
    "node",
    "collective",
    "reduction",
    "board",
)
"""Folders of this package, in the order in which systems are listed."""

SYSTEMS: dict[str, System] = {folder: import_module(f"cubecast.systems.{folder}").SYSTEM for folder in FOLDERS}
"""All systems, by name."""


def system_of(config: Any) -> System:
    """Return the system that a configuration belongs to.

    Raises
    ------
    ValueError
        It is none of a system.
    """
    for system in SYSTEMS.values():
        if type(config) is system.config:
            return system
    allowed = ", ".join(config_name(system.config) for system in SYSTEMS.values())
    raise ValueError(f"config must be one of {allowed}, not {config!r}")


def config_name(kind: type) -> str:
    """Return what a class of configurations is called where it is offered: MulticastConfig and so on."""
    names = {system.config: f"{system.name.capitalize()}Config" for system in SYSTEMS.values()}
    return names.get(kind, kind.__name__)


def units() -> dict[str, tuple[System, Unit]]:
    """Return what can be generated, by its name on the command line."""
    return {unit.called: (system, unit) for system in SYSTEMS.values() for unit in system.units}


def unit_named(system: System, name: str, *, axi: bool = False) -> Unit:
    """Return a unit of a system by its own name; with ``axi`` the one that it becomes with AXI ports.

    Raises
    ------
    ValueError
        There is none.
    """
    found = [unit.axi if axi else unit for unit in system.units if unit.name == name]
    if not found or found[0] is None:
        raise ValueError(f"unit must be one of {', '.join(unit.name for unit in system.units)}, not {name!r}")
    return found[0]
