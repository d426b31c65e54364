"""Flood a packet network: ``python -m cubecast.tb.campaigns.flood``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cubecast.golden.packet.contract.unruled import UnruledConfig
from cubecast.options.arguments import Parser, integer
from cubecast.options.usage import checked
from cubecast.tb.campaigns.command import add_packet_network, answer, main_of, outcome_of
from cubecast.tb.campaigns.engines import add_engine
from cubecast.tb.campaigns.flood.run import Flood, run

__all__ = ["main"]

HELP = """\
Every node sends random messages of several packets, and broadcasts, as fast as the network takes them, while the
receivers stop now and then. Each packet must come once to each of its destinations, with its words, in the order of
its buffer slot; nothing may be reported; at the end the network must drain. A network that takes and delivers nothing
for so many cycles is at a standstill (a deadlock or a loss).

examples:
  python -m cubecast.tb.campaigns.flood --dim 4 --link serial
  python -m cubecast.tb.campaigns.flood --dim 4 --routing fixed --rows 2 --seed 7 --json
  python -m cubecast.tb.campaigns.flood --dim 3 --rows 2 --no-contrary-rule      comes to a standstill

exit status: 0 all is well; 1 lost, doubled, wrong or at a standstill;
"""


PROG = "python -m cubecast.tb.campaigns.flood"


def _add(parser: Parser) -> None:
    """Add the options."""
    add_packet_network(parser, dim=4)
    parser.add_argument("--max-words", type=integer, default=15, metavar="N", help="words per packet (default 15)")
    parser.add_argument("--no-contrary-rule", action="store_true", help="never refuse a contrary packet: can deadlock")
    parser.add_argument(
        "--cycles", "--clocks", type=integer, default=50_000, metavar="N", help="cycles (default %(default)s)"
    )
    parser.add_argument("--seed", type=integer, default=1, metavar="N", help="of everything random (default 1)")
    add_engine(parser)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")


def _run(given: argparse.Namespace) -> int:
    """Do it; return the exit status."""
    names = ("dim", "link", "routing", "rows", "max_words")

    def flood() -> dict[str, Any]:
        rule = not given.no_contrary_rule
        config = checked(UnruledConfig, **{name: getattr(given, name) for name in names}, contrary_rule=rule)
        return run(config, checked(Flood, cycles=given.cycles, seed=given.seed), engine=given.engine)

    return answer(flood(), _shown, as_json=given.json)


def _shown(result: dict[str, Any]) -> str:
    """Return the result as a person reads it."""
    lines = [
        outcome_of(result),
        f"{result['messages']:,} messages ({result['contrary']:,} contrary) and {result['broadcasts']:,} broadcasts "
        f"in {result['clocks']:,} cycles, {result['seconds']:.1f} s",
        f"{result['packets']:,} packets injected, {result['deliveries']:,} delivered, {result['words']:,} words",
        f"latency: {result['mean_latency']:.1f} cycles on average, {result['largest_latency']:,} at most",
    ]
    return "\n".join(lines)


DESCRIPTION = "Send as much through the RTL packet network as it takes, and see that nothing is lost or doubled."

main = main_of(PROG, DESCRIPTION, HELP, _add, _run)
"""Run a command line; return the exit status."""


if __name__ == "__main__":
    sys.exit(main())
