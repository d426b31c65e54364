"""Send messages between RTL nodes: ``python -m cubecast.tb.campaigns.messages``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.arguments import Parser, integer
from cubecast.options.usage import checked
from cubecast.tb.campaigns.command import add_packet_network, answer, main_of, outcome_of
from cubecast.tb.campaigns.engines import add_engine
from cubecast.tb.campaigns.messages.run import Messages, run

__all__ = ["main"]

HELP = """\
The processors of all nodes send, broadcast and receive at paces that change, into buffers of their own and of the
system's; their memories stall. Receives of a node name source and type, either of them, or none. Each message must
come once to each of its destinations, in a receive that it fits, with its bytes and nothing beside them, in the order
of its stream; at the end all buffers are free and nothing moves.

examples:
  python -m cubecast.tb.campaigns.messages --dim 2 --messages 20000
  python -m cubecast.tb.campaigns.messages --messages 1000000 --cubes 8 --json
  python -m cubecast.tb.campaigns.messages --engine verilator --buffers 1 --eager 8

exit status: 0 all is well; 1 lost, doubled, wrong or at a standstill;
"""


PROG = "python -m cubecast.tb.campaigns.messages"


def _add(parser: Parser) -> None:
    """Add the options."""
    add_packet_network(parser, dim=3)
    parser.add_argument("--buffers", type=integer, default=2, metavar="N", help="system buffers (default 2)")
    parser.add_argument("--eager", type=integer, default=2, metavar="N", help="packets sent unasked (default 2)")
    parser.add_argument("--messages", type=integer, default=10_000, metavar="N", help="messages (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, metavar="N", help="of everything random (default 1)")
    parser.add_argument(
        "--cubes", type=integer, default=1, metavar="N", help="networks beside each other that share them (default 1)"
    )
    add_engine(parser)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")


def _run(given: argparse.Namespace) -> int:
    """Do it; return the exit status."""
    names = ("dim", "link", "routing", "rows")

    def messages() -> dict[str, Any]:
        router = checked(PacketConfig, **{name: getattr(given, name) for name in names})
        own = {"buffers": given.buffers, "eager": given.eager}
        config = checked(NodeConfig, router=router, buffer_bytes=96, tracked=2, hash_bits=1, **own)
        sent = checked(Messages, messages=given.messages, seed=given.seed, cubes=given.cubes)
        return run(config, sent, engine=given.engine)

    return answer(messages(), _shown, as_json=given.json)


def _shown(result: dict[str, Any]) -> str:
    """Return the result as a person reads it."""
    lines = [
        outcome_of(result),
        f"{result['messages']:,} messages, {result['broadcasts']:,} broadcasts and {result['neighbours']:,} to several "
        f"neighbours among them, in {result['clocks']:,} cycles, {result['seconds']:.1f} s",
        f"{result['deliveries']:,} received, {result['truncated']:,} truncated, {result['bytes']:,} bytes, "
        f"{result['lent']:,} in buffers of the system",
        *(f"{result[name]:,} {name}" for name in ("unexpected", "postponed", "rewinds") if name in result),
    ]
    return "\n".join(lines)


DESCRIPTION = "Let the processors of RTL nodes send messages to each other, and see that each comes as it was sent."

main = main_of(PROG, DESCRIPTION, HELP, _add, _run)
"""Run a command line; return the exit status."""


if __name__ == "__main__":
    sys.exit(main())
