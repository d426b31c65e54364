"""The picture of a study."""

from __future__ import annotations

import io
import re
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from cubecast.study.run import Result

__all__ = ["pictures"]

SETTINGS: Any = {
    "svg.hashsalt": "cubecast",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "savefig.dpi": 150,
}

DIGITS = 2
"""Digits behind the point of a coordinate in an SVG, in points of 1/72 inch."""


def pictures(result: Result) -> dict[str, bytes]:
    """Return the plot as ``svg`` and ``png``.

    ``left_out`` among the parameters, a text, stands in the picture: what the curves would show beside is said.
    """
    drawn = {}
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(6, 4.2), layout="constrained")
        axes = figure.subplots()
        result.study.draw(axes, result.parameters, result.points)
        axes.set_title(f"{result.study.name}: {result.study.title}", fontsize="medium")
        axes.grid(alpha=0.3)
        handles, labels = axes.get_legend_handles_labels()
        if handles:
            axes.legend(handles, labels, fontsize="small")
        if result.parameters.get("left_out"):
            figure.supxlabel(f"left out: {result.parameters['left_out']}", fontsize="small", style="italic")
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            content = io.BytesIO()
            # Without date and version, so that the file does not change when the data do not.
            figure.savefig(content, format=kind, metadata=metadata)
            drawn[kind] = content.getvalue()
    drawn["svg"] = _smaller(drawn["svg"].decode()).encode()
    return drawn


def _smaller(svg: str) -> str:
    """Return the same picture without what nobody sees: metadata, indentation, and digits far behind the point."""
    svg = re.sub(r"<!DOCTYPE[^>]*>|<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r' (?:d|x|y|transform)="[^"]*"', lambda places: _rounded(places[0]), svg)
    return re.sub(r"\s*\n\s*", "\n", svg)


def _rounded(places: str) -> str:
    """Return the text with coordinates of :data:`DIGITS` digits."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{round(float(number[0]), DIGITS):g}", places)
