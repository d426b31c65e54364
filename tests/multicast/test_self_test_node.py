"""The self-test node beside its golden twin."""

import re
from pathlib import Path

from cubecast.golden.multicast.contract.self_test import CHECKER, REGISTERS, Checker, Generator


def test_registers_are_those_of_the_contract():
    """Address, name and access in the description are those of the page and of the twins."""
    page = (Path(__file__).parents[2] / "docs" / "self_test.md").read_text()
    rows = re.findall(r"^\| 0x(\w+) \| (\w+) \| (\w+) \|", page, re.MULTILINE)
    assert [(int(address, 16), name, access) for address, name, access in rows] == [row[:3] for row in REGISTERS]
    named = {address: name for address, name, *_ in REGISTERS}
    assert all(named[register] == register.name for register in Generator)
    assert all(named[CHECKER | register].removeprefix("CHECKER_").endswith(register.name) for register in Checker)
    assert len(named) == len(Generator) + len(Checker)
