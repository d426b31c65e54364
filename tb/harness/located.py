"""Located: Verilog in which every alternative of a choice says which line of Python it comes from.

Amaranth writes the places of signals and operators as attributes, but not those of ``m.If`` and its kin: they are in
its netlist, and get lost on the way to RTLIL. That is put right here for the one version of Amaranth that the project
is pinned to.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

__all__ = ["located"]


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
    emit = inside.Switch.emit

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

    with (
        patch.object(sys.modules[base.__module__], "Matches", Matches),
        patch.object(inside.Switch, "emit", emit_located),
    ):
        yield
