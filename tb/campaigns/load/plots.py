"""Plots: the documented figures as pictures, the same to the byte for the same data."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from cubecast.tb.campaigns.load.series import COLLISIONS
from cubecast.tb.campaigns.load.tables import file_name, label_of

__all__ = ["SETTINGS", "draw", "dress", "plain_logarithm"]

Line = dict[str, Any]

SETTINGS: Any = {"svg.hashsalt": "cubecast", "svg.fonttype": "none", "font.size": 9.0}
"""Of matplotlib, for all plots of load."""


def draw(lines: Sequence[Line]) -> dict[str, bytes]:
    """Return a plot of each series as SVG, by the name of its file.

    Parameters
    ----------
    lines : sequence of dict
        What was measured.
    """
    names = list(dict.fromkeys(line["series"] for line in lines))
    drawn = {}
    for name in names:
        mine = [line for line in lines if line["series"] == name]
        with matplotlib.rc_context(SETTINGS):
            figure = Figure(figsize=(9, 3.6), layout="constrained")
            if name == COLLISIONS:
                _collisions(figure, mine)
            else:
                _load(figure, mine, label_of(name))
            # Without a date, so that the file does not change when the data do not.
            content = io.BytesIO()
            figure.savefig(content, format="svg", metadata={"Date": None})
        drawn[f"{file_name(name)}.svg"] = content.getvalue()
    return drawn


def _load(figure: Figure, lines: Sequence[Line], label: Callable[[Line], str]) -> None:
    """Draw latency and throughput against what is offered; messages are compared by their data words."""
    left, right = figure.subplots(1, 2)
    for place, name in enumerate(dict.fromkeys(label(line) for line in lines)):
        mine = [line for line in lines if label(line) == name]
        colour = f"C{place}"
        loads = [_data(line, "offered") for line in mine]
        left.plot(loads, [_or_nan(line["message"]) for line in mine], "o-", color=colour, label=name)
        if any(line["packets"] > 1 for line in mine):
            firsts = [_or_nan(line["first"]) for line in mine]
            left.plot(loads, firsts, "s--", color=colour, label=f"{name}, first packet")
        right.plot(loads, [_data(line, "accepted") for line in mine], "o-", color=colour, label=name)
    for axes, what in ((left, "mean latency in cycles"), (right, "accepted")):
        dress(axes, "offered, data words per node and cycle", what)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize="small")
    right.set_ylim(bottom=0)
    plain_logarithm(left)


def _data(line: Line, name: str) -> float:
    """Return a load in data words: without heads and source words."""
    return float(line[name] * (line["words"] - 1) / (line["words"] + 1))


def _or_nan(value: float | None) -> float:
    """Return the value, or what is not drawn."""
    return float("nan") if value is None else value


def _collisions(figure: Figure, lines: Sequence[Line]) -> None:
    """Draw shares of collisions against the dimension."""
    axes = figure.subplots()
    for place, routing in enumerate(dict.fromkeys(line["routing"] for line in lines)):
        mine = [line for line in lines if line["routing"] == routing]
        dims, colour = [line["dim"] for line in mine], f"C{place}"
        equation = "eq. 5.1" if routing == "fixed" else "eq. 5.2"
        axes.plot(dims, [line["measured"] for line in mine], "o", color=colour, label=f"{routing}, measured")
        axes.plot(dims, [line["exact"] for line in mine], "-", color=colour, label=f"{routing}, exact")
        axes.plot(dims, [line["equation"] for line in mine], ":", color=colour, label=f"{routing}, {equation}")
    axes.set_xticks(sorted({line["dim"] for line in lines}))
    dress(axes, "dimension", "share of pairs that collide")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")


def dress(axes: Axes, across: str, up: str) -> None:
    """Give axes their names."""
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)


def plain_logarithm(axes: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers."""
    axes.set_yscale("log")
    for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        axis(LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 0.5)))
