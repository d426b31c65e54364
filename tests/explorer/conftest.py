"""The browser that the tests of pages use."""

import pytest

from tests.conftest import NO_BROWSER
from tests.explorer.browser import Browser, chromium


@pytest.fixture(scope="package")
def browser(tmp_path_factory):
    """One browser for all tests; in the end there was no error, and nothing was asked of a network."""
    if chromium() is None:
        pytest.skip(NO_BROWSER)
    with Browser(tmp_path_factory.mktemp("browser")) as started:
        started.window(1366, 768)
        yield started
        assert started.problems == []
