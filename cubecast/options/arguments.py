"""Arguments of every command: a parser with one-line errors, and the values that options hold."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from cubecast.options.usage import UsageError, shown

__all__ = [
    "Parser",
    "addresses",
    "decimal",
    "examples",
    "file_name",
    "folder_name",
    "input_name",
    "integer",
    "links",
    "up_to",
]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose options are never abbreviated."""

    def __init__(self, **settings: Any) -> None:
        """Take the settings of ``argparse.ArgumentParser``."""
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise :class:`UsageError` with one line."""
        raise UsageError(" ".join(message.split()), self.prog)


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


def decimal(text: str) -> float:
    """Return the number that an option's value stands for.

    Raises
    ------
    argparse.ArgumentTypeError
        It is none; argparse adds the option's name.
    """
    if not re.fullmatch(r"[0-9]{0,9}\.?[0-9]{1,12}", text, re.ASCII):
        wanted = "must be a decimal number of at most 12 digits after the point, such as 0.15"
        raise argparse.ArgumentTypeError(f"{wanted}, not {shown(text)}")
    return float(text)


def up_to(most: int) -> Callable[[str], int]:
    """Return the type of an option whose value is an integer from 1 to ``most``."""

    def number(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,30}", text, re.ASCII) or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be an integer from 1 to {most}, not {shown(text)}")
        return int(text)

    return number


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


def file_name(text: str) -> Path:
    """Return the file that an option names.

    Raises
    ------
    argparse.ArgumentTypeError
        It is the name of a folder, empty, or ``-``, by which others mean a stream.
    """
    if text == "-":
        raise argparse.ArgumentTypeError("must be the name of a file, not '-': standard input and output are not taken")
    if text.endswith("/"):
        raise argparse.ArgumentTypeError(f"must be the name of a file, not {shown(text)}")
    return input_name(text)


def input_name(text: str) -> Path:
    """Return the file that an option names to be read.

    Raises
    ------
    argparse.ArgumentTypeError
        The name is empty, which would be the working folder.
    """
    if not text:
        raise argparse.ArgumentTypeError(f"must be the name of a file, not {shown(text)}")
    return Path(text)


def folder_name(text: str) -> Path:
    """Return the folder that an option names.

    Raises
    ------
    argparse.ArgumentTypeError
        The name is empty, which would be the working folder, or ``-``, by which others mean a stream.
    """
    if text == "-":
        raise argparse.ArgumentTypeError("must be the name of a folder, not '-': standard output is not taken")
    if not text:
        raise argparse.ArgumentTypeError(f"must be the name of a folder, not {shown(text)}")
    return Path(text)


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
