"""Headers: those of Verilator without what no design here uses, which the compiler would go through for each of them.

A header that is compiled before keeps the templates that its functions use for the end of every file that begins with
it: queues, processes and events of SystemVerilog, which no Verilog of Amaranth has, are two thirds of that.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["NAMES", "RULE", "lean"]

RULE = Path(__file__).read_text()
"""What builds are named by, beside what Verilator is given: the rule itself."""

NAMES = ("verilated.h", "verilated_types.h", "verilated_funcs.h")
"""The headers of which there are copies: the first includes the others, which it finds beside it."""

UNUSED = r"\b(?:VlQueue|VlProcess\w*|VlEvent\w*|VlAssignableEvent)\b"
"""What no design uses."""

CLASS = rf"^class (?P<name>{UNUSED}) (?:final|VL_NOT_FINAL)[^{{;]*\{{\n(?:.*\n)*?\}};\n"
"""A class of it; those with parameters take no time until they are used."""

FUNCTION = rf"^(?:static )?inline [^{{;]*{UNUSED}[^{{;]*\{{(?:.*\}}\n|\n(?:.*\n)*?\}}\n)"
"""A function of it without parameters of a template."""

TEMPLATE = re.compile(r"template <.*>\n\Z")
"""What stands before a class or function with such parameters."""


def lean(text: str) -> str:
    """Return a header of Verilator without what no design uses: its classes are declared, its functions are not."""

    def declared(found: re.Match[str]) -> str:
        if TEMPLATE.search(text, 0, found.start()):
            return found[0]
        return f"class {found['name']};\n"

    def nothing(found: re.Match[str]) -> str:
        return found[0] if TEMPLATE.search(without, 0, found.start()) else ""

    without = re.sub(CLASS, declared, text, flags=re.M)
    return re.sub(FUNCTION, nothing, without, flags=re.M)
