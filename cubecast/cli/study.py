"""``cubecast study``: the result figures and tables of the sources, made anew."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from cubecast.options.arguments import Parser, examples, folder_name, integer
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_folder, write_files
from cubecast.options.text import print_text, table
from cubecast.options.usage import ToolError, UsageError, check_seed

if TYPE_CHECKING:
    from cubecast.study import Study

__all__ = ["add", "run"]

EXAMPLES = """\
cubecast study list
cubecast study lan-5.3 -o results
cubecast study all --quick -o results/quick
cubecast study lan-5.4 --scheduler tcp://node0:8786 -o results
"""

TEACHING = """\
Each study makes a figure or table of one of the sources again: its curves as NAME.csv, everything as NAME.json, a
plot as NAME.svg and NAME.png; and it prints a line for each claim of the text: the claim [what was measured], where it
stands, the value with its 95 % confidence interval, and the verdict.

The same seed gives the same numbers, however many processes or machines share the work. What is done is kept in
points.jsonl in the folder: a study that was stopped goes on from there, and points of another seed or with --quick
stand there side by side.
"""

DEFAULT_SEED = 1988

MOST_JOBS = 1024


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "study",
        help="make result figures of the sources anew, with a verdict on every claim",
        description="Make the result figures and tables of the sources anew, and hold their claims against them.",
        epilog=f"{TEACHING}\n{examples(EXAMPLES)}\nexit status: 0, whatever the verdicts;\n{STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("name", metavar="NAME", help="the study; all; or list, which prints the names")
    parser.add_argument("-o", "--out", type=folder_name, metavar="DIR", help="folder for the results, made if needed")
    parser.add_argument("--quick", action="store_true", help="fewer points, runs and messages, for a first look")
    parser.add_argument(
        "--seed", type=integer, metavar="N", default=DEFAULT_SEED, help="seed, 0 to 2**64 - 1 (default %(default)s)"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=integer, metavar="N", help="processes (default: one for each processor)")
    where.add_argument("--scheduler", metavar="URL", help="take the workers of this Dask scheduler, tcp://host:port")


def run(arguments: argparse.Namespace) -> int:
    """Run the studies, or list them; return the exit status."""
    from cubecast.study import StudyError, StudyFailure, all_studies, find_studies

    if arguments.name == "list":
        unset = {"out": None, "quick": False, "seed": DEFAULT_SEED, "jobs": None, "scheduler": None}
        for name, value in unset.items():
            if getattr(arguments, name) != value:
                raise UsageError(f"{name} must be left out with list, which runs no study")
        studies = all_studies().values()
        print_text(table(("name", "source", "what"), [(study.name, study.source, study.title) for study in studies]))
        return 0
    try:
        _run_all(arguments, find_studies(arguments.name))
    except StudyFailure as error:
        raise ToolError(str(error)) from error
    except StudyError as error:
        raise UsageError(str(error)) from error
    return 0


def _run_all(arguments: argparse.Namespace, studies: list[Study]) -> None:
    """Run studies one after the other; each one's files are written when it is done."""
    from cubecast.study import Store, available_cpus, claim_line, open_executor, result_files, run_study

    if arguments.out is None:
        raise UsageError("-o DIR is required")
    check_seed(arguments.seed)
    jobs = available_cpus() if arguments.jobs is None else arguments.jobs
    if not 1 <= jobs <= MOST_JOBS:
        raise UsageError(f"jobs must be an integer from 1 to {MOST_JOBS}, not {jobs}")
    output_folder(arguments.out)
    if find_spec("matplotlib") is None:
        raise ToolError("study needs matplotlib: pip install 'cubecast[study]'")
    with open_executor(jobs, arguments.scheduler) as executor, Store(arguments.out) as store:
        for study in studies:
            begin = time.monotonic()
            progress = _progress(study.name)
            try:
                result = run_study(
                    study, executor, store, quick=arguments.quick, seed=arguments.seed, progress=progress
                )
            finally:
                progress(0, 0)
            written = write_files(arguments.out, result_files(result))
            lines = [f"{study.name}: {study.title} ({study.source}), {time.monotonic() - begin:.1f} s"]
            lines += [f"  {claim_line(claim)}" for claim in result.claims]
            if result.parameters.get("left_out"):
                lines.append(f"  left out: {result.parameters['left_out']}")
            lines.append(f"  files: {', '.join(map(str, written))}")
            print_text([*lines, ""])
            sys.stdout.flush()


def _progress(name: str) -> Callable[[int, int], None]:
    """Return what shows the progress on a terminal, and takes it away again at ``(0, 0)``."""
    if not sys.stderr.isatty():
        return lambda done, of: None

    def show(done: int, of: int) -> None:
        """Show a line in place of the last one."""
        text = f"{name}: {done} of {of} points" if of else ""
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    return show
