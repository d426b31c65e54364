"""Trial: one test in a copy of the checkout, in a process of its own, and what it says of the bug that is there."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["BROKEN", "CAUGHT", "PASSED", "main"]

CAUGHT, PASSED, BROKEN = "caught", "survived", "broken"
"""The test fails as tests do; it passes; or there is nothing that it could have tested."""

SEED = 1


def main(argv: Sequence[str]) -> int:
    """Run the test that ``argv`` names, ``OUTPUT TEST`` or ``OUTPUT SYSTEM UNIT CORNER SIMULATOR``."""
    output, *words = argv
    try:
        said = _of_pytest(words[0]) if len(words) == 1 else _lockstep(*words)
        outcome = {"outcome": CAUGHT if said else PASSED, "by": said}
    except Exception:
        outcome = {"outcome": BROKEN, "by": traceback.format_exc().strip().splitlines()[-1]}
    Path(output).write_text(json.dumps(outcome))
    return 0


def _lockstep(system: str, unit: str, corner: str, simulator: str) -> str:
    """Make a run of the table, as long as CI makes it on Verilator; return what differs, if anything."""
    module = importlib.import_module(f"tests.{system}.test_lockstep")
    table = importlib.import_module("tests.harness.table")
    lockstep = importlib.import_module("cubecast.tb.harness.lockstep")
    if unit not in module.TABLE:
        raise ValueError(f"unit must be in the table of {system}, not {unit!r}")
    line = module.TABLE[unit]
    configs = vars(module).get("CONFIGS") or module.CORNERS
    corners = {table.name_of(one): one for one in line.corners}
    if corner not in corners:
        raise ValueError(f"corner must be one of {', '.join(corners)}, not {corner!r}")
    cut = {"margin": table.MARGIN["verilator"], "least": table.LEAST["verilator"]} if line.cut("verilator") else {}
    # This seed is one of those that make test draws: what is rare may take longer with it.
    cut |= {"patience": table.PATIENCE} if line.endless else {}
    try:
        reports = lockstep.lockstep_all(
            table.runs_of(system, unit, line, configs, (corners[corner],), seed=SEED, **cut), simulator
        )
    except lockstep.Mismatch as mismatch:
        return str(mismatch).splitlines()[1]
    if line.ends and not all(report.finished for report in reports):
        return "the run does not end by itself"
    return ""


class _Failures:
    """Plugin of pytest: what failed, and whether as tests do."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.error: BaseException | None = None

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        """Keep the exception of a test."""
        failed = importlib.import_module("pytest").fail.Exception
        if call.when == "call" and call.excinfo.errisinstance((AssertionError, failed)):
            self.said.append(f"{node.name} fails")
        else:
            self.error = call.excinfo.value


def _of_pytest(test: str) -> str:
    """Run a test; return which one failed, if any."""
    failures = _Failures()
    asked = ["-p", "no:xdist", "-p", "no:cacheprovider", "-x", "-q", test]
    status = int(importlib.import_module("pytest").main(asked, plugins=[failures]))
    if failures.error is not None:
        raise failures.error
    if status not in (0, 1):
        raise ValueError(f"pytest ended with status {status}")
    return "; ".join(failures.said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
