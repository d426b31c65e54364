"""A multicast tree drawn into its hypercube, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from cubecast.golden.multicast.algorithms.tree import MulticastTree

__all__ = [
    "COLUMN",
    "COMPASS",
    "LARGEST_DIM",
    "MARGIN",
    "RADIUS",
    "ROW",
    "Point",
    "beside",
    "check_dim",
    "cube_places",
    "draw",
    "draw_arrow_head",
    "draw_circle",
    "draw_compass",
    "draw_faulty",
    "draw_head",
    "draw_keys",
    "draw_line",
    "draw_node",
    "draw_source",
    "draw_square",
    "node_places",
    "tag_place",
]

LARGEST_DIM = 5
"""Largest dimension that is still readable on paper."""

# Where a step in each dimension leads on the page. All links of a dimension are parallel; the vectors were searched
# for so that no link passes a node it does not end at by less than 40 units, and no two directions look alike; 6 is for
# pictures of smaller nodes.
STEPS: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((300, 0), (0, -210)),
    3: ((290, 60), (0, -240), (150, -110)),
    4: ((205, 123), (14, -257), (118, -79), (424, -11)),
    5: ((220, 95), (-30, -196), (115, -57), (553, -14), (203, -397)),
    6: ((-8, 207), (53, -96), (126, -43), (220, 31), (-138, 494), (-472, -12)),
}

RADIUS = 21
MARGIN = 40
HEAD = 72
ROW = 54
COLUMN = 300
COMPASS = 116
LEAST_WIDTH = 800

STYLE = """\
text { font-family: "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #1b1f24; }
.title { font-size: 17px; font-weight: bold; }
.note { font-size: 13px; fill: #57606a; }
.key { font-size: 12.5px; }
.number { font-size: 14px; font-weight: bold; text-anchor: middle; }
.binary { font-size: 9px; text-anchor: middle; }
.axis { stroke: #57606a; stroke-width: 1.4; }
.dimension { font-size: 11px; text-anchor: middle; fill: #57606a; }
.rule { stroke: #d0d7de; }
.link { stroke: #d8dee4; stroke-width: 1; }
.dead { stroke: #e5989b; stroke-width: 1.2; stroke-dasharray: 2 4; }
.used { stroke: #0969da; stroke-width: 3; }
.head { fill: #0969da; }
.tag { fill: #ffffff; stroke: #0969da; stroke-width: 1.2; }
.order { font-size: 11px; text-anchor: middle; fill: #0550ae; }
.idle { fill: #ffffff; stroke: #d0d7de; stroke-width: 1.2; }
.forward { fill: #ffffff; stroke: #0969da; stroke-width: 2.6; }
.target { fill: #2da44e; stroke: #116329; stroke-width: 2.2; }
.source { fill: #0a3069; stroke: #0a3069; stroke-width: 2; }
.ring { fill: none; stroke: #0a3069; stroke-width: 2; }
.lost { fill: #fff1e5; stroke: #bc4c00; stroke-width: 2.4; stroke-dasharray: 5 3; }
.faulty { fill: #ffebe9; stroke: #cf222e; stroke-width: 1.6; }
.cross { stroke: #f1989c; stroke-width: 2; }
.light text { fill: #ffffff; }
.faint text { fill: #8c959f; }
"""


class Point(NamedTuple):
    """A place on the page."""

    x: float
    y: float

    def towards(self, other: Point, length: float) -> Point:
        """Return the point ``length`` away in the direction of ``other``."""
        whole = math.dist(self, other)
        return Point(self.x + (other.x - self.x) * length / whole, self.y + (other.y - self.y) * length / whole)

    def between(self, other: Point, part: float) -> Point:
        """Return the point that divides the way to ``other``."""
        return Point(self.x + (other.x - self.x) * part, self.y + (other.y - self.y) * part)


Sample = Callable[[Point], Iterable[str]]


def draw(tree: MulticastTree) -> str:
    """Return a picture of the cube with the tree in it.

    Parameters
    ----------
    tree : MulticastTree
        Of a cube of dimension 2 to :data:`LARGEST_DIM`.

    Returns
    -------
    str
        SVG text; the same for the same tree.

    Raises
    ------
    ValueError
        The cube is too large, or too small, to be drawn.
    """
    check_dim(tree.dim)
    places, width, height = node_places(tree.dim)
    keys = list(_keys(tree))
    columns = max(1, int((width - 2 * MARGIN - COMPASS) // COLUMN))
    rows = math.ceil(len(keys) / columns)
    legend = height + 8
    height += max(rows * ROW, COMPASS) + 16
    parts = [
        *draw_head(width, height, _title(tree), _note(tree, width)),
        *_links(tree, places),
        *_arrows(tree, places),
        *(part for node in range(1 << tree.dim) for part in _node(tree, node, places[node])),
        f'<line class="rule" x1="{MARGIN}" y1="{legend:.1f}" x2="{width - MARGIN:.1f}" y2="{legend:.1f}"/>',
    ]
    parts += draw_keys(keys, columns, legend)
    corner = Point(width - MARGIN - 46, legend + 66)
    parts += draw_compass(tree.dim, corner)
    return "\n".join([*parts, "</svg>\n"])


def _title(tree: MulticastTree) -> str:
    """Return the headline."""
    links = "1 link" if tree.traffic == 1 else f"{tree.traffic} links"
    steps = "1 step" if tree.time == 1 else f"{tree.time} steps"
    return f"{tree.policy} in a {tree.dim}-cube from node {tree.source}: traffic {links}, time {steps}"


def _note(tree: MulticastTree, width: float) -> str:
    """Return the line below the headline."""
    most = int((width - 2 * MARGIN) / 7.4)
    text = f"destinations {', '.join(map(str, tree.destinations))}"
    if tree.undeliverable:
        text += f"; undeliverable {', '.join(map(str, tree.undeliverable))}"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def check_dim(dim: int) -> None:
    """Raise ``ValueError`` for a cube that is too large, or too small, to be drawn."""
    if not 2 <= dim <= LARGEST_DIM:
        raise ValueError(f"dim must be an integer from 2 to {LARGEST_DIM} for a picture, not {dim}")


def draw_head(width: float, height: float, title: str, note: str, style: str = "") -> list[str]:
    """Return the start of a picture: its size, headline and the line below; ``style`` is added to that of all."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{STYLE}{style}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text class="title" x="{MARGIN}" y="34">{escape(title)}</text>',
        f'<text class="note" x="{MARGIN}" y="56">{escape(note)}</text>',
    ]


def draw_keys(keys: Iterable[tuple[Sample, str]], columns: int, legend: float) -> Iterator[str]:
    """Yield the legend below a line at this height: samples and what they mean."""
    for index, (sample, text) in enumerate(keys):
        place = Point(MARGIN + 30 + COLUMN * (index % columns), legend + 32 + ROW * (index // columns))
        yield from sample(place)
        yield f'<text class="key" x="{place.x + 38:.1f}" y="{place.y + 4:.1f}">{escape(text)}</text>'


def cube_places(dim: int) -> tuple[list[Point], float, float]:
    """Return the place of every node, the leftmost at x = 0 and the topmost at y = 0, and their width and height."""
    raw = [
        Point(
            sum(x for j, (x, _) in enumerate(STEPS[dim]) if node >> j & 1),
            sum(y for j, (_, y) in enumerate(STEPS[dim]) if node >> j & 1),
        )
        for node in range(1 << dim)
    ]
    left, top = min(place.x for place in raw), min(place.y for place in raw)
    places = [Point(place.x - left, place.y - top) for place in raw]
    return places, max(place.x for place in places), max(place.y for place in places)


def node_places(dim: int) -> tuple[list[Point], float, float]:
    """Return the place of every node, and the width and height that the cube needs with the head."""
    raw, across, down = cube_places(dim)
    width = max(across + 2 * (MARGIN + RADIUS), LEAST_WIDTH)
    places = [Point(place.x + (width - across) / 2, place.y + HEAD + RADIUS + 8) for place in raw]
    return places, width, down + HEAD + RADIUS + 8 + RADIUS + 24


def _links(tree: MulticastTree, places: Sequence[Point]) -> Iterator[str]:
    """Yield all links of the cube, faint; those of faulty nodes dotted."""
    for node in range(1 << tree.dim):
        for j in range(tree.dim):
            other = node | 1 << j
            if other != node:
                kind = "dead" if tree.faults & {node, other} else "link"
                yield draw_line(kind, places[node], places[other])


def _arrows(tree: MulticastTree, places: Sequence[Point]) -> Iterator[str]:
    """Yield the links used as arrows, then the tags on them."""
    used: dict[tuple[int, int], list[int]] = {}
    for node, decisions in tree.nodes.items():
        for order, decision in enumerate(decisions):
            used.setdefault((node, decision.to), []).append(order + 1)
    tags: list[tuple[Point, str]] = []
    for (node, to), orders in used.items():
        start, end = places[node], places[to]
        tip = end.towards(start, _reach(tree, to) + 1)
        neck = tip.towards(start, 11)
        yield draw_line("used", start.towards(end, RADIUS + 4 if node == tree.source else RADIUS), neck)
        yield draw_arrow_head(neck, tip)
        step = (to ^ tree.source).bit_count()
        if _separate(tree):
            text = f"{step}" if len(orders) == 1 else f"{step} x{len(orders)}"
        else:
            text = f"{step}.{orders[0]}"
        others = [(places[a], places[b]) for a, b in used if (a, b) != (node, to)]
        away = [place for other, place in enumerate(places) if other not in (node, to)]
        tags.append((tag_place(start, end, away, others, [place for place, _ in tags]), text))
    for place, text in tags:
        yield from _tag(place, text)


def tag_place(
    start: Point, end: Point, nodes: Sequence[Point], links: Sequence[tuple[Point, Point]], tags: Sequence[Point]
) -> Point:
    """Return the place on a link that is farthest from everything else, nodes and tags above all."""

    def room(part: float) -> float:
        """Return how free the place at ``part`` of the link is."""
        place = start.between(end, part)
        near = [math.dist(place, node) - RADIUS for node in (start, end, *nodes)]
        near += [math.dist(place, tag) - 14 for tag in tags]
        near += [1.5 * _distance(place, link) for link in links if not {start, end} & set(link)]
        return min(near) - 10 * abs(part - 0.45)

    return start.between(end, max((part / 40 for part in range(10, 29)), key=room))


def _distance(place: Point, link: tuple[Point, Point]) -> float:
    """Return the distance of a place from a link."""
    start, end = link
    length = math.dist(start, end)
    along = ((place.x - start.x) * (end.x - start.x) + (place.y - start.y) * (end.y - start.y)) / length**2
    return math.dist(place, start.between(end, min(1.0, max(0.0, along))))


def _node(tree: MulticastTree, node: int, place: Point) -> list[str]:
    """Return one node with its address."""
    if node in tree.faults:
        mark = draw_faulty(place, wanted=node in tree.destinations)
    elif node == tree.source:
        mark = draw_source(place)
    elif node in tree.undeliverable:
        mark = draw_square("lost", place)
    elif node in tree.delivered:
        mark = draw_square("target", place)
    else:
        mark = draw_circle("forward" if node in tree.nodes else "idle", place)
    light = node == tree.source or (node in tree.delivered and node not in tree.faults)
    idle = node not in tree.nodes and node not in tree.destinations and node not in tree.faults
    group = "light" if light else "faint" if idle else "dark"
    return draw_node(group, mark, node, tree.dim, place)


def _keys(tree: MulticastTree) -> Iterator[tuple[Sample, str]]:
    """Yield what the legend explains: a sample to be drawn at a place, and its text."""
    yield draw_source, "source, itself a destination" if tree.source in tree.delivered else "source"
    if set(tree.delivered) - {tree.source}:
        yield lambda place: draw_square("target", place), "destination"
    if any(node != tree.source and node not in tree.delivered for node in tree.nodes):
        yield lambda place: draw_circle("forward", place), "node that only forwards"
    if any(node not in tree.faults for node in tree.undeliverable):
        yield lambda place: draw_square("lost", place), "undeliverable destination"
    if tree.faults - set(tree.destinations):
        yield lambda place: draw_faulty(place, wanted=False), "faulty node"
    if tree.faults & set(tree.destinations):
        yield lambda place: draw_faulty(place, wanted=True), "faulty destination"
    if tree.traffic:
        if _separate(tree):
            yield _tagged_link("2 x3"), "step 2, three messages"
        else:
            yield _tagged_link("2.1"), "step 2, first copy of its sender"
    yield lambda place: [draw_line("link", Point(place.x - 20, place.y), Point(place.x + 20, place.y))], "link not used"


def draw_compass(dim: int, corner: Point) -> Iterator[str]:
    """Yield a star of short arrows that shows the direction of every dimension; ``corner`` is its origin."""
    origin = Point(0, 0)
    for j, step in enumerate(STEPS[dim]):
        tip, text = (origin.towards(Point(*step), length) for length in (30, 41))
        tip, text = (Point(corner.x + part.x, corner.y + part.y) for part in (tip, text))
        yield draw_line("axis", corner, tip)
        yield f'<text class="dimension" x="{text.x:.1f}" y="{text.y + 4:.1f}">{j}</text>'
    yield f'<text class="dimension" x="{corner.x:.1f}" y="{corner.y + 40:.1f}">dimension</text>'


def _separate(tree: MulticastTree) -> bool:
    """Return whether several messages are sent, so that a link may be crossed more than once."""
    return tree.policy in ("unicast", "spare")


def _reach(tree: MulticastTree, node: int) -> float:
    """Return how far from a node's centre an arrow must end."""
    return RADIUS + 2 if node in tree.delivered else RADIUS + 1


def draw_line(kind: str, start: Point, end: Point) -> str:
    """Return a line."""
    return f'<line class="{kind}" x1="{start.x:.1f}" y1="{start.y:.1f}" x2="{end.x:.1f}" y2="{end.y:.1f}"/>'


def beside(start: Point, end: Point, distance: float) -> tuple[Point, Point]:
    """Return the two ends of an arrow, moved to the right of the direction of travel."""
    length = math.dist(start, end)
    dx, dy = distance * (start.y - end.y) / length, distance * (end.x - start.x) / length
    return Point(start.x + dx, start.y + dy), Point(end.x + dx, end.y + dy)


def draw_arrow_head(neck: Point, tip: Point, kind: str = "head") -> str:
    """Return the head of an arrow."""
    dx, dy = (tip.x - neck.x) / 2, (tip.y - neck.y) / 2
    corners = (tip, Point(neck.x - dy, neck.y + dx), Point(neck.x + dy, neck.y - dx))
    return f'<polygon class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}"/>'


def draw_node(group: str, mark: Sequence[str], node: int, dim: int, place: Point) -> list[str]:
    """Return a node with its mark and its address, in the colours of a group: ``light``, ``dark`` or ``faint``."""
    return [
        f'<g class="{group}">',
        *mark,
        f'<text class="number" x="{place.x:.1f}" y="{place.y:.1f}">{node}</text>',
        f'<text class="binary" x="{place.x:.1f}" y="{place.y + 10.5:.1f}">{node:0{dim}b}</text>',
        "</g>",
    ]


def draw_circle(kind: str, place: Point, radius: float = RADIUS) -> list[str]:
    """Return a circle."""
    return [f'<circle class="{kind}" cx="{place.x:.1f}" cy="{place.y:.1f}" r="{radius:g}"/>']


def draw_square(kind: str, place: Point, half: float = RADIUS - 1) -> list[str]:
    """Return a square with round corners."""
    corner = f'x="{place.x - half:.1f}" y="{place.y - half:.1f}"'
    return [f'<rect class="{kind}" {corner} width="{2 * half:g}" height="{2 * half:g}" rx="6"/>']


def draw_source(place: Point) -> list[str]:
    """Return the mark of the source: a full circle in a ring."""
    return draw_circle("source", place) + draw_circle("ring", place, RADIUS + 4)


def draw_faulty(place: Point, *, wanted: bool) -> list[str]:
    """Return the mark of a faulty node: crossed out; square if it is a destination."""
    arm = 0.68 * RADIUS
    return [
        *(draw_square("faulty", place) if wanted else draw_circle("faulty", place)),
        draw_line("cross", Point(place.x - arm, place.y - arm), Point(place.x + arm, place.y + arm)),
        draw_line("cross", Point(place.x - arm, place.y + arm), Point(place.x + arm, place.y - arm)),
    ]


def _tag(place: Point, text: str) -> list[str]:
    """Return the tag on a used link."""
    half = 4 + 3.6 * len(text)
    box = f'x="{place.x - half:.1f}" y="{place.y - 8:.1f}" width="{2 * half:.1f}" height="16" rx="4"'
    text = f'<text class="order" x="{place.x:.1f}" y="{place.y + 4:.1f}">{text}</text>'
    return [f'<rect class="tag" {box}/>', text]


def _tagged_link(text: str) -> Sample:
    """Return the sample of a used link."""

    def sample(place: Point) -> list[str]:
        """Draw it."""
        start, middle, neck, tip = (Point(place.x + offset, place.y) for offset in (-32, -2, 20, 31))
        return [draw_line("used", start, neck), draw_arrow_head(neck, tip), *_tag(middle, text)]

    return sample
