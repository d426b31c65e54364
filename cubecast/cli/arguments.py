"""What all commands share: one-line errors, value parsers, and the options that make a configuration."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig

__all__ = ["Parser", "UsageError", "add_config", "addresses", "config_of", "examples", "integer", "links"]

_SHARED = ("dim", "width", "log_depth")
_MULTICAST = ("max_dest", "max_data", "max_list", "policy", "source_field", "lanes")
_PACKET = ("rows", "max_words", "routing", "link", "fifo_depth")


class UsageError(Exception):
    """Bad input: the text is one line that names the parameter, its value and what is allowed."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose options are never abbreviated."""

    def __init__(self, **settings: Any) -> None:
        """Take the settings of ``argparse.ArgumentParser``."""
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Print one line and end with status 2."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())}\n")


def examples(text: str) -> str:
    """Return the epilog of a help text: the example commands, indented."""
    return "examples:\n" + "".join(f"  {line}\n" for line in text.splitlines())


def integer(text: str) -> int:
    """Return the integer that an option's value stands for: decimal, 0x... or 0b...

    Raises
    ------
    argparse.ArgumentTypeError
        It is none; argparse adds the option's name.
    """
    if not re.fullmatch(r"-?([0-9]{1,30}|0x[0-9a-fA-F]{1,30}|0b[01]{1,100})", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"must be an integer (decimal, 0x.. or 0b..), not {shown(text)}")
    return int(text, 10 if re.fullmatch("-?[0-9]+", text) else 0)


def addresses(text: str) -> list[int]:
    """Return the node addresses of an option's value such as ``7,20,29``.

    Raises
    ------
    argparse.ArgumentTypeError
        One of them is no integer.
    """
    try:
        return [integer(part.strip()) for part in text.split(",")]
    except argparse.ArgumentTypeError:
        wanted = "must be node addresses separated by commas, such as 7,20,29"
        raise argparse.ArgumentTypeError(f"{wanted}, not {shown(text)}") from None


def links(text: str) -> list[tuple[int, int]]:
    """Return the links of an option's value such as ``10-11,4-6``: the two ends of each.

    Raises
    ------
    argparse.ArgumentTypeError
        One of them is not two integers.
    """
    try:
        pairs = [[integer(end.strip()) for end in part.split("-")] for part in text.split(",")]
        return [(a, b) for a, b in pairs]
    except (argparse.ArgumentTypeError, ValueError):
        wanted = "must be links by their two ends, separated by commas, such as 10-11,4-6"
        raise argparse.ArgumentTypeError(f"{wanted}, not {shown(text)}") from None


def shown(value: object) -> str:
    """Return a value as an error message shows it: never longer than a line should be."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


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


def checked(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Call ``function``; the ``ValueError`` by which it refuses its arguments becomes a :class:`UsageError`."""
    try:
        return function(*positional, **named)
    except ValueError as error:
        raise UsageError(str(error)) from error
