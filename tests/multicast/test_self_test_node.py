"""The self-test node beside its golden twin."""

import re
from pathlib import Path

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import CHECKER, Checker, Generator, c_header, register_map
from cubecast.golden.multicast.twins.self_test_node import SelfTestNode

CONFIGS = [Config(dim=2), Config(dim=3, max_data=0), Config(dim=10, max_data=4096)]


def test_registers_are_those_of_the_contract():
    """Address, name and access in the description are those of the page and of the twins."""
    page = (Path(__file__).parents[2] / "docs" / "self_test.md").read_text()
    rows = re.findall(r"^\| 0x(\w+) \| (\w+) \| (\w+) \|", page, re.MULTILINE)
    assert [(int(address, 16), name, access) for address, name, access in rows] == [
        (entry.address, entry.name, entry.access) for entry in register_map(CONFIGS[0])
    ]
    named = {entry.address: entry.name for entry in register_map(CONFIGS[0])}
    assert all(named[register] == register.name for register in Generator)
    assert all(named[CHECKER | register].removeprefix("CHECKER_").endswith(register.name) for register in Checker)
    assert len(named) == len(Generator) + len(Checker)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"n{config.dim}")
def test_fields_are_the_bits_that_a_node_keeps(config):
    """With ones written to all, registers that a write sets read ones in their fields alone; lines of C fit."""
    node = SelfTestNode(config)

    def access(number, **write):
        node.step({"test__address": number, **write})
        return node.step({"test__address": number})["test__read_data"]

    for entry in register_map(config):
        value = access(entry.address, test__write=1, test__write_data=0xFFFFFFFF)
        value = access(entry.address)
        mask = sum(field.mask for field in entry.fields) or 0xFFFFFFFF
        assert value == mask if entry.on_write.startswith("sets") else value & ~mask == 0, entry.name
    assert access(CHECKER | Checker.CONTROL) == 0
    assert max(map(len, c_header(config).splitlines())) <= 160
