"""Types of the sources: mypy runs beside the tests, not before them, where it would have one of two cores."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.large
def test_types_of_the_sources_are_strict():
    """What pyproject.toml does not exclude has no error."""
    found = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert not found.returncode, found.stdout + found.stderr
