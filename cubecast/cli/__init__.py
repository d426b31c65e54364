"""Command line: all commands of ``cubecast``, each with a module of its name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from cubecast.options.arguments import Parser, examples
from cubecast.options.ending import STATUSES, concluded

__all__ = ["main"]

COMMANDS = (
    "route",
    "generate",
    "synth",
    "board",
    "simulate",
    "load",
    "load compare",
    "reduce",
    "ring",
    "explore",
    "study",
)
"""Commands, some of two words, each with a module of its name."""

EXAMPLES = """\
cubecast route --dim 5 --source 6 --dest 7,20,29,18,1,0
cubecast generate router --dim 3 -o build/router
cubecast synth crosspoint-router --dim 3
cubecast simulate --dim 3 --messages examples/mixed.json
cubecast simulate --dim 3 --router packet --messages examples/packets.json
cubecast load --router crosspoint --dim 3
cubecast reduce --dim 4 --op sum --faulty-links 0-4,1-5,0-8 --fault 2
cubecast ring --dim 4 --nodes 0,2,3,5,6,10,13,15
cubecast study lan-5.3 -o results
"""

ENDINGS = f"""\
exit status: 0 done; 1 the two sides disagree, or something is not delivered;
{STATUSES};
with --json the line about an error is on standard output too: {{"error": ".."}}"""


def parser(names: Sequence[str] = COMMANDS) -> Parser:
    """Return the parser of the whole command line, or of some commands; the modules of others are not loaded."""
    top = Parser(
        prog="cubecast",
        description="Messages in a hypercube: multicast trees, Verilog of routers, the RTL network in simulation and "
        "under load, global merges and rings.",
        epilog=f"{examples(EXAMPLES)}\n{ENDINGS}",
    )
    top.add_argument("--version", action="store_true", help="print the version and stop")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for name in names:
        import_module(f"cubecast.cli.{name.replace(' ', '_')}").add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process if not given.

    Returns
    -------
    int
        Exit status: 0 done, 1 mismatch, something undelivered or no sink; the others are those of
        :func:`cubecast.options.ending.concluded`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if " ".join(words[:2]) in COMMANDS:
        words[:2] = [" ".join(words[:2])]
    named = [word for word in words[:1] if word in COMMANDS]
    return concluded(" ".join(["cubecast", *named]), lambda: _run(parser(named or COMMANDS), words), words)


def _run(top: Parser, argv: Sequence[str]) -> int:
    """Parse and dispatch."""
    arguments = top.parse_args(argv)
    if arguments.version:
        from cubecast import __version__

        print(f"cubecast {__version__}")
        return 0
    if arguments.command is None:
        top.error(f"a command is required: one of {', '.join(COMMANDS)} (see cubecast --help)")
    arguments.words = argv[argv.index(arguments.command) + 1 :]
    status: int = arguments.run(arguments)
    return status
