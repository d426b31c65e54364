"""The site of the docs: its contents, and that it is made without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import NO_BROWSER
from tests.explorer.browser import Browser, chromium

ROOT = Path(__file__).parent.parent


def test_the_contents_name_every_page() -> None:
    """Each once."""
    text = (ROOT / "docs/index.md").read_text()
    named = re.findall(r"^(\w+)$", text, re.M)
    assert sorted(named) == sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.stem != "index")


@pytest.mark.soak
def test_the_site_is_made_without_a_warning(tmp_path: Path) -> None:
    """The reference has every name; a link or a role that leads nowhere ends it; no written page scrolls sideways."""
    recipe = re.search(r"^docs: .*\n\t\$\(BIN\)/python (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert recipe is not None
    command = [sys.executable, *recipe[1].replace("build/site", str(tmp_path)).split()]
    # ``make docs`` knows nothing of the warnings of Python that are errors here: Sphinx has some of its own.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    from cubecast import api

    page = (tmp_path / "python_reference.html").read_text()
    assert [name for name in api.__all__ if f'id="cubecast.{name}"' not in page] == []
    # The first line of a property's docstring may have a colon, and stays whole.
    assert "Bits of a tag without a number, and the least width: destination, source" in page
    if chromium() is None:
        pytest.skip(NO_BROWSER)
    with Browser(tmp_path / "browser") as browser:
        for width in (1366, 500):
            browser.window(width, 768)
            for name in sorted(path.stem for path in (ROOT / "docs").glob("*.md")):
                browser.call("Page.navigate", url=(tmp_path / f"{name}.html").as_uri())
                browser.until(f"document.readyState === 'complete' && location.pathname.endsWith('/{name}.html')")
                assert browser.ask("document.documentElement.scrollWidth <= innerWidth"), (name, width)
