"""Command lines of the campaigns: what more than one of them has."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from cubecast.golden.packet.contract.config import LINKS, ROUTINGS
from cubecast.options.arguments import Parser, integer
from cubecast.options.ending import STATUSES, concluded

__all__ = ["add_packet_network", "answer", "main_of", "outcome_of"]


def main_of(
    prog: str, description: str, text: str, add: Callable[[Parser], None], run: Callable[[argparse.Namespace], int]
) -> Callable[..., int]:
    """Return the main function of a campaign: it runs a command line and returns the exit status.

    Parameters
    ----------
    prog, description, text : str
        How it is called, what it does, and what its help text says below the options.
    add : function
        Adds the options.
    run : function
        Does what they ask for; returns the exit status.
    """

    def main(argv: Sequence[str] | None = None) -> int:
        words = sys.argv[1:] if argv is None else argv

        def campaign() -> int:
            parser = Parser(prog=prog, description=description, epilog=f"{text}{STATUSES}")
            add(parser)
            return run(parser.parse_args(words))

        return concluded(prog, campaign, words)

    return main


def add_packet_network(parser: argparse.ArgumentParser, *, dim: int) -> None:
    """Add the parameters of a packet network; ``dim`` is the default of the first."""
    parser.add_argument("--dim", type=integer, default=dim, metavar="N", help="dimension (default %(default)s)")
    parser.add_argument("--link", choices=LINKS, default=LINKS[0], help="kind of links (default %(default)s)")
    parser.add_argument("--routing", choices=ROUTINGS, default=ROUTINGS[1], help="routing (default %(default)s)")
    parser.add_argument("--rows", type=integer, default=13, metavar="N", help="rows per CAM (default %(default)s)")


def outcome_of(result: dict[str, Any]) -> str:
    """Return the first line of a result as a person reads it: how it ended, and why if not well."""
    return f"{result['outcome']}{': ' if result['text'] else ''}{result['text']}"


def answer(result: dict[str, Any], shown: Callable[[dict[str, Any]], str], *, as_json: bool) -> int:
    """Print the result of a campaign; return the exit status: 0 drained, 1 not.

    Parameters
    ----------
    result : dict
        What the campaign returned.
    shown : function
        Makes lines for a person of the result.
    as_json : bool
        Print one line of JSON instead.
    """
    print(json.dumps(result) if as_json else shown(result))
    return 0 if result["outcome"] == "drained" else 1
