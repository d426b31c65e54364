"""The stages of a merge drawn into their hypercube, as SVG text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape

from cubecast.cli.picture import (
    COLUMN,
    MARGIN,
    RADIUS,
    ROW,
    Point,
    beside,
    check_dim,
    draw_arrow_head,
    draw_circle,
    draw_faulty,
    draw_head,
    draw_keys,
    draw_line,
    draw_node,
    draw_source,
    draw_square,
    node_places,
)
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, DIRECT, PART, Hop, MergePlan, Stage

__all__ = ["draw_stages"]

SCALE = 0.62
"""Size of the cube in a panel."""

COLUMNS = 2
PANEL_HEAD = 46
ASIDE = 7.0
"""Distance of a detour from the middle of its links: parts may go over them too."""

STAGE_STYLE = """\
.panel { font-size: 15px; font-weight: bold; }
.good { stroke: #d8dee4; stroke-width: 1; }
.broken { stroke: #cf222e; stroke-width: 1.6; stroke-dasharray: 3 5; }
.direct { stroke: #0969da; stroke-width: 3.4; }
.part { stroke: #bc4c00; stroke-width: 3.4; stroke-dasharray: 9 4; }
.detour { stroke: #8250df; stroke-width: 3.4; }
.head-direct { fill: #0969da; }
.head-part { fill: #bc4c00; }
.head-detour { fill: #8250df; }
"""


def draw_stages(plan: MergePlan, links: Iterable[Sequence[int]] = ()) -> str:
    """Return a picture with one panel for each stage: the roles of all nodes, and the messages.

    Parameters
    ----------
    plan : MergePlan
        Of a cube of dimension 2 to :data:`cubecast.cli.picture.LARGEST_DIM`.
    links : iterable of pairs of int
        Faulty links, to be drawn as such; those of excluded nodes are drawn so in any case.

    Returns
    -------
    str
        SVG text; the same for the same plan.

    Raises
    ------
    ValueError
        The cube is too large, or too small, to be drawn.
    """
    dim = plan.tree.dim
    check_dim(dim)
    places, panel_width, panel_height = _crop(dim)
    columns = min(COLUMNS, dim)
    rows = math.ceil(dim / columns)
    width = max(columns * panel_width + 2 * MARGIN, 760.0)
    top = 76.0
    legend = top + rows * panel_height
    keys = list(_keys(plan))
    across = max(1, int((width - 2 * MARGIN) // COLUMN))
    height = legend + 24 + math.ceil(len(keys) / across) * ROW
    dead = {frozenset(link) for link in links}
    parts = draw_head(width, height, _title(plan), _note(plan), STAGE_STYLE)
    for stage in plan.stages:
        x = MARGIN + stage.index % columns * panel_width
        y = top + stage.index // columns * panel_height
        parts.append(f'<text class="panel" x="{x:.0f}" y="{y + 24:.0f}">{escape(_heading(stage))}</text>')
        parts.append(f'<g transform="translate({x:.1f} {y + PANEL_HEAD:.1f}) scale({SCALE})">')
        parts += _panel(plan, stage, places, dead)
        parts.append("</g>")
    parts.append(f'<line class="rule" x1="{MARGIN}" y1="{legend:.1f}" x2="{width - MARGIN:.1f}" y2="{legend:.1f}"/>')
    parts += draw_keys(keys, across, legend)
    return "\n".join([*parts, "</svg>\n"])


def _crop(dim: int) -> tuple[list[Point], float, float]:
    """Return the place of every node in a panel, and the scaled width and height of a panel with its heading."""
    places, _, _ = node_places(dim)
    left, top = min(place.x for place in places), min(place.y for place in places)
    pad = RADIUS + 10
    moved = [Point(place.x - left + pad, place.y - top + pad) for place in places]
    width = max(place.x for place in moved) + pad + 40
    height = max(place.y for place in moved) + pad
    return moved, max(width * SCALE, 300.0), height * SCALE + PANEL_HEAD + 16


def _title(plan: MergePlan) -> str:
    """Return the headline."""
    order = ", ".join(map(str, plan.tree.order))
    return f"global merge in a {plan.tree.dim}-cube: sink {plan.tree.sink}, dimensions {order}"


def _note(plan: MergePlan) -> str:
    """Return the line below the headline."""
    faulty = plan.faulty_stages
    text = "no faulty stage" if not faulty else "1 faulty stage" if faulty == 1 else f"{faulty} faulty stages"
    return f"{text}; excluded: {', '.join(map(str, plan.excluded))}" if plan.excluded else text


def _heading(stage: Stage) -> str:
    """Return the line above a panel."""
    return f"stage {stage.index}, dimension {stage.dimension}"


def _panel(plan: MergePlan, stage: Stage, places: Sequence[Point], dead: set[frozenset[int]]) -> Iterator[str]:
    """Yield the cube in one stage."""
    for node in range(len(places)):
        for j in range(plan.tree.dim):
            other = node ^ 1 << j
            if node < other:
                broken = frozenset((node, other)) in dead or {node, other} & set(plan.excluded)
                yield draw_line("broken" if broken else "good", places[node], places[other])
    for message in stage.messages:
        yield from _arrows(message, places)
    for node, place in enumerate(places):
        yield from _node(plan, stage, node, place)


def _arrows(message: Hop, places: Sequence[Point]) -> Iterator[str]:
    """Yield one message, link by link."""
    for node, to in itertools.pairwise(message.path):
        start, end = places[node], places[to]
        if message.kind == DETOUR:
            start, end = beside(start, end, ASIDE)
        tip = end.towards(start, RADIUS + 2)
        neck = tip.towards(start, 14)
        yield draw_line(message.kind, start.towards(end, RADIUS), neck)
        yield draw_arrow_head(neck, tip, f"head-{message.kind}")


def _node(plan: MergePlan, stage: Stage, node: int, place: Point) -> list[str]:
    """Return one node with its role."""
    sends = [message for message in stage.messages if message.sender == node]
    group = "dark"
    if node in plan.excluded:
        mark = draw_faulty(place, wanted=False)
    elif node == plan.tree.sink:
        mark, group = draw_source(place), "light"
    elif sends and sends[0].kind == DIRECT:
        mark, group = draw_square("target", place), "light"
    elif sends:
        mark = draw_square("lost", place)
    elif node in stage.waits:
        mark = draw_circle("forward", place)
    else:
        mark, group = draw_circle("idle", place), "faint"
    return draw_node(group, mark, node, plan.tree.dim, place)


def _keys(plan: MergePlan) -> Iterator[tuple[Callable[[Point], Iterable[str]], str]]:
    """Yield what the legend explains: a sample to be drawn at a place, and its text."""
    kinds = {message.kind for stage in plan.stages for message in stage.messages}
    yield draw_source, "sink"
    yield partial(draw_square, "target"), "active: sends its data"
    if kinds & {PART, DETOUR}:
        yield partial(draw_square, "lost"), "active, its link is faulty"
    yield partial(draw_circle, "forward"), "passive: receives and merges"
    yield partial(draw_circle, "idle"), "idle in this stage"
    if plan.excluded:
        yield partial(draw_faulty, wanted=False), "excluded"
    texts = {DIRECT: "all its data", PART: "a part of its data, to a helper", DETOUR: "all its data, on a detour"}
    for kind, text in texts.items():
        if kind in kinds:
            yield partial(_sample, kind), text
    yield (
        lambda place: [draw_line("broken", Point(place.x - 26, place.y), Point(place.x + 26, place.y))],
        "faulty link",
    )


def _sample(kind: str, place: Point) -> list[str]:
    """Return the sample of a message."""
    neck, tip = Point(place.x + 15, place.y), Point(place.x + 28, place.y)
    return [draw_line(kind, Point(place.x - 28, place.y), neck), draw_arrow_head(neck, tip, f"head-{kind}")]
