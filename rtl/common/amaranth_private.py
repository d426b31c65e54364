"""What the project uses of Amaranth's inside; for the one version that it is pinned to."""

import ast
import copy
import functools
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from amaranth import tracer
from amaranth._toolchain import yosys
from amaranth.back import rtlil, verilog
from amaranth.hdl import _ir, _nir

__all__ = [
    "LEAST_YOSYS",
    "VERSION",
    "Matches",
    "Net",
    "Switch",
    "YosysError",
    "assigned",
    "begin_with",
    "free_netlists",
    "name_by_source",
    "only_for_ports",
    "run_yosys_with",
    "start_yosys",
    "to_verilog",
    "trust_nets",
]

VERSION = "0.5.10"
"""The version of Amaranth that this is for."""

LEAST_YOSYS = (0, 40)
"""The oldest Yosys that it converts with."""

Net = _nir.Net
"""A bit of the netlist, and its number."""

Matches = _nir.Matches
"""The alternatives of an ``m.If`` or ``m.Switch`` in the netlist."""

Switch = rtlil.Switch
"""The same on its way to RTLIL."""

YosysError = yosys.YosysError
"""There is no Yosys, or what is said to be one is none."""

_SYSTEM_YOSYS = yosys._SystemYosys


def to_verilog(text: str, *, attributes: bool) -> str:
    """Return RTLIL as Verilog, with or without the attributes that say where everything comes from."""
    return str(verilog._convert_rtlil_text(text, strip_internal_attrs=not attributes))


def assigned(fragment: Any) -> list[Any]:
    """Return the registers that an elaborated fragment itself assigns."""
    return list(fragment.statements["sync"]._lhs_signals())


def begin_with(signal: Any, value: int) -> None:
    """Let a register have another value after a reset, one of its range."""
    signal._init = value


def only_for_ports(component: Any) -> Any:
    """Return a component of which nobody need be told that it is not elaborated."""
    component._MustUse__used = True
    return component


def run_yosys_with(run: Callable[[list[str], str], tuple[int, str, str]]) -> None:
    """Let conversions to Verilog call a function instead of starting Yosys.

    Parameters
    ----------
    run : function
        ``run(arguments, stdin)`` returns the status and the text of the standard output and error.
    """
    yosys._SystemYosys = _calling(run)


@functools.cache
def _calling(run: Callable[[list[str], str], tuple[int, str, str]]) -> Any:
    """Return Amaranth's Yosys as a function, which is asked for its version once."""

    class Called(_SYSTEM_YOSYS):
        @classmethod
        def available(cls) -> bool:
            return True

        @classmethod
        @functools.cache
        def version(cls) -> Any:
            return super().version()

        @classmethod
        def run(cls, args: list[str], stdin: str = "", *, ignore_warnings: bool = False, src_loc_at: int = 0) -> str:
            return str(cls._process_result(*run(args, stdin), ignore_warnings, src_loc_at + 1))

    return Called


def start_yosys() -> None:
    """Let Yosys run for the first time, for its version; yowasp's is compiled when it does so on a machine.

    Raises
    ------
    YosysError
        There is none that :func:`to_verilog` takes.
    """
    yosys.find_yosys(lambda version: version >= LEAST_YOSYS)


def trust_nets() -> None:
    """Let a value of the netlist be made of nets without a look at each: a conversion takes a twentieth less.

    Amaranth asserts again and again that they are nets, and nobody else makes such values.
    """

    def made(cls: type[_nir.Value], nets: Net | Iterable[Net] = ()) -> _nir.Value:
        return tuple.__new__(cls, (nets,) if isinstance(nets, Net) else nets)

    _nir.Value.__new__ = made


RECURSIVE = (
    (_ir.NetlistEmitter, "emit_signal_fields"),
    (_nir.Netlist, "check_comb_cycles"),
    (rtlil.ModuleEmitter, "emit_assignment_list"),
)
"""Methods with a local function that calls itself, and so keeps the netlist until garbage is collected."""


def free_netlists() -> None:
    """Let a netlist be freed when its conversion has ended: to find it as garbage takes a sixth of the conversion.

    What would keep it gets copies of the objects that lead there, which are emptied when it is done.
    """

    def lent(method: Callable[..., None]) -> Callable[..., None]:
        def call(*objects: Any) -> None:
            copies = [each if isinstance(each, int) else copy.copy(each) for each in objects]
            method(*copies)
            for each in copies:
                if not isinstance(each, int):
                    vars(each).clear()

        return call

    for owner, name in RECURSIVE:
        setattr(owner, name, lent(getattr(owner, name)))


_by_bytecode = tracer.get_var_name


def name_by_source() -> None:
    """Let signals without a given name have that of the variable they are assigned to, in every version of Python.

    Amaranth reads it from the bytecode behind the constructor's call, which other versions order and merge in other
    ways: they would give other names, and so other Verilog. The source text says the same in all of them, and also
    what the variables of ``a, b = Signal(), Signal()`` and of ``a = [Signal() for ...]`` are.
    """
    tracer.get_var_name = _variable


def _variable(depth: int = 2, **default: Any) -> str | None:
    """Return the variable that the call ``depth`` frames up is assigned to; without source, what Amaranth finds."""
    frame = sys._getframe(depth)
    names, end = _variables(frame.f_code.co_filename), _call_end(frame.f_code, frame.f_lasti)
    if not names or end is None:
        return _by_bytecode(depth + 1, **default)
    if end in names:
        return names[end]
    if "default" in default:
        return default["default"]
    raise tracer.NameNotFound


@functools.cache
def _call_end(code: CodeType, offset: int) -> tuple[int, int] | None:
    """Return line and column behind the expression that an instruction belongs to, if they are known."""
    _, line, _, column = next(itertools.islice(code.co_positions(), offset // 2, None))
    return None if line is None or column is None else (line, column)


@functools.cache
def _variables(file: str) -> dict[tuple[int, int], str]:
    """Return the variable that each call in a file is assigned to, by line and column behind the call."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[tuple[int, int], str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            found |= _named(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
            found |= _named(node.target, node.value)
    return found


def _named(target: ast.expr, value: ast.expr) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the end and the variable of each call in an assignment."""
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(target.elts) == len(value.elts):
            for each, item in zip(target.elts, value.elts, strict=True):
                yield from _named(each, item)
        return
    name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
    for call in _items(value) if name else ():
        if call.end_lineno is not None and call.end_col_offset is not None:
            yield (call.end_lineno, call.end_col_offset), name


def _items(value: ast.expr) -> Iterator[ast.Call]:
    """Yield a call, or the calls that are items of a list, a tuple, a dictionary or a comprehension."""
    match value:
        case ast.Call():
            yield value
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            for item in items:
                yield from _items(item)
        case ast.ListComp(elt=item) | ast.DictComp(value=item):
            yield from _items(item)
        case ast.IfExp(body=one, orelse=other):
            yield from _items(one)
            yield from _items(other)
