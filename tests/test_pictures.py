"""Every text of every picture in the docs is inside of the picture, in DejaVu Sans; no legend of a plot covers data.

The pictures of routers have all of their ports.
"""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.rtl.multicast.router import Router
from cubecast.rtl.packet.router import PacketRouter

DOCS = Path(__file__).resolve().parents[1] / "docs"
PICTURES = sorted(DOCS.rglob("*.svg"))
PLOTS = [path for path in PICTURES if 'id="legend_' in path.read_text()]
METRICS = TextToPath()
SLACK = 3
"""Units that a text may lie outside: bearings of letters."""


def moved(transform):
    """Return the matrix of a ``transform`` attribute."""
    matrix = np.eye(3)
    for name, text in re.findall(r"(\w+)\(([^)]*)\)", transform or ""):
        values = [float(value) for value in re.split(r"[\s,]+", text.strip())]
        step = np.eye(3)
        if name == "translate":
            step[:2, 2] = [values[0], values[1] if len(values) > 1 else 0]
        elif name == "scale":
            step[0, 0], step[1, 1] = values[0], values[-1]
        elif name == "rotate":
            angle = np.radians(values[0])
            step[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            if len(values) == 3:
                there = np.array(values[1:])
                step[:2, 2] = there - step[:2, :2] @ there
        else:
            raise ValueError(f"transform must be translate, scale or rotate, not {name}")
        matrix = matrix @ step
    return matrix


def rules(svg):
    """Return the style sheet: selector to properties."""
    text = "".join(node.text or "" for node in svg.iter() if node.tag.endswith("style"))
    return {
        name.strip(): dict(re.findall(r"([\w-]+)\s*:\s*([^;]+)", body))
        for name, body in re.findall(r"([^{}]+){([^}]*)}", text)
    }


def points(size):
    """Return a size of a font in units of the picture."""
    found = re.search(r"([\d.]+)(pt|px)?", size)
    return float(found[1]) * (4 / 3 if found[2] == "pt" else 1)


def outside(path):
    """Return the texts of a picture that are not inside of it."""
    svg = ElementTree.parse(path).getroot()
    left, top, width, height = map(float, re.split(r"[\s,]+", svg.get("viewBox")))
    sheet = rules(svg)
    found = []

    def visit(node, matrix, inherited):
        matrix = matrix @ moved(node.get("transform"))
        style = dict(inherited)
        for name in (node.tag.rpartition("}")[2], *(f".{name}" for name in (node.get("class") or "").split())):
            style |= sheet.get(name, {})
        style |= {name: node.get(name) for name in ("font-size", "text-anchor") if node.get(name)}
        style |= dict(re.findall(r"([\w-]+)\s*:\s*([^;]+)", node.get("style") or ""))
        if "font" in style:
            style["font-size"] = re.search(r"[\d.]+p[xt]", style["font"])[0]
        text = " ".join("".join(node.itertext()).split())
        parts = [child for child in node if child.get("x")]
        if node.tag.endswith(("}text", "}tspan")) and text and not parts:
            size = points(style.get("font-size", "16px"))
            bold = "bold" if "bold" in style.get("font-weight", "") else "normal"
            long = METRICS.get_text_width_height_descent(
                text, FontProperties(family="DejaVu Sans", weight=bold, size=size), False
            )[0]
            x, y = (float((node.get(name) or "0").split()[0]) for name in "xy")
            x -= long * {"middle": 0.5, "end": 1}.get(style.get("text-anchor", "start").strip(), 0)
            corners = matrix @ np.array([[x, x + long, x, x + long], [y, y, y - size / 2, y - size / 2], [1, 1, 1, 1]])
            inside = (left - SLACK <= corners[0]) & (corners[0] <= left + width + SLACK)
            inside &= (top - SLACK <= corners[1]) & (corners[1] <= top + height + SLACK)
            if not inside.all():
                found.append(text)
            return
        for child in node:
            visit(child, matrix, style)

    visit(svg, np.eye(3), {})
    return found


def covered(path):
    """Return whether a legend of Matplotlib's covers a part of a line, a mark or a bar; their points, densely."""
    svg = ElementTree.parse(path).getroot()
    legend, drawn = [], []

    def visit(node, found):
        name = node.get("id") or ""
        if node.tag.endswith("}defs") or name.startswith("matplotlib.axis"):
            return
        found = legend if name.startswith("legend") else found
        if node.tag.endswith("}path"):
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", node.get("d"))]
            found.append(np.array(numbers).reshape(-1, 2))
        elif node.tag.endswith("}use"):
            found.append(np.array([[float(node.get("x")), float(node.get("y"))]]))
        for child in node:
            visit(child, found)

    visit(svg, drawn)
    if not legend:
        return False
    box = legend[0]
    steps = np.linspace(0, 1, 200)[:, None, None]
    dense = np.concatenate(
        [(line + steps * (np.roll(line, -1, 0) - line))[:, : max(1, len(line) - 1)] for line in drawn], 1
    )
    return bool(((box.min(0) < dense) & (dense < box.max(0))).all(-1).any())


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_texts_are_inside(path):
    """Nothing is cut off at an edge."""
    assert outside(path) == []


@pytest.mark.parametrize(
    ("picture", "router"),
    [
        ("router", Router(Config(dim=2))),
        ("packet_router", PacketRouter(PacketConfig(dim=2))),
        ("crosspoint_router", CrosspointRouter(CrosspointConfig(dim=2))),
    ],
    ids=["multicast", "packet", "crosspoint"],
)
def test_every_port_is_drawn(picture, router):
    """By its name; the signals of links and local ports too."""
    texts = [text for text in ElementTree.parse(DOCS / f"{picture}.svg").getroot().itertext() if text.strip()]
    drawn = set(re.findall(r"[a-z_]+[12]?", " ".join(texts).replace("multiple_ ", "multiple_")))
    for path, _, _ in router.signature.flatten(router):
        port = path[0]
        assert {port, path[-1]} <= drawn if re.match("link|inject|eject", port) else port in drawn, path


@pytest.mark.parametrize("path", PLOTS, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_legends_cover_nothing(path):
    """Where it stands in the SVG, which is not where other formats have it."""
    assert not covered(path)


def test_a_legend_that_covers_a_line_is_found(tmp_path):
    """One that passes behind it without a point in it; another one beside it is none."""
    picture = tmp_path / "picture.svg"
    for x, found in ((15, True), (25, False)):
        picture.write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">'
            f'<g id="LineCollection_1"><path d="M {x} 0 \nL {x} 50"/></g>'
            '<g id="legend_1"><g id="patch_7"><path d="M 10 10 L 20 10 Q 20 20 10 20 z"/></g></g></svg>'
        )
        assert covered(picture) == found


def test_a_text_that_is_cut_off_is_found(tmp_path):
    """To the right, above a turned axis, and by its anchor."""
    picture = tmp_path / "picture.svg"
    picture.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">'
        "<style>.e {text-anchor: end; font-size: 10px}</style>"
        '<text x="5" y="20" font-size="10">fits</text><text x="60" y="20" font-size="10">much too long</text>'
        '<g transform="translate(50 20)"><text class="e">also too long</text><text class="e">short</text></g>'
        '<text transform="rotate(-90 20 20)" x="20" y="20" font-size="10">upwards</text></svg>'
    )
    assert outside(picture) == ["much too long", "also too long", "upwards"]
