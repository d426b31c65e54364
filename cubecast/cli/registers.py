"""The page of the docs with the registers: ``python -m cubecast.cli.registers > docs/registers.md`` writes it."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from cubecast.golden.common.contract.control import LETTERS
from cubecast.golden.common.contract.registers import field_rows, reason_rows, register_rows
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import REGISTERS
from cubecast.systems import SYSTEMS

__all__ = ["COMMAND", "markdown"]

COMMAND = "python -m cubecast.cli.registers > docs/registers.md"
"""The command that writes the page of the docs."""


def markdown() -> str:
    """Return the page of the docs."""
    lines = [
        "# Registers",
        "",
        f"This page is written by `{COMMAND}`; the sources are",
        "`golden/common/contract/control.py` and `golden/<system>/contract/registers.py`.",
        "",
        "A router's registers as its control port has them. The *number* is the address on the plain control port",
        "(`control__address`), the *offset* the byte address on [AXI4-Lite](axi.md). Every register has 32 bits and is",
        "0 after reset. Counters wrap. n is the dimension of the cube; port j < n is the link in dimension j, port n",
        "the local one.",
        "",
        "With `--log-depth 0` there is no LOG, with `--counters none` no counter: neither LOG_LOST nor those from",
        "REPORTS on. LOG_LOST needs both log and counters. Where a register is missing, so is its flag in STATUS. With",
        "`--counters 8` or `16` the counters are narrower; the bits above read 0. The files that `cubecast generate`",
        "writes describe the registers that there are.",
        "",
        "Where no register is, and in bits without a meaning, 0 is read. A write where no register is, or to a",
        "register that is only read, does nothing. AXI4-Lite answers SLVERR to such a write, and to a read where no",
        "register is.",
        "",
        *register_rows(REGISTERS, LETTERS),
        "",
        "r is a reason code, 0 to 15; p a port, 0 to n.",
        "",
        "## Fields",
        "",
        *field_rows(REGISTERS),
        "",
        "The other registers are one number, of 32 bits if `--counters` does not say otherwise.",
        "",
        "## Reason codes",
        "",
        "In LOG, and as r of REPORTS.",
        "",
        *reason_rows(Reason),
    ]
    for system in SYSTEMS.values():
        if system.register_meanings and system.reasons:
            lines += _of_system(system.name, system.register_meanings, system.reasons)
    return "\n".join([*lines, ""])


def _of_system(name: str, meanings: Mapping[str, str], reasons: type[enum.IntEnum]) -> list[str]:
    """Return the section about the router of another system."""
    return [
        "",
        f"## {name.capitalize()} router",
        "",
        f"The [{name} router]({name}.md) has the same registers and fields at the same numbers. These mean:",
        "",
        "| name | reads |",
        "|---|---|",
        *(f"| {place.replace('.', ', ')} | {meaning} |" for place, meaning in meanings.items()),
        "",
        "Its reason codes:",
        "",
        *reason_rows(reasons),
    ]


if __name__ == "__main__":
    print(markdown(), end="")
