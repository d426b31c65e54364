"""Placing a unit inside another one: as a submodule, or as an instance of a Verilog module that is written once."""

import contextlib
import contextvars
import functools
import gc
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from cubecast.rtl.common.amaranth_private import Net, only_for_ports

__all__ = ["PREFIX", "Converted", "Modules", "Unit", "collect", "module_name", "place"]

PREFIX = "cubecast"
"""First word of all modules' names, unless a design asks for another one."""

DIGEST = 8
"""Hexadecimal digits of a configuration's digest in the names of modules."""


def module_name(unit: type[wiring.Component], *parameters: Any, **extra: Any) -> str:
    """Return the name of a unit's Verilog module.

    It begins with the system that the unit belongs to (none for the common ones), and ends with what tells it from the
    same unit with other parameters: numbers, words and the ``label`` of parameters as they are, other parameters as a
    digest. Two units of different systems or parameters have different names, whatever design they are in, and all
    units of one configuration the same ending: ``cubecast_multicast_output_gateway_local_1a2b3c4d``,
    ``cubecast_arbiter_5``.

    Parameters
    ----------
    unit : class
        The component.
    parameters, extra : object
        What it is constructed with. What is neither a number nor a word must have a ``label`` or a ``repr`` that says
        all of it.

    Raises
    ------
    ValueError
        The ``repr`` of a parameter is that of an object without a value.
    """
    system = unit.__module__.split(".")[-2:-1]
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", unit.__name__).lower()
    words = [PREFIX, *(part for part in system if part != "common" and not name.startswith(f"{part}_")), name]
    others = []
    for key, value in [("", value) for value in parameters] + sorted(extra.items()):
        if isinstance(value, bool) and key:
            words += [key] if value else []
        elif label := getattr(value, "label", ""):
            words.append(label)
        elif isinstance(value, int | str) and re.fullmatch(r"\w+", str(value)):
            words.append(str(value))
        else:
            later = [f",{name}={given}" for name, given in getattr(value, "later", dict)().items() if given is not None]
            others.append(f"{key}={type(value).__module__}.{value!r}{''.join(later)}")
    if any(" object at 0x" in text for text in others):
        raise ValueError(f"parameters must be values, not {', '.join(others)}")
    if others:
        words.append(hashlib.sha256("\n".join(others).encode()).hexdigest()[:DIGEST])
    return "_".join(words)


class Unit(NamedTuple):
    """What a module is made of: a unit's class and what it is constructed with."""

    unit: type[wiring.Component]
    parameters: tuple[Any, ...]
    extra: tuple[tuple[str, Any], ...]


class Converted(NamedTuple):
    """A module in Verilog: its clock ports, the units placed in it, and its text. Plain values, which can be kept."""

    clocks: frozenset[str]
    inner: tuple[Unit, ...]
    text: str


class Made(NamedTuple):
    """A module as others connect it: its unit, its signature, its clock ports, and the units placed in it."""

    unit: Unit
    signature: wiring.Signature
    clocks: frozenset[str]
    inner: tuple[Unit, ...]


@functools.cache
def _signature(name: str, unit: Unit) -> wiring.Signature:
    """Return the ports of a unit, by name too: True and 1 are equal, and make two names."""
    return only_for_ports(unit.unit(*unit.parameters, **dict(unit.extra))).signature


class Modules:
    """Modules of one design, each converted once, those used by others first.

    A name stands for one unit with one set of parameters.

    Parameters
    ----------
    sources : bool
        Say in attributes which line of Python everything comes from.
    progress : function
        Called with the name of each module when it has been converted.
    prefix : str
        First word of all modules' names.
    kept : mutable mapping
        Modules in Verilog, by name and unit (True and 1 are equal, and make two names): what is there is not converted
        again, and :meth:`keep` adds to it. Without ``sources`` only.
    """

    def __init__(
        self,
        *,
        sources: bool = False,
        progress: Callable[[str], None] | None = None,
        prefix: str = PREFIX,
        kept: MutableMapping[tuple[str, Unit], Converted] | None = None,
    ) -> None:
        self._sources, self._progress, self._prefix = sources, progress, prefix
        self._kept = {} if kept is None or sources else kept
        self._texts: dict[str, str] = {}
        self._made: dict[str, Made] = {}
        self._inner: list[list[Unit]] = [[]]
        self.verilog: dict[str, str] = {}
        """Text of the modules that are in Verilog already; they are not among the RTLIL."""

    def convert(self, component: wiring.Component, name: str) -> str:
        """Convert a component, and all units placed in it, to RTLIL; return its own text."""
        with _undisturbed(), _numbered(component):
            text = rtlil.convert(component, name=name, emit_src=self._sources)
        if name in self._texts or name in self._made:
            raise ValueError(f"name must be one that no unit inside has, not {name!r}")
        self._texts[name] = text
        if self._progress:
            self._progress(name)
        return text

    def define(
        self, unit: type[wiring.Component], parameters: tuple[Any, ...], extra: dict[str, Any]
    ) -> tuple[str, Any, Any]:
        """Return name, signature and clock ports of a unit's module; convert it when it is met first."""
        name = self._prefix + module_name(unit, *parameters, **extra).removeprefix(PREFIX)
        wanted = Unit(unit, parameters, tuple(sorted(extra.items())))
        self._inner[-1].append(wanted)
        if name not in self._made:
            if earlier := self._kept.get((name, wanted)):
                for each in earlier.inner:
                    self.define(each.unit, each.parameters, dict(each.extra))
                self.verilog[name] = earlier.text
                made = Made(wanted, _signature(name, wanted), earlier.clocks, earlier.inner)
                if self._progress:
                    self._progress(name)
            else:
                self._inner.append([])
                component = unit(*parameters, **extra)
                text = self.convert(component, name)
                clocks = frozenset(
                    port for port in ("clk", "rst") if re.search(rf"wire .*input \d+ +\\{port}$", text, re.M)
                )
                made = Made(wanted, component.signature, clocks, tuple(dict.fromkeys(self._inner.pop())))
            self._made[name] = made
        made = self._made[name]
        if made.unit != wanted:
            raise ValueError(f"name must stand for one unit with one set of parameters, not {name} for {wanted!r} too")
        return name, made.signature, made.clocks

    def keep(self, texts: Mapping[str, str]) -> None:
        """Keep the Verilog of this design's modules, by name, for later designs."""
        for name in self._texts.keys() & self._made.keys():
            made = self._made[name]
            self._kept[name, made.unit] = Converted(made.clocks, made.inner, texts[name])

    def unit(self, name: str) -> Unit:
        """Return what a module is made of."""
        return self._made[name].unit

    def stays(self, name: str) -> bool:
        """Return whether a module's unit has ``stays_a_module``: synthesis is told not to dissolve it."""
        return name in self._made and getattr(self._made[name].unit.unit, "stays_a_module", False)

    def order(self, names: Iterable[str]) -> list[str]:
        """Return modules in the order in which the design met them, whether they were converted then or before."""
        met = {name: index for index, name in enumerate(self._made)}
        return sorted(names, key=lambda name: met.get(name, len(met)))

    def sorted_as(self, name: str) -> str:
        """Return what a module is sorted by: its name without system and digest, which change with the parameters."""
        if name not in self._made:
            return re.sub(rf"^{self._prefix}_", f"{PREFIX}_", name)
        unit, parameters, extra = self._made[name].unit
        labels = [value for value in parameters if getattr(value, "label", "")]
        return module_name(type(unit.__name__, (), {"__module__": "common"}), *labels, **dict(extra))

    def __str__(self) -> str:
        """Return the RTLIL text of all modules that are not in Verilog already."""
        return "\n".join(self._texts.values())


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep the garbage collector away: it finds next to nothing during a conversion, and takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


CELL_BITS = 16
"""Amaranth 0.5.10 writes the number of a net as cell << 16 | bit, and all inputs of a module are one cell."""

WIDE_BITS = 24
"""The same for a module with more inputs than that: a network of 1,024 routers has 78,848."""


@contextlib.contextmanager
def _numbered(component: wiring.Component) -> Iterator[None]:
    """Let a module have as many inputs as its signature says, two bits being constants."""
    inputs = sum(
        len(Value.cast(value)) for _, member, value in component.signature.flatten(component) if member.flow == In
    )
    if inputs + 2 < 1 << CELL_BITS:
        yield
        return

    def from_cell(cls: type[Net], cell: int, bit: int) -> Net:
        return cls(cell << WIDE_BITS | bit)

    kept = {name: Net.__dict__[name] for name in ("from_cell", "cell", "bit")}
    Net.from_cell = classmethod(from_cell)
    Net.cell = property(lambda self: self >> WIDE_BITS)
    Net.bit = property(lambda self: self & (1 << WIDE_BITS) - 1)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(Net, name, value)


_modules: contextvars.ContextVar[Modules | None] = contextvars.ContextVar("modules", default=None)


@contextlib.contextmanager
def collect(**settings: Any) -> Iterator[Modules]:
    """Make :func:`place` write instances, and collect the modules they need; parameters as in :class:`Modules`."""
    modules = Modules(**settings)
    token = _modules.set(modules)
    try:
        yield modules
    finally:
        _modules.reset(token)


def place(m: Module, name: str, unit: type[wiring.Component], *parameters: Any, **extra: Any) -> Any:
    """Put a unit into module ``m`` and return its ports.

    Within :func:`collect` the unit becomes an ``Instance`` whose connections are made from the unit's signature, so
    that equal units share one Verilog module. Otherwise (Amaranth's own simulator, formal proofs) it is an ordinary
    submodule.

    Parameters
    ----------
    m : Module
        The module under construction.
    name : str
        Name of the submodule or instance.
    unit : class
        Constructed as ``unit(*parameters, **extra)``.
    parameters, extra : object
        Its parameters: a configuration, numbers, shapes.
    """
    modules = _modules.get()
    if modules is None:
        component = unit(*parameters, **extra)
        m.submodules[name] = component
        return component
    module, signature, clocks = modules.define(unit, parameters, extra)
    ports = signature.create(path=(name,))
    wires = {f"i_{clock}": {"clk": ClockSignal, "rst": ResetSignal}[clock]() for clock in sorted(clocks)}
    for path, member, value in signature.flatten(ports):
        wires[f"{'i' if member.flow == In else 'o'}_{'__'.join(map(str, path))}"] = value
    m.submodules[name] = Instance(module, **wires)
    return ports
