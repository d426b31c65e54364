"""``cubecast ring``: text, JSON, picture, errors."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from cubecast.cli import collective_simulation
from cubecast.cli import ring as ring_command
from cubecast.cli.picture import RADIUS
from cubecast.cli.ring_picture import draw_ring
from cubecast.golden.collective.algorithms.group_ring import gray_ring, group_ring, ring_in_sequence
from cubecast.golden.collective.algorithms.ring_path import ORDERS
from cubecast.tb.harness.simulators import SimulatorError
from tests.cli.answers import answer_in
from tests.cli.collectives import agrees_with_counters, run, says_a_mismatch

NODES = (0, 2, 3, 5, 6, 10, 13, 15)
EXAMPLE = ["ring", "--dim", "4", "--nodes", "0,2,3,5,6,10,13,15"]
DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_json_of_the_papers_example(capsys):
    """All keys, and no others, with the ring written down by hand."""
    status, out, err = run(capsys, *EXAMPLE, "--json")
    answer = answer_in(out, "ring")
    assert (status, err) == (0, "")
    assert list(answer) == ["ring", "paths", "links_used", "max_hops", "disjoint"]
    assert answer == {
        "ring": [0, 3, 2, 15, 13, 10, 5, 6],
        "paths": [
            [0, 2, 3],
            [3, 2],
            [2, 10, 14, 15],
            [15, 13],
            [13, 9, 11, 10],
            [10, 2, 6, 4, 5],
            [5, 7, 6],
            [6, 2, 0],
        ],
        "links_used": 18,
        "max_hops": 4,
        "disjoint": True,
    }
    assert out.count("\n") == 1


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_is_obeyed(capsys, order):
    """Every path corrects its dimensions in this order; descending is the default."""
    _, out, _ = run(capsys, *EXAMPLE, "--order", order, "--json")
    answer = answer_in(out, "ring")
    assert answer == group_ring(4, NODES, order).to_json()
    for path in answer["paths"]:
        crossed = [(a ^ b).bit_length() for a, b in itertools.pairwise(path)]
        assert crossed == sorted(crossed, reverse=order == "descending")
    _, default, _ = run(capsys, *EXAMPLE, "--json")
    assert (answer_in(default, "ring") == answer) == (order == "descending")


def test_the_order_of_the_nodes_and_how_they_are_given_is_no_matter(capsys):
    """Several options, other notations, another sequence."""
    arguments = ("ring", "--dim", "4", "--nodes", "15,0xd,0b1010", "--nodes", "6,5,3", "--nodes", "2,0", "--json")
    answers = [answer_in(run(capsys, *given)[1], "ring") for given in (arguments, (*EXAMPLE, "--json"))]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("order", ORDERS)
def test_text_shows_every_path(capsys, order):
    """From, to, length and nodes of each; the counts; the two other rings for comparison."""
    status, out, err = run(capsys, *EXAMPLE, "--order", order)
    assert (status, err) == (0, "")
    ring = group_ring(4, NODES, order)
    rows = re.findall(r"^ +(\d+) +(\d+) +(\d+)  ([01]{4}(?: → [01]{4})+)$", out, re.MULTILINE)
    shown = [(int(a), int(b), int(count), tuple(int(n, 2) for n in way.split(" → "))) for a, b, count, way in rows]
    assert shown == [(path[0], path[-1], len(path) - 1, path) for path in ring.paths]
    assert f"ring          {', '.join(map(str, ring.ring))}, back to 0\n" in out
    assert f"links used    {ring.links_used}, each used by one path\n" in out
    assert f"longest path  {ring.max_hops} links\n" in out
    assert f"order         {order}: {'highest' if order == 'descending' else 'lowest'} dimension first\n" in out
    others = [ring, gray_ring(4, NODES), gray_ring(4, NODES, order)]
    compared = re.findall(r"^(?:this ring|along the Gray|Gray-code seq).*? +(\d+) +(\d+)$", out, re.MULTILINE)
    assert compared == [(str(each.hops), str(each.max_hops)) for each in others]


def test_a_ring_of_one_and_a_long_ring(capsys):
    """One member: no link. Many members: the table is cut and says so, the JSON is whole."""
    status, out, _ = run(capsys, "ring", "--dim", "3", "--nodes", "5")
    assert status == 0 and "ring of 1 member in a 3-cube" in out and "longest path  0 links" in out
    nodes = ",".join(map(str, range(64)))
    _, out, _ = run(capsys, "ring", "--dim", "6", "--nodes", nodes)
    assert "... and 24 more (all with --json)\n" in out and out.count(" → ") >= 40
    _, out, _ = run(capsys, "ring", "--dim", "6", "--nodes", nodes, "--json")
    assert len(json.loads(out)["paths"]) == 64


def test_ten_thousand_members_in_seconds(capsys):
    """n = 16."""
    nodes = random.Random(2).sample(range(1 << 16), 10_000)
    start = time.process_time()
    status, out, _ = run(capsys, "ring", "--dim", "16", "--nodes", ",".join(map(str, nodes)), "--json")
    assert time.process_time() - start < 10
    answer = json.loads(out)
    assert status == 0 and sorted(answer["ring"]) == sorted(nodes) and answer["disjoint"]


ERRORS = [
    (["ring"], "the following arguments are required: --dim, --nodes"),
    (["ring", "--dim", "0", "--nodes", "0"], "dim must be an integer from 1 to 20, not 0"),
    (["ring", "--dim", "21", "--nodes", "0"], "dim must be an integer from 1 to 20, not 21"),
    (["ring", "--dim", "3", "--nodes", "1,8"], "node must be an integer from 0 to 7, not 8"),
    (["ring", "--dim", "3", "--nodes=-1"], "node must be an integer from 0 to 7, not -1"),
    (["ring", "--dim", "3", "--nodes", "1,2,1"], "nodes must hold each address once, not 1 again"),
    (
        ["ring", "--dim", "3", "--nodes", "1,,2"],
        "argument --nodes: must be node addresses separated by commas, such as 7,20,29, not '1,,2'",
    ),
    (
        ["ring", "--dim", "3", "--nodes", ""],
        "argument --nodes: must be node addresses separated by commas, such as 7,20,29, not ''",
    ),
    (
        ["ring", "--dim", "3", "--nodes", "1,2", "--order", "descending", "--simulate"],
        "order must be ascending, that in which the routers send, not descending",
    ),
    (
        ["ring", "--dim", "3", "--nodes", "1,2", "--simulator", "verilator"],
        "simulator must be left out without --simulate, not verilator",
    ),
    (["ring", "--dim", "3", "--nodes", "1", "--simulate"], "ring must have at least 2 nodes, not 1"),
    (
        ["ring", "--dim", "7", "--nodes", "1,2", "--simulate"],
        "dim must be an integer from 2 to 6 with --simulate, not 7",
    ),
    (
        ["ring", "--dim", "3", "--nodes", "1", "--order", "gray"],
        "argument --order: invalid choice: 'gray' (choose from 'descending', 'ascending')",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, line):
    """The line names the parameter, its value, and what is allowed; nothing goes to standard output."""
    assert run(capsys, *arguments) == (2, "", f"cubecast ring: {line}\n")


def test_svg_that_cannot_be_made_leaves_nothing(capsys, tmp_path):
    """A cube too large or too small, no such folder, a folder of that name, bad nodes: no file, nothing printed."""
    picture = tmp_path / "ring.svg"
    for dim in (1, 6):
        status, out, err = run(capsys, "ring", "--dim", str(dim), "--nodes", "0,1", "--svg", str(picture))
        line = f"cubecast ring: dim must be an integer from 2 to 5 for a picture, not {dim}\n"
        assert (status, out, err) == (2, "", line)
    for place in (tmp_path / "none" / "ring.svg", tmp_path):
        status, out, err = run(capsys, *EXAMPLE, "--svg", str(place))
        assert (status, out) == (2, "")
        assert err.startswith("cubecast ring: output file ") and err.count("\n") == 1
    assert run(capsys, "ring", "--dim", "3", "--nodes", "9", "--svg", str(picture))[0] == 2
    assert not any(tmp_path.iterdir())


def test_svg_is_written_whole_and_the_same_each_time(capsys, tmp_path):
    """The file is the picture of the ring, and nothing else lies beside it; JSON stays JSON, text names the file."""
    picture = tmp_path / "ring.svg"
    for _ in range(2):
        status, out, _ = run(capsys, *EXAMPLE, "--svg", str(picture), "--json")
        assert status == 0 and json.loads(out)["disjoint"]
        assert picture.read_text() == draw_ring(group_ring(4, NODES))
    assert list(tmp_path.iterdir()) == [picture]
    assert run(capsys, *EXAMPLE, "--svg", str(picture))[1].endswith(f"\npicture: {picture}\n")


def elements(text, name, kind):
    """Return the elements of a kind in an SVG picture."""
    space = "{http://www.w3.org/2000/svg}"
    return [e for e in ElementTree.fromstring(text).iter(f"{space}{name}") if e.get("class") == kind]


def rings():
    """Yield rings of every size that can be drawn."""
    source = random.Random(5)
    for dim, order in itertools.product((2, 3, 4, 5), ORDERS):
        for _ in range(4):
            yield group_ring(dim, source.sample(range(2**dim), source.randint(1, min(2**dim, 14))), order)
        yield group_ring(dim, range(2**dim), order)


def test_picture_shows_the_ring():
    """An arrow per link that lies beside its connection, the number of its path on it, every node with its mark."""
    for ring in rings():
        text = draw_ring(ring)
        labels = elements(text, "text", "number")
        assert [int(label.text) for label in labels] == list(range(2**ring.dim))
        places = [(float(label.get("x")), float(label.get("y"))) for label in labels]
        assert len(elements(text, "rect", "target")) == len(ring.ring) + 1
        passed = {node for path in ring.paths for node in path} - set(ring.ring)
        assert len(elements(text, "circle", "forward")) == len(passed) + bool(passed)
        assert len(elements(text, "line", "link")) == ring.dim * 2 ** (ring.dim - 1) + 1
        tags = [int(tag.text) for tag in elements(text, "text", "place")]
        numbers = [index + 1 for index, path in enumerate(ring.paths) for _ in path[1:]]
        assert tags == numbers + [1] * bool(numbers)
        tips = [point.get("points").split()[0].split(",") for point in elements(text, "polygon", "tip")]
        ends = [node for path in ring.paths for node in path[1:]]
        for (x, y), node in zip(tips, ends, strict=True):
            assert RADIUS < math.dist((float(x), float(y)), places[node]) < RADIUS + 4
        assert len({(x, y) for x, y in tips}) == len(tips)
        width, height = (float(ElementTree.fromstring(text).get(key)) for key in ("width", "height"))
        assert all(0 < float(x) < width and 0 < float(y) < height for x, y in tips)
        assert len({line.get("stroke") for line in elements(text, "line", "path")}) == len(ring.ring) * bool(numbers)


def test_picture_says_when_links_are_shared():
    """Of a ring that is not disjoint, in the headline."""
    title = ElementTree.fromstring(draw_ring(ring_in_sequence(4, (0, 5, 2, 13, 3, 15, 6, 10))))[0].text
    assert title == "group-multicast ring in a 4-cube, descending order: 18 links, some used more than once"
    title = ElementTree.fromstring(draw_ring(group_ring(4, NODES)))[0].text
    assert title == "group-multicast ring in a 4-cube, descending order: 18 links, each used once"


def test_help_teaches(capsys):
    """What a ring is for, both orders, the keys of the JSON, examples."""
    status, out, err = run(capsys, "ring", "--help")
    assert (status, err) == (0, "")
    for word in ("no message waits", "descending", "ascending", '"links_used"', "exit status: 0; 1 if the simulation"):
        assert word in out


SIMULATED = ["ring", "--dim", "3", "--nodes", "0,3,5,6", "--simulate"]


@pytest.mark.core
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_simulation(capsys, tmp_path, simulator):
    """Both rings on the RTL network: nothing waits, and the way along the Gray code is longer; in ascending order."""
    status, out, _ = run(capsys, *SIMULATED, "--simulator", simulator, "--json", "--explore", str(tmp_path))
    answer = answer_in(out, "ring")
    agrees_with_counters(tmp_path, simulator, answer["simulation"])
    assert status == 0 and list(answer) == [
        "ring",
        "paths",
        "links_used",
        "max_hops",
        "disjoint",
        "golden",
        "simulation",
        "gray",
    ]
    assert answer["golden"] == "match" and answer["ring"] == list(group_ring(3, (0, 3, 5, 6), "ascending").ring)
    own, gray = answer["simulation"], answer["gray"]
    assert list(own) == list(gray) == ["clocks", "waited", "words"]
    assert own["waited"] == gray["waited"] == 0
    assert 0 < own["clocks"] < gray["clocks"]
    # each of 4 messages crosses all links but the path into its origin; a message is two segments, of 14 and 2 words,
    # and each has count, destination, Control, kind and argument before them
    ring = group_ring(3, (0, 3, 5, 6), "ascending")
    assert own["words"] == (16 + 2 * 5) * 3 * ring.hops
    status, out, err = run(capsys, *SIMULATED, "--simulator", simulator)
    assert status == 0 and out.endswith("\ngolden: match\n")
    # What a run that takes long is told of it.
    assert all(line.endswith(" s: simulating") for line in err.splitlines())
    assert re.search(rf"^this operation +{own['clocks']} +{own['words']} +0$", out, re.MULTILINE)
    assert re.search(rf"^along the Gray code +{gray['clocks']} +{gray['words']} +0$", out, re.MULTILINE)


def test_simulation_that_does_not_agree(capsys, monkeypatch):
    """A mismatch, messages that are missing, a simulator that fails: status 1, and the text says what."""
    says_a_mismatch(capsys, monkeypatch, SIMULATED)

    def silent(config, groups, *arguments, **settings):
        nothing = [[0] * config.router.ports for _ in range(config.nodes)]
        part = {"clocks": 9, "steps": 0, "waited": nothing, "words": nothing, "vectors": [[] for _ in nothing]}
        return [part] * len(groups)

    monkeypatch.setattr(collective_simulation, "play", silent)
    status, out, _ = run(capsys, *SIMULATED)
    assert status == 1 and "\nnode 3 has not got the messages of all others\n" in out

    def broken(*arguments, **settings):
        raise SimulatorError("no compiler")

    monkeypatch.setattr(collective_simulation, "play", broken)
    assert run(capsys, *SIMULATED) == (3, "", "cubecast ring: no compiler\n")


EXAMPLES = [line for line in ring_command.EXAMPLES.splitlines() if "--simulate" not in line]


def test_the_example_with_a_simulation_is_the_one_above():
    """So all examples work."""
    assert [line.split()[1:] for line in ring_command.EXAMPLES.splitlines() if "--simulate" in line] == [SIMULATED]


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_of_the_help_work(capsys, tmp_path, monkeypatch, line):
    """Each example of ``cubecast ring --help`` as it stands."""
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *line.split()[1:])
    assert (status, err) == (0, "") and out


def test_the_docs_show_what_the_tool_prints(capsys):
    """The output in ``docs/rings.md``, line for line, and its picture."""
    _, out, _ = run(capsys, *EXAMPLE)
    assert f"```\n{out}```\n" in (DOCS / "rings.md").read_text()
    assert (DOCS / "ring.svg").read_text() == draw_ring(group_ring(4, NODES))
