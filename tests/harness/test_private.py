"""Private interfaces of other projects: in one module each, for the version that is installed."""

import importlib.metadata
import re
from pathlib import Path

import pytest

from cubecast.rtl.common import amaranth_private
from cubecast.tb.harness import cocotb_private

ROOT = Path(__file__).parents[2]
MODULES = {"amaranth": amaranth_private, "cocotb": cocotb_private}
NAMES = r"nir|lhs_signals|toolchain|SystemYosys|convert_rtlil_text"
PRIVATE = {
    "amaranth": rf"^ *(from|import) amaranth\S*\._|^ *from amaranth\S* import .*\b_|\b_({NAMES})\b",
    "cocotb": r"^ *(from|import) cocotb\S*\._|^ *from cocotb\S* import .*\b_|\b_handle\b|verilator\.cpp",
}
AS_TEXT = r"""["']{package}(\.\w+)*([.:]_|["']\s*\)(\.\w+)*\._)"""
"""A module by its name as text: one that is private, or a private name of it."""


def uses_private(package, text):
    """Return whether a file has a private name of a package in it."""
    return re.search(f"{PRIVATE[package]}|{AS_TEXT.format(package=package)}", text, re.M) is not None


@pytest.mark.parametrize("package", MODULES)
def test_the_version_is_the_one_it_is_for(package):
    """And the one that the project is pinned to; another one must be looked at first."""
    version = MODULES[package].VERSION
    assert importlib.metadata.version(package) == version
    assert f'"{package}=={version}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.core
@pytest.mark.parametrize("package", MODULES)
def test_nobody_else_uses_what_is_private(package):
    """Every other file goes through the module."""
    own = Path(MODULES[package].__file__).resolve()
    made = {"build", "dist"}
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name not in made]
    files = {path.resolve() for room in rooms for path in room.rglob("*.py")}
    assert [path for path in files - {Path(__file__).resolve()} if uses_private(package, path.read_text())] == [own]


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("cocotb", 'run = importlib.import_module("cocotb.regression")._run_regression'),
        ("cocotb", "run = import_module('cocotb').regression._run_regression"),
        ("cocotb", 'triggers = importlib.import_module(\n    "cocotb._gpi_triggers"\n)'),
        ("cocotb", 'START = ("cocotb.logging:_configure",)'),
        ("cocotb", "from cocotb._init import init_package_from_simulation"),
        ("cocotb", "    from cocotb.handle import Force, _GPISetAction"),
        ("amaranth", 'nir = importlib.import_module("amaranth.hdl._nir")'),
        ("amaranth", 'make = importlib.import_module("amaranth.back.verilog")._convert_rtlil_text'),
        ("amaranth", "from amaranth.hdl._ir import Fragment"),
    ],
)
def test_what_is_private_is_found(package, text):
    """In each way to get at it; what is public is let pass."""
    assert uses_private(package, f"import importlib\n\n{text}\n")
    assert not uses_private(package, "from cocotb.triggers import Timer\nimport_module('cocotb.handle').Force\n")
