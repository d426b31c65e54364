"""The picture of a study."""

from __future__ import annotations

import io
import re
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox

from cubecast.study.run import Result

__all__ = ["pictures"]

SETTINGS: Any = {
    "svg.hashsalt": "cubecast",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "savefig.dpi": 150,
}

TITLE = 80
"""Letters of a title that fit in one line."""

MARGIN = 3
"""Pixels between a legend and what is drawn: letters are not as wide in one format as in the other."""

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
        axes.set_title(_broken(f"{result.study.name}: {result.study.title}"), fontsize="medium")
        axes.grid(alpha=0.3)
        handles, labels = axes.get_legend_handles_labels()
        if result.parameters.get("left_out"):
            figure.supxlabel(f"left out: {result.parameters['left_out']}", fontsize="small", style="italic")
        if handles:
            # Long enough for dashes beside a mark.
            look: Any = {"fontsize": "small", "handlelength": 3}
            inside = axes.legend(handles, labels, **look)
            figure.draw_without_rendering()
            if not _placed(axes, inside):
                inside.remove()
                # Below the axes stands what is left out.
                figure.legend(handles, labels, **look, ncols=3, loc="outside upper center")
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            content = io.BytesIO()
            # Without date and version, so that the file does not change when the data do not.
            figure.savefig(content, format=kind, metadata=metadata)
            drawn[kind] = content.getvalue()
    drawn["svg"] = _smaller(drawn["svg"].decode()).encode()
    return drawn


def _broken(title: str) -> str:
    """Return a title in two lines if it is too long for one."""
    return title.replace("; ", ";\n") if len(title) > TITLE else title


def _placed(axes: Axes, legend: Legend) -> bool:
    """Put a legend where it covers nothing, whatever the format; return whether there is such a place."""
    for place in range(1, 11):
        # Matplotlib's own choice sees no vertical lines, and is another one for each resolution.
        legend.set_loc(place)
        if not _hidden(axes, legend.get_window_extent().padded(MARGIN)):
            return True
    return False


def _hidden(axes: Axes, legend: Bbox) -> bool:
    """Return whether a legend covers a part of a curve, a mark or a bar."""
    paths = [path for lines in axes.collections for path in lines.get_paths()]
    covered = [axes.transData.transform_path(path).intersects_bbox(legend, filled=False) for path in paths]
    for line in axes.lines:
        path = line.get_transform().transform_path(line.get_path())
        drawn = line.get_linestyle() not in ("None", "none", "")
        marked = line.get_marker() not in ("None", "none", "")
        covered.append(drawn and path.intersects_bbox(legend, filled=False))
        reach = line.get_markersize() / 2 * axes.figure.dpi / 72
        covered.append(marked and bool(legend.padded(reach).count_contains(path.vertices)))
    return any(covered) or any(patch.get_window_extent().overlaps(legend) for patch in axes.patches)


def _smaller(svg: str) -> str:
    """Return the same picture without what nobody sees: metadata, indentation, and digits far behind the point."""
    svg = re.sub(r"<!DOCTYPE[^>]*>|<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r' (?:d|x|y|transform)="[^"]*"', lambda places: _rounded(places[0]), svg)
    return re.sub(r"\s*\n\s*", "\n", svg)


def _rounded(places: str) -> str:
    """Return the text with coordinates of :data:`DIGITS` digits."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{round(float(number[0]), DIGITS):g}", places)
