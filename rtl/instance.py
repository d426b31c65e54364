"""Placing a unit inside another one: as a submodule, or as an instance of a Verilog module that is written once."""

import contextlib
import contextvars
import re
from collections.abc import Iterator
from typing import Any

from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from cubecast.golden.config import Config

__all__ = ["Modules", "collect", "module_name", "place"]


def module_name(unit: type[wiring.Component], **extra: Any) -> str:
    """Return the name of a unit's Verilog module: ``cubecast_output_gateway_local``, ``cubecast_arbiter_5``."""
    words = ["cubecast", re.sub(r"(?<!^)(?=[A-Z])", "_", unit.__name__).lower()]
    for name, value in sorted(extra.items()):
        if isinstance(value, bool):
            words += [name] if value else []
        else:
            words.append(str(value))
    return "_".join(words)


class Modules:
    """Modules of one design, each converted once, those used by others first.

    A name stands for one unit, one configuration and one set of further parameters.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._made: dict[str, tuple[Any, wiring.Component, frozenset[str]]] = {}

    def convert(self, component: wiring.Component, name: str) -> str:
        """Convert a component, and all units placed in it, to RTLIL; return its own text."""
        if name in self._texts:
            raise ValueError(f"name must be one that no unit inside has, not {name!r}")
        text = rtlil.convert(component, name=name, emit_src=False)
        self._texts[name] = text
        return text

    def define(self, unit: type[wiring.Component], config: Config, extra: dict[str, Any]) -> tuple[str, Any, Any]:
        """Return name, signature and clock ports of a unit's module; convert it when it is met first."""
        name = module_name(unit, **extra)
        key = (unit, config, tuple(sorted(extra.items())))
        if name not in self._made:
            component = unit(config, **extra)
            text = self.convert(component, name)
            clocks = frozenset(
                port for port in ("clk", "rst") if re.search(rf"wire .*input \d+ +\\{port}$", text, re.M)
            )
            self._made[name] = (key, component, clocks)
        known, component, clocks = self._made[name]
        if known != key:
            raise ValueError(f"config must be the same for all modules {name} of one design, not {config!r}")
        return name, component.signature, clocks

    def __str__(self) -> str:
        """Return the RTLIL text of all modules."""
        return "\n".join(self._texts.values())


_modules: contextvars.ContextVar[Modules | None] = contextvars.ContextVar("modules", default=None)


@contextlib.contextmanager
def collect() -> Iterator[Modules]:
    """Make :func:`place` write instances, and collect the modules they need."""
    modules = Modules()
    token = _modules.set(modules)
    try:
        yield modules
    finally:
        _modules.reset(token)


def place(m: Module, name: str, unit: type[wiring.Component], config: Config, **extra: Any) -> Any:
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
        Constructed as ``unit(config, **extra)``.
    config : Config
        Parameters of the router.
    """
    modules = _modules.get()
    if modules is None:
        component = unit(config, **extra)
        m.submodules[name] = component
        return component
    module, signature, clocks = modules.define(unit, config, extra)
    ports = signature.create(path=(name,))
    wires = {f"i_{clock}": {"clk": ClockSignal, "rst": ResetSignal}[clock]() for clock in sorted(clocks)}
    for path, member, value in signature.flatten(ports):
        wires[f"{'i' if member.flow == In else 'o'}_{'__'.join(map(str, path))}"] = value
    m.submodules[name] = Instance(module, **wires)
    return ports
