"""The picture of a study."""

from __future__ import annotations

import io
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from cubecast.study.run import Result

__all__ = ["pictures"]

SETTINGS: Any = {"svg.hashsalt": "cubecast", "svg.fonttype": "none", "font.size": 9.0, "savefig.dpi": 150}


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
    return drawn
