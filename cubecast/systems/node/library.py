"""The C library for the processor of a node: its two files as they are handed out."""

from __future__ import annotations

from pathlib import Path

from cubecast.systems.driver import named

__all__ = ["library"]

FILES = ("cubecast_node.h", "cubecast_node.c")
"""The files; they stand beside this one."""


def library(name: str) -> dict[str, str]:
    """Return the files by name, for the registers that the header ``<name>_node_regs.h`` describes.

    Parameters
    ----------
    name : str
        First word of the names of files and functions, and in capitals of macros.
    """
    here = Path(__file__).parent
    texts = {file: (here / file).read_text() for file in FILES}
    return {named(file, name): named(text, name) for file, text in texts.items()}
