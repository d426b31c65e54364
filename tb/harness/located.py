"""Located: Verilog in which every alternative of a choice says which line of Python it comes from.

Amaranth writes the places of signals and operators as attributes, but not those of ``m.If`` and its kin: they are in
its netlist, and get lost on the way to RTLIL. And of ``a, b = Signal(), Signal()`` it knows one name only. Both are
put right here for the one version of Amaranth that the project is pinned to.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from amaranth import tracer

__all__ = ["located"]

Position = tuple[int | None, ...]


class _Patterns(tuple[str, ...]):
    """The patterns of an alternative, and the place it comes from."""

    place: str


@contextlib.contextmanager
def located() -> Iterator[None]:
    """Let all Verilog written meanwhile carry an attribute ``alternatives`` before each choice.

    It names the alternatives in their order, separated by ``|``: file, line, and a number that tells apart what
    different rounds of a Python loop make of one line. The last alternative has no name if it is taken when no other
    one is.
    """
    inside = importlib.import_module("cubecast.rtl.common.amaranth_private")
    numbers = itertools.count()
    emit, name_of = inside.Switch.emit, tracer.get_var_name

    base: Any = inside.Matches

    class Matches(base):  # type: ignore[misc]
        def __init__(self, module_idx: int, *, value: Any, patterns: Any, src_loc: Any) -> None:
            super().__init__(module_idx, value=value, patterns=patterns, src_loc=src_loc)
            self.patterns = _Patterns(patterns)
            file, line = src_loc or ("", 0)
            self.patterns.place = f"{file}:{line}#{next(numbers)}"

    def emit_located(switch: Any, line: Any) -> None:
        places = [case.patterns.place if case.patterns else "" for case in switch.cases]
        line(f'attribute \\alternatives "{"|".join(places)}"')
        emit(switch, line)

    def name_of_target(depth: int = 2, default: Any = None) -> Any:
        try:
            return name_of(depth + 1)
        except tracer.NameNotFound:
            frame = sys._getframe(depth)
            position = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
            return _targets(frame.f_code.co_filename).get(position, default)

    with (
        patch.object(sys.modules[base.__module__], "Matches", Matches),
        patch.object(inside.Switch, "emit", emit_located),
        patch.object(tracer, "get_var_name", name_of_target),
    ):
        yield


@functools.cache
def _targets(file: str) -> dict[Position, str]:
    """Return, for every expression of a file that is assigned as one of several, its position and its target's name."""
    found: dict[Position, str] = {}
    for node in ast.walk(ast.parse(Path(file).read_text())):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
            continue
        for target in (target for target in node.targets if isinstance(target, ast.Tuple)):
            for left, right in zip(target.elts, node.value.elts, strict=False):
                name = left.id if isinstance(left, ast.Name) else left.attr if isinstance(left, ast.Attribute) else None
                if name:
                    found[right.lineno, right.end_lineno, right.col_offset, right.end_col_offset] = name
    return found
