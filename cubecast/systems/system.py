"""What a system is for all that walk through the systems: command line, generation, campaigns and tests."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from cubecast.systems.load import Loads

__all__ = ["CLOCKS", "DEFAULT", "PRESETS", "Memory", "Parameter", "Preset", "System", "Unit", "with_axi"]

DEFAULT = "default"
"""Preset that leaves everything as it is."""

PRESETS = ("small", DEFAULT, "full")
"""Presets of every system: what fits a small FPGA, the defaults, and what one takes when area does not matter."""

Preset = Callable[[int, Mapping[str, Any]], dict[str, Any]]
"""Returns a preset's parameters, of n and of those that are given otherwise, which win."""

CLOCKS = ("clk", "rst")
"""Clock and reset of a unit, unless it says otherwise."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of the system's own configuration, as an option of the commands.

    Parameters
    ----------
    name : str
        Name in the configuration; the option has ``-`` for ``_``.
    help : str
        What the help text says.
    choices : tuple of str
        Words allowed; none: an integer.
    flag : bool
        Whether the option has no value and stands for True.
    off : bool
        Whether that option is ``--no-<name>`` and stands for False.
    without_faults : bool
        Whether it may stand beside ``--fault-free``.
    marked : bool
        Whether -1 is the configuration's mark of a default, and so no value of the option.
    zero : bool
        Whether 0 is one.
    also : str
        Another name of the option.
    """

    name: str
    help: str
    choices: tuple[str, ...] = ()
    flag: bool = False
    off: bool = False
    without_faults: bool = True
    marked: bool = False
    zero: bool = False
    also: str = ""

    @property
    def option(self) -> str:
        """Name of the option, without the dashes before it."""
        return f"{'no-' if self.off else ''}{self.name.replace('_', '-')}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Memory:
    """A memory of a router that is in LUT RAM or in block RAM by the value of a parameter.

    Parameters
    ----------
    parameter : str
        Which one.
    bits, depth : int
        Width of a word, and words; one is written, and one read in a cycle.
    block : bool
        Whether it is in block RAM.
    """

    parameter: str
    bits: int
    depth: int
    block: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unit:
    """Something that ``cubecast generate`` writes.

    Parameters
    ----------
    name : str
        Its Verilog module is ``cubecast_<name>``.
    component : str
        ``"package.module:Class"`` in ``rtl/``.
    command : str
        What it is called on the command line; its name with dashes if not given.
    extra : mapping
        Further arguments of the class.
    clocks : tuple of str
        Clock and reset.
    cube : bool
        Whether it is a network, every port of which holds an item for each node.
    routes : bool
        Whether there is a router in it, whose registers and reason codes belong to the description.
    axi : Unit, optional
        The unit that ``--axi`` makes of it.
    """

    name: str
    component: str
    command: str = ""
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    clocks: tuple[str, str] = CLOCKS
    cube: bool = False
    routes: bool = True
    axi: Unit | None = None

    @property
    def called(self) -> str:
        """What it is called on the command line."""
        return self.command or self.name.replace("_", "-")


def with_axi(name: str, component: str, **named: Any) -> Unit:
    """Return a unit that ``--axi`` makes another one of: ``axi_<name>``, with the clock and the reset of AXI.

    Its component is ``Axi<Class>`` in ``axi_<module>.py``, beside that of the unit.

    Parameters
    ----------
    name, component, named
        As those of :class:`Unit`.
    """
    room, _, place = component.rpartition(".")
    module, _, made = place.partition(":")
    axi = Unit(
        name=f"axi_{name}",
        component=f"{room}.axi_{module}:Axi{made}",
        extra={"axi_clock": True},
        clocks=("aclk", "aresetn"),
        **named,
    )
    return Unit(name=name, component=component, axi=axi, **named)


@dataclasses.dataclass(frozen=True, kw_only=True)
class System:
    """A system: its folder's name in all rooms, its parameters, and what the commands have to know of it.

    Parameters
    ----------
    name : str
        Name of the folders ``rtl/<name>``, ``golden/<name>``, ``tb/<name>`` and ``tests/<name>``.
    config : class
        Configuration, with ``to_json()`` and ``from_json()``.
    parameters : tuple of Parameter
        Those of its own, beside the ones that all routers share.
    title : str
        Title of their group in help texts.
    links : str
        What registers a link of a router of its own may have.
    width : str
        What the help text of ``--width`` says of a system with a router of its own.
    units : tuple of Unit
        What can be generated.
    units_help : str
        What the help text says of them, behind "the Verilog of".
    files_help : mapping
        What it says of C files that only units of this system have, by name.
    description : module
        ``meaning(unit, port)``, ``derived(config)``, ``formats(config)`` and, for a unit with a router,
        ``router(unit, config)``; ``headers(unit, config, name)`` gives the C headers by name,
        ``missing(config)`` what becomes of a link without a neighbour.
    presets : mapping
        Each of :data:`PRESETS` but the default; with the parameters of the router.
    register_meanings : mapping
        What registers and fields of its router mean that have the numbers of the multicast router's, by name.
    reasons : class, optional
        Reason codes of such a router.
    base : System, optional
        The system whose router this one has; its parameters are those of the router.
    playback : str
        Testbench that plays given messages, ``"package.module:BENCH"``; empty if there is none.
    playing : tuple of Parameter
        What the playback takes besides messages and faults: options of ``cubecast simulate``.
    messages : module, optional
        ``parse(values, config, faults)`` of what is in a file of such messages; if there is anything in ``playing``,
        ``check(config, **playing)``, which raises ``ValueError`` for what the configuration has no use for.
    messages_help : str
        What the help text says of such a file beside what holds for all routers.
    report : module, optional
        What is told of such a run, see :mod:`cubecast.systems.report`.
    programs : str
        Testbench that runs programs of nodes, ``"package.module:BENCH"``; empty if there is none.
    loads : Loads, optional
        Its network under load.
    memories : function
        Returns of a configuration the memories of its router that are in LUT RAM or in block RAM by the value of a
        parameter.
    """

    name: str
    config: Any
    parameters: tuple[Parameter, ...]
    title: str
    units: tuple[Unit, ...]
    units_help: str
    description: ModuleType
    files_help: Mapping[str, str] = dataclasses.field(default_factory=dict)
    presets: Mapping[str, Preset] = dataclasses.field(default_factory=dict)
    links: str = ""
    width: str = ""
    register_meanings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    reasons: type[enum.IntEnum] | None = None
    base: System | None = None
    playback: str = ""
    playing: tuple[Parameter, ...] = ()
    messages: Any = None
    messages_help: str = ""
    report: Any = None
    programs: str = ""
    loads: Loads | None = None
    memories: Callable[[Any], tuple[Memory, ...]] = lambda config: ()

    @property
    def router(self) -> System:
        """The system that the router of this one is of."""
        return self.base or self

    @property
    def built_on(self) -> tuple[str, ...]:
        """Folders of the systems that this one may import."""
        return ("common", *([self.base.name] if self.base else []))
