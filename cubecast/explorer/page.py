"""The explorer's page, made of the modules of this folder, a recording, and the places of the nodes."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

__all__ = ["page"]


def page(recording: str, layout: Mapping[str, Any]) -> str:
    """Return the page, the same for the same recording.

    Parameters
    ----------
    recording : str
        Lines of a recording, as ``docs/explorer.md`` describes them.
    layout : mapping
        ``"width"`` and ``"height"`` of the picture, ``"places"`` of the nodes in it, their ``"radius"``, and
        ``"inside"``: links of the dimensions below it are lines that can be clicked.
    """
    folder = files(__package__)
    sources = {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir() if each.is_file()}
    modules = {
        name.removesuffix(".js"): f"data:text/javascript;base64,{_packed(text.encode())}"
        for name, text in sorted(sources.items())
        if name.endswith(".js")
    }
    return Template(sources["page.html"]).substitute(
        style=sources["style.css"],
        modules=json.dumps({"imports": modules}, indent=0),
        layout=json.dumps(layout),
        recording=_packed(gzip.compress(recording.encode(), mtime=0)),
    )


def _packed(content: bytes) -> str:
    """Return bytes as text."""
    return base64.b64encode(content).decode()
