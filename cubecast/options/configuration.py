"""The options that make a configuration."""

from __future__ import annotations

import argparse
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig
from cubecast.options.arguments import integer
from cubecast.options.usage import UsageError, checked

__all__ = ["add_config", "config_of"]

_SHARED = ("dim", "width", "log_depth")
_MULTICAST = ("max_dest", "max_data", "max_list", "policy", "source_field", "lanes", "decision_latency")
_PACKET = ("rows", "max_words", "routing", "link", "fifo_depth")


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the options that make a :class:`Config` or a :class:`PacketConfig`."""
    whole = dict[str, Any](type=integer, metavar="N")
    group = parser.add_argument_group("parameters of both routers")
    group.add_argument("--dim", **whole, required=True, help="dimension n of the cube, 2 to 10")
    group.add_argument(
        "--width", **whole, help="bits of a link, n to 512 (default 32); packet: of a word, n + 4 to 64 (default 16)"
    )
    fault = group.add_mutually_exclusive_group()
    fault.add_argument(
        "--fault-free",
        action="store_true",
        help="no fault vector; in the multicast router, header ends with S instead of Control",
    )
    group.add_argument("--log-depth", **whole, help="entries of the error log, 1 to 256 (default 16)")
    group = parser.add_argument_group("parameters of the multicast router")
    group.add_argument("--max-dest", **whole, help="m, longest list the multicaster splits (default min(8, 2^n - 2))")
    group.add_argument("--max-data", **whole, help="longest payload in words, 0 to 4096 (default 16)")
    group.add_argument("--max-list", **whole, help="longest list a message may carry (default min(2^n - 2, 32), >= m)")
    group.add_argument("--policy", choices=POLICIES, help=f"routing policy (default {POLICIES[0]})")
    fault.add_argument("--source-field", action="store_true", help="multicast: one more header word S after Control")
    group.add_argument("--lanes", **whole, help="message handling units per channel (default: what the policy needs)")
    group.add_argument("--decision-latency", **whole, help="cycles per forwarding dimension, 1 or 2 (default 1)")
    group = parser.add_argument_group("parameters of the packet router")
    group.add_argument("--rows", **whole, help="packets that a packet buffer unit holds, 1 to 64 (default 13)")
    group.add_argument("--max-words", **whole, help="longest packet, in words after the head, 1 to 63 (default 15)")
    group.add_argument("--routing", choices=ROUTINGS, help="first hop of a message (default quasi-adaptive)")
    group.add_argument("--link", choices=LINKS, help=f"a word or a bit per clock (default {LINKS[0]})")
    group.add_argument("--fifo-depth", **whole, help="words that the node input port holds (default 2 * max-words + 4)")


def config_of(arguments: argparse.Namespace, *, packet: bool = False) -> Any:
    """Return the :class:`Config`, or with ``packet`` the :class:`PacketConfig`, that the options ask for.

    Raises
    ------
    UsageError
        A parameter is out of range, or one of the other router.
    """
    given = {name: getattr(arguments, name) for name in (*_SHARED, *_MULTICAST, *_PACKET)}
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    own, other, kind = (_PACKET, _MULTICAST, PacketConfig) if packet else (_MULTICAST, _PACKET, Config)
    for name in other:
        if name in given:
            router, without = ("multicast", "packet") if packet else ("packet", "multicast")
            text = (
                f"{name.replace('_', '-')} must be given with the {router} router only, not with the {without} router"
            )
            raise UsageError(text)
    for name in ("max_dest", "max_list", "lanes", "fifo_depth"):
        # -1 is the mark of a default inside the configuration, and no value of an option.
        if name in own and given.get(name) == -1:
            raise UsageError(f"{name} must be a positive integer, not -1")
    return checked(kind, fault_tolerant=not arguments.fault_free, **given)
