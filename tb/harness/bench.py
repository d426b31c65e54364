"""Bench: what a unit's testbench consists of, and its name.

The session in the simulator loads this and nothing else of what makes and starts a run: it is read anew for each run.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["CYCLE", "RESET_CYCLES", "Bench", "load"]

CYCLE = 10
"""Length of a cycle in a simulation and in its waves, in ns."""

FIRST = ("common", "multicast")
"""Systems whose units and configuration need no name of the system before theirs, whatever others have."""

RESET_CYCLES = 2
"""Cycles at the start of a run in which a DUT that has ``rst`` is held in reset, all other inputs 0."""

Values = dict[str, int]
Stimulus = Callable[..., Generator[Mapping[str, int], Any, None]]
Events = Callable[[Any, dict[str, Any], dict[str, Any]], Iterable[str]]
Watch = Callable[[Values, dict[str, Any], Any], Iterable[str]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bench:
    """What a unit's testbench consists of; kept in its module as ``BENCH``.

    Parameters
    ----------
    unit : str
        ``"system.module:Class"``, which says what ``component``, ``twin`` and ``config`` are unless they are given:
        ``rtl/<system>/<module>.py``, ``golden/<system>/twins/<module>.py``, and the configuration of the system.
    component, twin : str
        ``"package.module:Class"``; constructed as ``Class(config, **extra)``. The component is imported only to
        make Verilog, never inside the simulator.
    config : str
        Class of the configuration, with ``to_json()`` and ``from_json()``.
    stimulus : generator function
        ``stimulus(random, config, **options)`` draws from ``random`` only. It yields a dict of the inputs that
        change in this cycle and is sent the outputs of that cycle (None: not compared). When it returns, the run
        ends. It may drive ``rst`` at any time; the harness has already reset the DUT when it starts.
    events : tuple of str, or function
        What must happen at least once in a run; ``events(config, extra, options)`` if that depends on the run.
    watch : function
        ``watch(inputs, outputs, twin)`` returns the names of what happened in this cycle. It is called after
        ``twin.step``: ``outputs`` are those of the cycle, ``twin`` already holds the state of the next one.
    collect : function, optional
        ``collect(twin)`` at the end of the run, a failed one too; plain values, handed back as ``Report.collected``
        or ``Mismatch.collected``.
    extra : dict
        Keyword arguments of component and twin that a run has unless it says otherwise, plain values.
    presets : dict
        Registers of the component itself, by regular expressions for the whole of their names, and what they have after
        a reset, modulo their range, so that counters come to its end; the twin is one that begins with the same.
    first : int
        Cycle of the run, from its start, that its results call 0; the waves do, too.
    """

    unit: str = ""
    component: str = ""
    twin: str = ""
    config: str = ""
    stimulus: Stimulus
    events: tuple[str, ...] | Events = ()
    watch: Watch | None = None
    collect: Callable[[Any], Any] | None = None
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    presets: Mapping[str, int] = dataclasses.field(default_factory=dict)
    first: int = 0

    def __post_init__(self) -> None:
        """Let what is not given be what the unit's name says."""
        if not self.unit:
            return
        system, _, place = self.unit.partition(".")
        own = "" if system in FIRST else system.title()
        named = {
            "component": f"cubecast.rtl.{self.unit}",
            "twin": f"cubecast.golden.{system}.twins.{place}",
            "config": f"cubecast.golden.{system}.contract.config:{own}Config",
        }
        for field, name in named.items():
            object.__setattr__(self, field, getattr(self, field) or name)


def load(name: str) -> Bench:
    """Return a bench: ``"packet.cam"`` or ``"cam"`` for ``cubecast.tb.packet.cam``, or ``"package.module:ATTRIBUTE"``.

    Raises
    ------
    ValueError
        There is no such testbench.
    """
    place, _, attribute = name.partition(":")
    module = place if ":" in name or place.startswith("cubecast.") else _module_of(place)
    found = None
    # What is no name of a module, such as '' or '.', is not for the import system, which has errors of its own.
    if all(part.isidentifier() for part in module.split(".")):
        try:
            found = getattr(importlib.import_module(module), attribute or "BENCH", None)
        except ModuleNotFoundError as error:
            if error.name and not module.startswith(error.name):
                raise
    if not isinstance(found, Bench):
        raise ValueError(f"bench must name a module with a BENCH, such as 'arbiter' or 'pkg.mod:BENCH', not {name!r}")
    return found


def _module_of(unit: str) -> str:
    """Return the module of a unit's testbench, ``"packet.cam"``, or ``"cam"`` in the first system that has one.

    Systems are the folders that ``tb/`` and ``rtl/`` both have: those of :data:`FIRST`, then the others by name.
    """
    room = Path(__file__).resolve().parents[1]
    systems = (folder.name for folder in room.iterdir() if (room.parent / "rtl" / folder.name).is_dir())
    order = sorted(systems, key=lambda name: (name not in FIRST, name))
    for place in (unit, *(f"{system}.{unit}" for system in order)):
        if (room / f"{place.replace('.', '/')}.py").is_file():
            return f"cubecast.tb.{place}"
    return unit
