"""What the tables of a unit say of its registers, beside its golden twin, and in its C headers."""

import importlib
import re

import pytest

from cubecast.systems import units
from cubecast.systems.rdl import tables

PORTS = {
    "registers": "control",
    "test_registers": "test",
    "node_registers": "control",
    "adapter_registers": "adapter",
    "collective_registers": "collective",
    "reduction_registers": "reduction",
}
"""Tables of registers, and the port behind which they are."""

CASES = [
    ("router", {}),
    ("self-test", {"max_data": 0}),
    ("packet-router", {}),
    ("crosspoint-router", {}),
    ("crosspoint-node", {"fault_entries": 2}),
    ("node", {}),
    ("node", {"buffers": 3, "instructions": 5}),
    ("collective-node", {}),
    ("reduction-router", {}),
]
"""A unit with each table, and parameters that differ from the defaults."""


def with_config(called, **parameters):
    """Return the system of a unit, the unit, and its configuration."""
    system, unit = units()[called]
    return system, unit, system.config.from_json({"dim": 3, **parameters})


def twin_of(unit, config):
    """Return the golden twin of a unit."""
    module, _, name = unit.component.replace(".rtl.", ".golden.").rpartition(":")
    folder, _, file = module.rpartition(".")
    return getattr(importlib.import_module(f"{folder}.twins.{file}"), name)(config)


@pytest.mark.parametrize(("called", "parameters"), CASES, ids=[f"{called}{len(given)}" for called, given in CASES])
def test_registers_read_what_the_table_says(called, parameters):
    """Every register of every table, each right after a reset; before the first, ones are written to all."""
    system, unit, config = with_config(called, **parameters)
    for name, entries in tables(system.description.formats(unit, config)).items():
        twin, port = twin_of(unit, config), PORTS[name]
        numbers = {
            number: entry for entry in entries for number in range(entry["address"], entry["address"] + entry["count"])
        }
        for number, entry in numbers.items():
            if "W" in entry["access"]:
                twin.step({f"{port}__address": number, f"{port}__write": 1, f"{port}__write_data": 0xFFFFFFFF})
        for number, entry in numbers.items():
            twin.step({"rst": 1})
            twin.step({f"{port}__address": number})
            assert twin.step({})[f"{port}__read_data"] == entry["reset"], entry["name"]


@pytest.mark.parametrize("called", [*{called: None for called, _ in CASES}, "axi-node", "crosspoint-adapter"])
def test_headers_have_every_register(called):
    """Number, byte offset, value after reset and access of each table."""
    system, unit, config = with_config(called)
    headers = system.description.headers(unit, config, "cubecast")
    for name, entries in tables(system.description.formats(unit, config)).items():
        own = name.removesuffix("registers")
        text, prefix = headers[f"cubecast_{own}regs.h"], f"#define CUBECAST_{own.upper()}"
        for entry in entries:
            i = r"\(\w\)" if entry["index"] else ""
            for line in (
                rf"{prefix}{entry['name']}_WORD{i} \(?0x{entry['address']:02x}u",
                rf"{prefix}{entry['name']}_OFFSET{i} \(?0x{entry['byte_offset']:03x}u",
                rf"{prefix}{entry['name']}_RESET 0x{entry['reset']:08x}u",
                rf"/\* {entry['name']}, {entry['access']}: ",
            ):
                assert re.search(f"^{line}", text, re.M), line
