"""Tables of lockstep runs and of ``make soak`` in the docs, which ``python -m tests.harness.tables`` writes."""

import importlib
from pathlib import Path

from cubecast.systems import SYSTEMS
from cubecast.tb.harness.pages import replace
from tests.harness.record import latest, table
from tests.harness.table import rows

__all__ = ["COMMAND", "PAGE", "TABLES", "markdown"]

COMMAND = "python -m tests.harness.tables"
"""The command that writes them into the page of the docs."""

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "verification.md"
RECORD = ROOT / "docs" / "soak.jsonl"
TABLES = {
    system: importlib.import_module(f"tests.{system}.test_lockstep").TABLE
    for system in ("common", *SYSTEMS)
    if (ROOT / "tests" / system / "test_lockstep.py").is_file()
}
"""Name of the system to its table."""


def markdown(page: str) -> str:
    """Return the page with the tables as they are."""
    shown = ["\n".join(rows(system, lines)) for system, lines in TABLES.items()]
    long = table(latest(RECORD.read_text().splitlines()))
    return replace(page, {"runs": "\n\n".join(shown).splitlines(), "soak": long})


if __name__ == "__main__":
    PAGE.write_text(markdown(PAGE.read_text()))
