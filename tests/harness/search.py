"""Random cases by hypothesis: the same in every run of ``make test``, others in every run of ``make soak``.

As a plugin of pytest, ``-p tests.harness.search``, it makes them others; a test that fails says how to repeat it.
"""

from hypothesis import settings

__all__ = ["search"]

SAME, OTHERS = "same", "others"

settings.register_profile(SAME, derandomize=True, deadline=None, database=None)
settings.register_profile(OTHERS, derandomize=False, deadline=None, database=None, print_blob=True)
settings.load_profile(SAME)


def pytest_configure() -> None:
    """Let what is collected from now on have other cases each time."""
    settings.load_profile(OTHERS)


def search(cases: int) -> settings:
    """Return the settings of a test with so many cases."""
    return settings(max_examples=cases)
