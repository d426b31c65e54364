"""Replay one lockstep run from the command line: ``python -m cubecast.tb BENCH ...``."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from cubecast.options.arguments import Parser, file_name
from cubecast.options.ending import STATUSES, concluded
from cubecast.options.inputs import parsed, text_of
from cubecast.options.usage import UsageError, check_seed
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.lockstep import Mismatch, lockstep
from cubecast.tb.harness.netlists import FAMILIES
from cubecast.tb.harness.simulators import SIMULATORS

__all__ = ["main"]

EXAMPLES = """
examples:
  python -m cubecast.tb mhu --config '{"dim": 3}' --cycles 4000
  python -m cubecast.tb arbiter --config '{"count": 4}' --seed 7
  python -m cubecast.tb mhu --config @mhu.json --cycles 500 --waves mhu.fst

exit status: 0 the two sides agree; 1 they do not, or an event that must happen did not;
"""


def _values(text: str) -> dict[str, Any]:
    """Parse a JSON object, or with ``@file`` the file that holds one."""
    try:
        values = parsed(text_of(Path(text[1:]), "file") if text.startswith("@") else text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"must be a JSON object or @file, not {text[:40]!r} ({error})") from None
    if not isinstance(values, dict):
        raise argparse.ArgumentTypeError(f"must be a JSON object, not {text[:40]!r}")
    return values


PROG = "python -m cubecast.tb"


def main(argv: list[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    return concluded(PROG, lambda: _replay(words), words)


def _replay(argv: list[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(
        prog=PROG,
        description="Run one unit's DUT beside its golden twin and compare all outputs in every cycle.",
        epilog=f"{EXAMPLES}{STATUSES}",
    )
    parser.add_argument("bench", help="a unit's name, or package.module:BENCH")
    parser.add_argument("--config", type=_values, default={}, metavar="JSON", help="configuration, or @FILE")
    parser.add_argument("--extra", type=_values, default={}, metavar="JSON", help="arguments of component and twin")
    parser.add_argument("--options", type=_values, default={}, metavar="JSON", help="arguments of the stimulus")
    parser.add_argument("--simulator", choices=SIMULATORS, default="verilator")
    parser.add_argument("--seed", type=int, default=1, help="seed of the stimulus, 0 to 2**64 - 1 (default 1)")
    parser.add_argument(
        "--cycles", "--clocks", type=int, default=2000, help="limit of cycles, 1 to 10^9 (default 2000)"
    )
    parser.add_argument("--speed", choices=("build", "run"), default="build", help="what Verilator optimises for")
    parser.add_argument("--netlist", choices=FAMILIES, help="simulate what Yosys makes of each router, or of the unit")
    parser.add_argument(
        "--start", type=int, metavar="N", help="registers begin with random values of this seed (Verilator)"
    )
    parser.add_argument("--any-events", action="store_true", help="pass even if an event did not happen")
    parser.add_argument(
        "--waves",
        type=file_name,
        metavar="FILE.fst",
        help="write waves, and views for GTKWave and Surfer beside them",
    )
    given = parser.parse_args(argv)
    check_seed(given.seed)
    try:
        bench = load(given.bench)
        module, _, attribute = bench.config.partition(":")
        config = getattr(importlib.import_module(module), attribute).from_json(given.config)
        report = lockstep(
            bench,
            config,
            simulator=given.simulator,
            cycles=given.cycles,
            seed=given.seed,
            extra=given.extra,
            options=given.options,
            waves=given.waves,
            require_events=not given.any_events,
            speed=given.speed,
            netlist=given.netlist,
            start=given.start,
        )
    except Mismatch as mismatch:
        print(mismatch)
        return 1
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    print(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
