"""Plots of curves: latency, and what is accepted, against what is offered; the same to the byte for the same data."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from cubecast.tb.campaigns.load.plots import SETTINGS, dress, plain_logarithm

__all__ = ["draw"]


def draw(curves: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, bytes]:
    """Return the plot as ``svg`` and ``png``.

    Parameters
    ----------
    curves : dict
        Name to points.
    """
    drawn = {}
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(9, 4.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        named = {}
        for place, (name, points) in enumerate(curves.items()):
            ordered = sorted(points, key=lambda point: float(point["offered"]))
            offered = [point["offered"] for point in ordered]
            for what, style in (("mean", "o-"), ("p99", "s--")):
                latency = [float("nan") if (value := point["latency"][what]) is None else value for point in ordered]
                (named[f"{name}, {what}".lstrip(", ")],) = left.plot(offered, latency, style, color=f"C{place}")
            right.plot(offered, [point["delivered"] for point in ordered], "o-", color=f"C{place}")
        dress(left, "offered, words per node and cycle", "latency in cycles")
        dress(right, "offered, words per node and cycle", "delivered")
        names = [name.encode(errors="backslashreplace").decode() for name in named]
        legend = figure.legend([*named.values()], names, loc="outside lower center", ncols=3, fontsize="small")
        for text in legend.get_texts():
            # A name may be that of a folder, and is no formula.
            text.set_parse_math(False)
        right.set_ylim(bottom=0)
        plain_logarithm(left)
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            content = io.BytesIO()
            figure.savefig(content, format=kind, metadata=metadata)
            drawn[kind] = content.getvalue()
    return drawn
