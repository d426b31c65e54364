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
    "cocotb": r"^ *(from|import) cocotb\S*\._|\b_handle\b|verilator\.cpp",
}


@pytest.mark.parametrize("package", MODULES)
def test_the_version_is_the_one_it_is_for(package):
    """And the one that the project is pinned to; another one must be looked at first."""
    version = MODULES[package].VERSION
    assert importlib.metadata.version(package) == version
    assert f'"{package}=={version}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("package", MODULES)
def test_nobody_else_uses_what_is_private(package):
    """Every other file goes through the module."""
    own = Path(MODULES[package].__file__).resolve()
    rooms = ("rtl", "golden", "tb", "tests", "cubecast/cli")
    files = {path.resolve() for room in rooms for path in (ROOT / room).rglob("*.py")} - {Path(__file__).resolve()}
    assert [path for path in files if re.search(PRIVATE[package], path.read_text(), re.M)] == [own]
