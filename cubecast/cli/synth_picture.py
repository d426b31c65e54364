"""The slowest path of a placed design as SVG: where its nanoseconds go."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

__all__ = ["draw_path"]

LEFT = 250
BARS = 420
NAMES = 430
ROW = 22
HEAD = 62
COLOURS = {"routing": "#9a6fb0", "logic": "#2f81c1", "clk-to-q": "#3a9a5b", "setup": "#c98a2b"}

STYLE = """\
text { font-family: "DejaVu Sans", Helvetica, Arial, sans-serif; font-size: 12px; fill: #1b1f24; }
.title { font-size: 15px; font-weight: bold; }
.note { fill: #57606a; }
.source { text-anchor: end; }
"""

LONGEST = 44
"""Letters of a net's name at most; of a longer one the beginning is shown, which names the unit."""


def draw_path(result: Mapping[str, Any]) -> str:
    """Return the picture of a result of ``cubecast synth``: one row for each step, one bar for its time.

    Parameters
    ----------
    result : dict
        With ``unit``, ``target``, ``device``, ``mhz`` and ``critical_path``.

    Returns
    -------
    str
        SVG text; the same for the same result.
    """
    path, where = result["critical_path"], result["device"] or result["target"]
    whole = sum(step["ns"] for step in path)
    width, height = LEFT + BARS + NAMES, HEAD + ROW * len(path) + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text class="title" x="20" y="26">Slowest path of {escape(result["unit"])} on {where}: '
        f"{whole:.2f} ns, {min(result['mhz']['seeds']):g} MHz</text>",
        '<text class="note" x="20" y="46">line of Python, time, net or cell</text>',
    ]
    passed = 0.0
    for row, step in enumerate(path):
        y = HEAD + ROW * row
        name = step["net"] or step["cell"]
        name = name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."
        left, long = LEFT + BARS * passed / whole, max(1.0, BARS * step["ns"] / whole)
        lines += [
            f'<text class="source" x="{LEFT - 12}" y="{y + 14}">{escape(step["source"])}</text>',
            f'<rect x="{left:.1f}" y="{y + 3}" width="{long:.1f}" height="{ROW - 7}" '
            f'fill="{COLOURS.get(step["kind"], "#57606a")}"/>',
            f'<text x="{LEFT + BARS + 12}" y="{y + 14}">{step["ns"]:.2f} ns {escape(name)}</text>',
        ]
        passed += step["ns"]
    x = 20
    for kind in dict.fromkeys(step["kind"] for step in path):
        y = height - 26
        lines.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{COLOURS.get(kind, "#57606a")}"/>')
        lines.append(f'<text x="{x + 20}" y="{y + 12}">{escape(kind)}</text>')
        x += 110
    return "\n".join([*lines, "</svg>", ""])
