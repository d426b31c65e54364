"""Saturate a network: ``python -m cubecast.tb.campaigns.saturation``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cubecast.options.arguments import Parser, integer
from cubecast.options.usage import checked
from cubecast.systems.multicast import SYSTEM
from cubecast.systems.parameters import add_config, config_of
from cubecast.tb.campaigns.command import answer, main_of, outcome_of
from cubecast.tb.campaigns.saturation.build import ENGINES
from cubecast.tb.campaigns.saturation.run import FAULTS, PATIENCE, STALLS, Campaign, run

__all__ = ["main"]

HELP = """\
Every processor sends random messages (unicasts, multicasts, long lists, broadcasts; payload of 0 to max_data words)
as fast as the network takes them. A scoreboard knows each message by its payload:

  faults  what happens                                          what must come of each message
  none    nothing                                               delivered once to each destination
  rule    nodes are faulty, at most one beside each fault-free  the same, and the faulty nodes are reported
          node; ten sets of them, one after the other
  live    links and nodes fail and are repaired at any time,    each destination gets it once, or is reported; a
          for one cycle or many, told at one end or both        delivery may be cut off, with error and a word 0

At the end the network drains, and the counters of all routers are read and must say the same. A network that takes,
delivers and reports nothing for so many cycles while something is owed is at a standstill (a deadlock or a loss):
--lanes 1 with the policy greedy shows one.

examples:
  python -m cubecast.tb.campaigns.saturation --dim 4 --faults live --messages 1000000
  python -m cubecast.tb.campaigns.saturation --dim 3 --policy ordered --faults rule --malformed 0.1 --seed 7 --json
  python -m cubecast.tb.campaigns.saturation --dim 3 --lanes 1       comes to a standstill
  python -m cubecast.tb.campaigns.saturation --dim 3 --engine verilator  the same by another simulation, slower

exit status: 0 all is well; 1 lost, doubled, wrong or at a standstill;
"""


def _mix(text: str) -> tuple[int, ...]:
    """Return the weights that an option's value stands for."""
    return tuple(integer(part) for part in text.split(","))


def _share(text: str) -> float:
    """Return the number that an option's value stands for."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, not {text[:60]!r}") from None


PROG = "python -m cubecast.tb.campaigns.saturation"


def _add(parser: Parser) -> None:
    """Add the options."""
    add_config(parser)
    group = parser.add_argument_group("campaign")
    group.add_argument("--messages", type=integer, default=100_000, metavar="N", help="messages (default %(default)s)")
    group.add_argument("--faults", choices=FAULTS, default="none", help="see below (default %(default)s)")
    group.add_argument("--malformed", type=_share, default=0.0, metavar="P", help="share of malformed messages, 0 to 1")
    group.add_argument(
        "--mix",
        type=_mix,
        default=(4, 4, 1, 1),
        metavar="U,M,L,B",
        help="weights of unicasts, multicasts, long lists and broadcasts (default 4,4,1,1)",
    )
    group.add_argument("--stalls", choices=STALLS, default="random", help="of the receivers (default %(default)s)")
    group.add_argument("--seed", type=integer, default=1, metavar="N", help="of everything random (default 1)")
    group.add_argument("--patience", type=integer, default=PATIENCE, metavar="N", help="cycles (default %(default)s)")
    own = ENGINES[:2]
    group.add_argument("--engine", choices=own, default=own[0], help="what simulates (default %(default)s)")
    group.add_argument("--json", action="store_true", help="print one line of JSON")


SHORT = 20_000
"""Messages up to which the compiler takes longer to optimise than the run saves."""


def _run(given: argparse.Namespace) -> int:
    """Do it; return the exit status."""

    def saturate() -> dict[str, Any]:
        config = config_of(given, SYSTEM)
        names = ("messages", "faults", "malformed", "mix", "stalls", "seed", "patience")
        campaign = checked(Campaign, **{name: getattr(given, name) for name in names})
        speed = "build" if given.messages <= SHORT else "run"
        result: dict[str, Any] = checked(run, config, campaign, engine=given.engine, speed=speed, progress=True)
        return result

    return answer(saturate(), _shown, as_json=given.json)


def _shown(result: dict[str, Any]) -> str:
    """Return the result as a person reads it."""
    reports = ", ".join(f"{name} {count:,}" for name, count in result["reports"].items()) or "none"
    lines = [
        outcome_of(result),
        f"{result['messages']:,} messages in {result['clocks']:,} cycles, {result['seconds']:.1f} s",
        f"{result['deliveries']:,} deliveries of {result['words']:,} words, {result['cut_off']:,} cut off",
        f"reports: {reports}; {result['failures']:,} faults while it ran",
        f"latency: {result['mean_latency']:.1f} cycles on average, {result['largest_latency']:,} at most",
    ]
    return "\n".join(lines)


DESCRIPTION = "Send as many messages through the RTL network as it takes, and see that none is lost or doubled."

main = main_of(PROG, DESCRIPTION, HELP, _add, _run)
"""Run a command line; return the exit status."""


if __name__ == "__main__":
    sys.exit(main())
