"""The page of the docs with the registers: ``python -m cubecast.cli.registers > docs/registers.md`` writes it."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.common.contract.control import LETTERS
from cubecast.golden.common.contract.registers import Entry, field_rows, meaning_of, reason_rows, register_rows
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import REGISTERS
from cubecast.golden.node.contract import registers as node
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.reduction.contract import registers as reduction
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation
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
        "(`control__address`), the *offset* the byte address on [AXI4-Lite](axi.md), *reset* what the register reads",
        "after reset, before anything comes in. Every register has 32 bits. Counters wrap. n is the dimension of the",
        "cube; port j < n is the link in dimension j, port n the local one.",
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
    lines += _of_adapter() + _of_node() + _of_reduction()
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


def _of_adapter() -> list[str]:
    """Return the section about the reports of the network adapter."""
    return [
        "",
        "## Network adapter",
        "",
        "The [network adapter](crosspoint_adapter.md) reports through the crosspoint router of its node: in LOG, PORT",
        "is n and LANE 1, and REASON is one of these codes. REPORTS counts them and the router's own of the same code.",
        "",
        *reason_rows(AdapterReason),
    ]


def _of_node() -> list[str]:
    """Return the section about the interface of a node."""
    instructions = ", ".join(f"{each.value} {each.name}" for each in Instruction)
    return [
        "",
        "## Node interface",
        "",
        "The [node interface](node.md) has numbers of 8 bits: these, and below 0x80 those of its packet router.",
        "",
        *_tables(node.register_map(NodeConfig(router=PacketConfig(dim=2))), {"instruction": "i", "counter": "c"}),
        "",
        f"i is an instruction: {instructions}. In `axi-node` PLACES is RW: a",
        f"write {node.RINGS} ([instructions](node.md#instructions)).",
        "`instructions` and `buffers` are [parameters](node_units.md#parameters). c is a counter:",
        "",
        "| c | name | counts |",
        "|---|---|---|",
        *(f"| {counter.value} | {counter.name} | {meaning_of(counter)} |" for counter in node.Counter),
    ]


def _of_reduction() -> list[str]:
    """Return the section about the join unit."""
    return [
        "",
        "## Join unit",
        "",
        "The [join unit](reduction_units.md) beside a crosspoint router has a control port of its own, with numbers of",
        "4 bits. With `--counters none` there is none of the registers from COUNT_UP on.",
        "",
        *_tables(reduction.register_map(ReductionConfig(router=CrosspointConfig(dim=2))), {}),
        "",
        "Each word that a node offers says by `rop` what is made of it and of others; bit 3 is 0:",
        "",
        "| rop | name | meaning |",
        "|---|---|---|",
        *(f"| {each.value} | {each.name} | {meaning_of(each)} |" for each in Operation),
    ]


def _tables(entries: Sequence[Entry], letters: Mapping[str, str]) -> list[str]:
    """Return the tables of registers and of their fields."""
    return [*register_rows(entries, letters), "", *field_rows(entries)]


if __name__ == "__main__":
    print(markdown(), end="")
