"""Types of the sources: mypy runs beside the tests, not before them, where it would have one of two cores."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.large
def test_types_of_the_sources_are_strict():
    """What pyproject.toml does not exclude has no error."""
    found = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert not found.returncode, found.stdout + found.stderr


def test_only_folders_of_hardware_have_benches_without_strict_types():
    """Of the folders of tb/, those are excluded that rtl/ has, too: a new system is, and a new tool is not."""
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["exclude"]

    def folders(room):
        return {path.name for path in (ROOT / room).iterdir() if path.is_dir() and path.name != "__pycache__"}

    left_out = {name for name in folders("tb") if any(re.search(rule, f"cubecast/tb/{name}/x.py") for rule in excluded)}
    assert left_out == folders("tb") & folders("rtl")
