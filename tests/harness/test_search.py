"""Random cases: the same in ``make test``, others in ``make soak``, which runs all searches."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import search

ROOT = Path(__file__).parents[2]


def cases() -> list[int]:
    """Return what a search looks at."""
    found = []

    @search.search(8)
    @given(st.integers(0, 1 << 60))
    def look(value: int) -> None:
        found.append(value)

    look()
    return found


def test_cases_are_the_same_unless_they_are_to_be_others() -> None:
    """As often as it is asked."""
    try:
        settings.load_profile(search.SAME)
        first, again = cases(), cases()
        search.pytest_configure()
        others = [cases() for _ in range(3)]
    finally:
        settings.load_profile(search.SAME)
    assert first == again and len({tuple(other) for other in others} - {tuple(first)}) == 3


def test_no_search_has_settings_of_its_own() -> None:
    """And make soak takes all of them."""
    for path in (ROOT / "tests").glob("*/test_*.py"):
        if "\n@given(" in (text := path.read_text()):
            assert "from tests.harness.search import search" in text and "import given, settings" not in text, path
    assert "-m 'soak or hypothesis' -p tests.harness.search" in (ROOT / "Makefile").read_text()
