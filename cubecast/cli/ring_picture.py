"""A ring of a group drawn into its hypercube, as SVG text."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape

from cubecast.cli.picture import (
    COLUMN,
    COMPASS,
    MARGIN,
    RADIUS,
    ROW,
    Point,
    beside,
    check_dim,
    draw_circle,
    draw_compass,
    draw_head,
    draw_line,
    draw_node,
    draw_square,
    node_places,
    tag_place,
)
from cubecast.golden.collective.algorithms.group_ring import GroupRing
from cubecast.golden.collective.algorithms.ring_path import links_of

__all__ = ["draw_ring"]

SIDE = 5.0
"""Distance of an arrow from the middle of its connection: each direction keeps to its own side."""

RING_STYLE = """\
.path { stroke-width: 2.6; fill: none; }
.hop { stroke-width: 1.2; fill: #ffffff; }
.place { font-size: 11px; text-anchor: middle; }
"""


def draw_ring(ring: GroupRing) -> str:
    """Return a picture of the cube with the ring in it.

    Each path has a colour of its own, and its number, 1 for the one that leaves the smallest member, on all its links.

    Parameters
    ----------
    ring : GroupRing
        Of a cube of dimension 2 to :data:`cubecast.cli.picture.LARGEST_DIM`.

    Returns
    -------
    str
        SVG text; the same for the same ring.

    Raises
    ------
    ValueError
        The cube is too large, or too small, to be drawn.
    """
    check_dim(ring.dim)
    places, width, height = node_places(ring.dim)
    legend = height + 8
    height += max(2 * ROW, COMPASS) + 16
    parts = [
        *draw_head(width, height, _title(ring), _note(ring, width), RING_STYLE),
        *(
            draw_line("link", places[node], places[node | 1 << j])
            for node in range(1 << ring.dim)
            for j in range(ring.dim)
            if not node >> j & 1
        ),
        *_arrows(ring, places),
        *(part for node in range(1 << ring.dim) for part in _node(ring, node, places[node])),
        f'<line class="rule" x1="{MARGIN}" y1="{legend:.1f}" x2="{width - MARGIN:.1f}" y2="{legend:.1f}"/>',
        *_legend(ring, legend),
        *draw_compass(ring.dim, Point(width - MARGIN - 46, legend + 66)),
    ]
    return "\n".join([*parts, "</svg>\n"])


def _title(ring: GroupRing) -> str:
    """Return the headline."""
    links = "1 link" if ring.links_used == 1 else f"{ring.links_used} links"
    state = "each used once" if ring.disjoint else "some used more than once"
    return f"group-multicast ring in a {ring.dim}-cube, {ring.order} order: {links}, {state}"


def _note(ring: GroupRing, width: float) -> str:
    """Return the line below the headline."""
    most = int((width - 2 * MARGIN) / 7.4)
    text = f"ring {', '.join(map(str, ring.ring))}, and back to {ring.ring[0]}"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _colour(index: int) -> str:
    """Return the colour of a path: neighbours on the ring are far apart on the circle of colours."""
    red, green, blue = colorsys.hls_to_rgb(index * 0.381966 % 1, 0.40 if index % 2 else 0.48, 0.75)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _arrows(ring: GroupRing, places: Sequence[Point]) -> Iterator[str]:
    """Yield every path as arrows, then the tags with its number."""
    tags: list[tuple[Point, str, str]] = []
    used = set(ring.link_use)
    for index, path in enumerate(ring.paths):
        colour = _colour(index)
        for node, to in links_of(path):
            start, end = beside(places[node], places[to], SIDE)
            tip = end.towards(start, RADIUS + 2)
            neck = tip.towards(start, 10)
            tail = start.towards(end, RADIUS + 1)
            yield (
                f'<line class="path" stroke="{colour}" x1="{tail.x:.1f}" y1="{tail.y:.1f}" '
                f'x2="{neck.x:.1f}" y2="{neck.y:.1f}"/>'
            )
            dx, dy = (tip.x - neck.x) / 2.2, (tip.y - neck.y) / 2.2
            corners = (tip, Point(neck.x - dy, neck.y + dx), Point(neck.x + dy, neck.y - dx))
            shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield f'<polygon class="tip" fill="{colour}" points="{shape}"/>'
            away = [place for other, place in enumerate(places) if other not in (node, to)]
            others = [beside(places[a], places[b], SIDE) for a, b in used if {a, b} != {node, to}]
            tags.append((tag_place(start, end, away, others, [place for place, _, _ in tags]), str(index + 1), colour))
    for place, text, colour in tags:
        yield from _tag(place, text, colour)


def _node(ring: GroupRing, node: int, place: Point) -> list[str]:
    """Return one node with its address."""
    member = node in ring.next_member
    passed = any(node in path for path in ring.paths)
    mark = draw_square("target", place) if member else draw_circle("forward" if passed else "idle", place)
    group = "light" if member else "dark" if passed else "faint"
    return draw_node(group, mark, node, ring.dim, place)


def _legend(ring: GroupRing, top: float) -> Iterator[str]:
    """Yield what explains the marks that the picture has, two columns of two."""
    samples: list[tuple[Callable[[Point], Iterable[str]], str]] = [(partial(draw_square, "target"), "member")]
    if any(node not in ring.next_member for path in ring.paths for node in path):
        samples.append((partial(draw_circle, "forward"), "node that only passes on"))
    if ring.hops:
        samples.append((_sample, f"path 1, from {ring.ring[0]} to {ring.ring[1]}"))
    samples.append(
        (lambda place: [draw_line("link", Point(place.x - 20, place.y), Point(place.x + 20, place.y))], "link not used")
    )
    for index, (sample, text) in enumerate(samples):
        spot = Point(MARGIN + 30 + COLUMN * (index % 2), top + 32 + ROW * (index // 2))
        yield from sample(spot)
        yield f'<text class="key" x="{spot.x + 38:.1f}" y="{spot.y + 4:.1f}">{escape(text)}</text>'


def _sample(place: Point) -> Iterator[str]:
    """Yield the sample of a path."""
    colour = _colour(0)
    ends = f'x1="{place.x - 30:.1f}" y1="{place.y:.1f}" x2="{place.x + 30:.1f}" y2="{place.y:.1f}"'
    yield f'<line class="path" stroke="{colour}" {ends}/>'
    yield from _tag(place, "1", colour)


def _tag(place: Point, text: str, colour: str) -> Iterator[str]:
    """Yield the tag on a link: the number of its path."""
    half = 4 + 3.6 * len(text)
    box = f'x="{place.x - half:.1f}" y="{place.y - 7.5:.1f}" width="{2 * half:.1f}" height="15" rx="4"'
    yield f'<rect class="hop" stroke="{colour}" {box}/>'
    yield f'<text class="place" x="{place.x:.1f}" y="{place.y + 4:.1f}">{text}</text>'
