"""Presets: a unit some of whose registers have another value after a reset, such as counters near their end."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Fragment

__all__ = ["preset"]


def preset(unit: Any, values: Mapping[str, int]) -> Any:
    """Return a unit like another one, but for the values of registers after a reset.

    Parameters
    ----------
    unit : class
        Component.
    values : dict
        Regular expressions for the whole names of registers that it assigns itself, and what these have after a reset,
        modulo their range.

    Raises
    ------
    ValueError
        When it is elaborated: no register has such a name.
    """

    class Preset(unit):  # type: ignore[misc]
        """The unit with these values."""

        def elaborate(self, platform: Any) -> Any:
            """Elaborate the unit, and set them."""
            fragment = Fragment.get(super().elaborate(platform), platform)
            private = importlib.import_module("cubecast.rtl.common.amaranth_private")
            registers = private.assigned(fragment)
            for name, value in values.items():
                named = [register for register in registers if re.fullmatch(name, register.name)]
                if not named:
                    known = ", ".join(sorted(register.name for register in registers))
                    raise ValueError(f"presets must name registers, such as {known}, not {name!r}")
                for register in named:
                    private.begin_with(register, value % (1 << len(register)))
            return fragment

    return Preset
