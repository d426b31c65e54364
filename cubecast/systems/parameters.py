"""The options that make a configuration of a system."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable
from typing import Any

from cubecast.golden.common.contract.units import MEMORIES
from cubecast.options.arguments import integer
from cubecast.options.usage import UsageError, checked
from cubecast.systems import SYSTEMS, Parameter, System, Unit, units
from cubecast.systems.system import DEFAULT, PRESETS

__all__ = [
    "add_config",
    "add_extensions",
    "add_parameters",
    "add_unit",
    "config_of",
    "faulty_nodes",
    "given_parameters",
    "playing_of",
    "unit_of",
]

SHARED = ("dim", "width", "log_depth", "counters", "memories")
"""Parameters that all routers have."""


def add_config(
    parser: argparse.ArgumentParser,
    systems: Iterable[System] = (),
    *,
    played: bool = False,
    fixed: Container[str] = (),
) -> None:
    """Add the options that make the configuration of a router of these systems, or of all of them.

    Parameters
    ----------
    parser : ArgumentParser
        Gets them.
    systems : iterable of System
        Whose; none: of all.
    played : bool
        Those of their playbacks too.
    fixed : container of str
        Without ``log_depth`` and ``counters`` if they are among these: the command has values of its own for them.
    """
    routers = [system for system in systems or SYSTEMS.values() if system.base is None]
    whole = dict[str, Any](type=integer, metavar="N")
    group = parser.add_argument_group("parameters of all routers")
    group.add_argument("--dim", **whole, required=True, help="dimension n of the cube, 2 to 10")
    group.add_argument(
        "--width",
        **whole,
        help="; ".join(system.width for system in routers if system.width),
    )
    group.add_argument(
        "--preset",
        choices=PRESETS,
        default=DEFAULT,
        help="values of what is not given: small for few LUTs, full for all that fits (default: %(default)s)",
    )
    group.add_argument("--fault-tolerant", action="store_true", help="fault vector, with the preset small too")
    fault = group.add_mutually_exclusive_group()
    fault.add_argument(
        "--fault-free",
        action="store_true",
        help="no fault vector; in the multicast router, header ends with S instead of Control",
    )
    if "log_depth" not in fixed:
        group.add_argument("--log-depth", **whole, help="entries of the error log, 0 to 256; 0: no log (default 16)")
    if "counters" not in fixed:
        group.add_argument(
            "--counters",
            type=_counters,
            metavar="{none,8,16,32}",
            help="bits of the counters, which wrap; none: no counters (default 32)",
        )
    group.add_argument(
        "--memories",
        choices=MEMORIES,
        help="distributed: read asynchronously, as LUT RAMs can be (default); block: at the edge, as block RAMs are, "
        "which all FPGAs have; the cycles are the same",
    )
    added: dict[str, argparse.Action] = {}
    for system in routers:
        group = parser.add_argument_group(system.title)
        for parameter in _options(system, played):
            if parameter.name in added:
                action = added[parameter.name]
                action.choices = (*(action.choices or ()), *parameter.choices)
                action.help = f"{action.help}; {system.name}: {parameter.help}"
            else:
                added[parameter.name] = _add(group if parameter.without_faults else fault, parameter)


def _options(system: System, played: bool) -> tuple[Parameter, ...]:
    """Return the parameters of a system's own; with ``played`` those of its playback too."""
    return system.parameters + (system.playing if played else ())


def _counters(text: str) -> int:
    """Return the width that the value of ``--counters`` stands for."""
    return 0 if text == "none" else integer(text)


def add_extensions(parser: argparse.ArgumentParser) -> None:
    """Add the options of the systems that stand beside the router of another one."""
    for system in SYSTEMS.values():
        if system.base is not None:
            add_parameters(parser, system)


def add_unit(parser: argparse.ArgumentParser, help: str) -> None:
    """Add the choice of a unit, and whether it has AXI ports."""
    parser.add_argument("unit", choices=units(), help=help)
    parser.add_argument(
        "--axi",
        action="store_true",
        help=f"{', '.join(_with_axi())}: AXI4-Stream local ports, AXI4-Lite registers, aclk, aresetn",
    )


def unit_of(arguments: argparse.Namespace) -> tuple[Unit, Any]:
    """Return the unit that :func:`add_unit` asked for, and its configuration.

    Raises
    ------
    UsageError
        There is no such configuration, or the unit has no AXI ports.
    """
    system, unit = units()[arguments.unit]
    config = config_of(arguments, system, arguments.unit)
    if arguments.axi and unit.axi is None:
        raise UsageError(f"axi must be given with one of {', '.join(_with_axi())}, not with {arguments.unit}")
    return unit, config


def _with_axi() -> list[str]:
    """Return the names of the units that can have AXI ports."""
    return [called for called, (_, unit) in units().items() if unit.axi]


def add_parameters(parser: argparse.ArgumentParser, system: System) -> argparse._ArgumentGroup:
    """Add the options of a system's own parameters, and return their group."""
    group = parser.add_argument_group(system.title)
    for parameter in system.parameters:
        _add(group, parameter)
    return group


def _add(group: Any, parameter: Parameter) -> argparse.Action:
    """Add the option of a parameter, and return it."""
    kind: dict[str, Any] = {"type": integer, "metavar": "N"}
    if parameter.flag:
        kind = {"action": "store_const", "const": not parameter.off, "dest": parameter.name}
    elif parameter.choices:
        kind = {"choices": parameter.choices}
    names = [f"--{name}" for name in (parameter.option, parameter.also) if name]
    action: argparse.Action = group.add_argument(*names, **kind, help=parameter.help)
    return action


def config_of(arguments: argparse.Namespace, system: System, called: str = "", *, played: bool = False) -> Any:
    """Return the configuration of a system that the options ask for.

    Parameters
    ----------
    arguments : Namespace
        With the options of :func:`add_config`, and those of :func:`add_extensions` if there are any.
    system : System
        Whose.
    called : str
        What it is for, as the user has called it.
    played : bool
        Whether the options of playbacks are there too; their values are in :func:`playing_of`.

    Raises
    ------
    UsageError
        A parameter is out of range, or one of another system.
    """
    router, given = system.router, given_parameters(arguments)
    if arguments.fault_tolerant and arguments.fault_free:
        raise UsageError("fault_tolerant must be given without fault_free")
    routers = [other for other in SYSTEMS.values() if other.base is None]
    allowed = {parameter.name for parameter in _options(router, played)}
    for parameter in (parameter for other in routers for parameter in _options(other, played)):
        if parameter.name in given and parameter.name not in allowed:
            users = [other.name for other in routers if parameter.name in {p.name for p in _options(other, played)}]
            raise _of_others(parameter.option, users, router)
    for parameter in (*router.parameters, *system.parameters):
        # -1 is the mark of a default inside the configuration, and no value of an option.
        if parameter.marked and given.get(parameter.name) == -1:
            wanted = "an integer from 0 on" if parameter.zero else "a positive integer"
            raise UsageError(f"{parameter.name} must be {wanted}, not -1")
    asked = given
    if arguments.fault_tolerant or arguments.fault_free:
        asked = given | {"fault_tolerant": arguments.fault_tolerant}
    for name in (*SHARED, "fault_tolerant"):
        if name in asked and name not in router.config.names():
            option = "fault-free" if arguments.fault_free else name.replace("_", "-")
            raise _of_others(option, [other.name for other in routers if name in other.config.names()], router)
    if arguments.preset != DEFAULT:
        asked = _preset(system, arguments.preset, asked)
    names = {*SHARED, "fault_tolerant", *(parameter.name for parameter in router.parameters)}
    config = checked(router.config, **{name: value for name, value in asked.items() if name in names})
    for other in SYSTEMS.values():
        for parameter in other.parameters if other.base is not None and other is not system else ():
            if parameter.name in given:
                one = f"{'an' if other.name[0] in 'aeiou' else 'a'} {other.name} unit"
                raise UsageError(f"{parameter.option} must be given with {one} only, not with {called}")
    if system is router:
        return config
    own = {parameter.name: asked[parameter.name] for parameter in system.parameters if parameter.name in asked}
    return checked(system.config, router=config, **own)


def _of_others(option: str, users: list[str], router: System) -> UsageError:
    """Return the error of an option that the routers of other systems have."""
    which = f"{' and '.join(users)} router{'s' if len(users) > 1 else ''}"
    return UsageError(f"{option} must be given with the {which} only, not with the {router.name} router")


def playing_of(arguments: argparse.Namespace, system: System, config: Any) -> dict[str, Any]:
    """Return what a system's playback takes besides messages and faults, as far as it is given.

    Raises
    ------
    UsageError
        It is not one of the system's words, or the configuration has no use for it.
    """
    found = {}
    for parameter in system.playing:
        value = getattr(arguments, parameter.name)
        if value is not None:
            if parameter.choices and value not in parameter.choices:
                allowed = f"one of {', '.join(parameter.choices)} with the {system.name} router"
                raise UsageError(f"{parameter.option} must be {allowed}, not {value!r}")
            found[parameter.name] = value
    if found:
        checked(system.messages.check, config, **found)
    return found


def _preset(system: System, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a preset, with those given in their place."""
    if name not in system.presets:
        raise UsageError(f"preset must be {DEFAULT} with the {system.name} router, not {name!r}")
    values = system.presets[name](given["dim"], given)
    if given.get("fault_tolerant") is False:
        # The fault-free header names the source anyway.
        values.pop("source_field", None)
    return values | given


def given_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of all systems that have been given a value."""
    names = (*SHARED, *(parameter.name for system in SYSTEMS.values() for parameter in system.parameters))
    values = {name: getattr(arguments, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def faulty_nodes(arguments: argparse.Namespace, config: Any) -> frozenset[int]:
    """Return the nodes of ``--fault``.

    Raises
    ------
    UsageError
        One is no node, or the routers have no fault vector.
    """
    for node in arguments.fault:
        if not 0 <= node < config.nodes:
            raise UsageError(f"fault must be an integer from 0 to {config.nodes - 1}, not {node}")
    if arguments.fault and not config.fault_tolerant:
        raise UsageError(f"fault must not be given without a fault vector (--fault-tolerant), not {arguments.fault[0]}")
    return frozenset(arguments.fault)
