"""``cubecast route``: text, JSON, picture, errors."""

import importlib
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from cubecast.cli import COMMANDS, main
from cubecast.cli import route as route_command
from cubecast.cli.picture import RADIUS, draw
from cubecast.golden.multicast.algorithms.route import POLICIES, route
from tests.cli.answers import answer_in

EXAMPLE = ["route", "--dim", "5", "--source", "6", "--dest", "7,20,29,18,1,0"]


def run(capsys, *arguments):
    """Run the command line in this process; return status, standard output, standard error."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_a_command_loads_its_own_module_alone(capsys, monkeypatch):
    """Those of the others take longer to load than most commands run; without a command all are there."""
    asked = []
    monkeypatch.setattr("cubecast.cli.import_module", lambda name: asked.append(name) or importlib.import_module(name))
    assert run(capsys, *EXAMPLE)[0] == 0
    assert asked == ["cubecast.cli.route"]
    assert run(capsys, "rout")[0] == 2
    assert len(asked) == 1 + len(COMMANDS)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("faults", [(), (4,)])
def test_json_is_the_documented_object(capsys, policy, faults):
    """All keys, and no others, with the values of the algorithm."""
    more = ["--fault", ",".join(map(str, faults))] if faults else []
    status, out, err = run(capsys, *EXAMPLE, "--policy", policy, "--json", *more)
    answer = answer_in(out, "route")
    keys = ["dim", "source", "destinations", "policy", "faults", "traffic", "time", "edges", "nodes", "undeliverable"]
    assert list(answer) == keys
    assert (status, err) == (0, "")
    tree = route(5, 6, (7, 20, 29, 18, 1, 0), policy=policy, faults=faults)
    assert answer == tree.to_json()
    assert answer["traffic"] == len(answer["edges"]) == sum(map(len, answer["nodes"].values()))
    for decisions in answer["nodes"].values():
        assert all(set(decision) == {"dimension", "to", "destinations"} for decision in decisions)


def test_json_of_a_broadcast_names_control_vectors(capsys):
    """Lan 1988, figure 7.6: node 0001 gets 1110 and sends 1010 to 0101."""
    status, out, _ = run(
        capsys, "route", "--dim", "4", "--source", "0", "--broadcast", "--fault", "3,7", "--fault", "8,12", "--json"
    )
    answer = json.loads(out)
    assert status == 0
    assert answer["nodes"]["1"][0] == {"dimension": 2, "to": 5, "destinations": [], "control": 0b1010}


@pytest.mark.parametrize("router", ["multicast", "crosspoint"])
def test_help_names_every_key_of_the_json(capsys, router):
    """Those of a broadcast, in which nodes send control vectors, and of what a fault leaves out of reach."""
    cut_off = ["--broadcast", "--dest", "7,1", "--fault", "3,5,6"] if router == "multicast" else ["--dest", "1,3"]
    more = [] if router == "multicast" else ["--router", "crosspoint", "--fault", "3"]
    status, out, _ = run(capsys, "route", "--dim", "3", "--source", "0", *cut_off, "--json", *more)
    assert status == 1
    _, text, _ = run(capsys, "route", "--help")
    about = text.split(f"JSON of the {router} router:\n")[1].split("\n\n")[0]
    keys = set(re.findall(r'"(\w+)": ', json.dumps(answer_in(out, "route"))))
    assert {key for key in keys if not key.isdecimal()} == set(re.findall(r'"(\w+)"', about))


def test_text_shows_every_decision(capsys):
    """Dimension, node, delivery mark and sublist of each crossing, in the order of the decisions."""
    status, out, _ = run(capsys, *EXAMPLE)
    assert status == 0
    assert "traffic       10 links" in out and "time          4 steps" in out and "all destinations reached" in out
    seen = re.findall(r"─(\d)→ (\d+) ([01]{5})( \*)?  \{([\d ]+)\}", out)
    tree = route(5, 6, (7, 20, 29, 18, 1, 0))
    assert len(seen) == tree.traffic
    found = {(int(to), tuple(map(int, listed.split()))) for _, to, _, _, listed in seen}
    assert found == {(d.to, d.destinations) for decisions in tree.nodes.values() for d in decisions}
    assert {int(to) for _, to, _, mark, _ in seen if mark} == set(tree.delivered)
    assert all(int(binary, 2) == int(to) for _, to, binary, _, _ in seen)


@pytest.mark.parametrize("policy", ["unicast", "spare"])
def test_text_of_separate_messages_shows_each_crossing_once(capsys, policy):
    """A link that several messages cross stands once for each of them."""
    _, out, _ = run(capsys, *EXAMPLE, "--policy", policy)
    assert out.count("→") == route(5, 6, (7, 20, 29, 18, 1, 0), policy=policy).traffic
    assert out.count(" *  ") == 6


def test_undeliverable_destinations_make_status_1(capsys):
    """They are named in both outputs."""
    arguments = ("route", "--dim", "3", "--source", "0", "--dest", "7,1", "--fault", "3,5")
    status, out, _ = run(capsys, *arguments)
    assert status == 1
    assert "undeliverable: 7" in out
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 1
    assert json.loads(out)["undeliverable"] == [7]


def test_addresses_in_three_notations(capsys):
    """Decimal, hexadecimal, binary."""
    _, out, _ = run(capsys, "route", "--dim", "3", "--source", "0b001", "--dest", "0x7,2,4", "--json")
    answer = json.loads(out)
    assert (answer["source"], answer["destinations"]) == (1, [7, 2, 4])


ERRORS = [
    (
        [],
        "cubecast: a command is required: one of route, generate, synth, board, simulate, load, load compare, reduce, "
        "ring, explore, study (see cubecast --help)",
    ),
    (["route"], "cubecast route: the following arguments are required: --dim, --source"),
    (["route", "--dim", "3", "--source", "0"], "cubecast route: one of --dest and --broadcast is required"),
    (
        ["route", "--dim", "x", "--source", "0", "--dest", "1"],
        "cubecast route: argument --dim: must be an integer (decimal, 0x.. or 0b..), not 'x'",
    ),
    (
        ["route", "--dim", "21", "--source", "0", "--dest", "1"],
        "cubecast route: dim must be an integer from 1 to 20, not 21",
    ),
    (
        ["route", "--dim", "3", "--source", "8", "--dest", "1"],
        "cubecast route: source must be an integer from 0 to 7, not 8",
    ),
    (
        ["route", "--dim", "3", "--source", "-1", "--dest", "1"],
        "cubecast route: source must be an integer from 0 to 7, not -1",
    ),
    (
        ["route", "--dim", "3", "--source", "0", "--dest", "1,8"],
        "cubecast route: destination must be an integer from 0 to 7, not 8",
    ),
    (
        ["route", "--dim", "3", "--source", "0", "--dest", "1,,2"],
        "cubecast route: argument --dest: must be node addresses separated by commas, such as 7,20,29, not '1,,2'",
    ),
    (
        ["route", "--dim", "3", "--source", "0", "--dest", "1", "--fault", "9"],
        "cubecast route: fault must be an integer from 0 to 7, not 9",
    ),
    (
        ["route", "--dim", "3", "--source", "0", "--dest", "1", "--policy", "best"],
        "cubecast route: argument --policy: invalid choice: 'best' "
        "(choose from 'greedy', 'ordered', 'optimal', 'unicast', 'spare', 'e-cube', 'either', 'random', 'valiant')",
    ),
    (
        ["route", "--dim", "3", "--source", "0", "--dest", "1", "--pol", "greedy"],
        "cubecast: unrecognized arguments: --pol greedy",
    ),
    (["route", "--dim"], "cubecast route: argument --dim: expected one argument"),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line.partition(": ")[2][:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, line):
    """The line names the parameter, its value, and what is allowed; nothing goes to standard output."""
    assert run(capsys, *arguments) == (2, "", f"{line}\n")


@pytest.mark.parametrize("text", ["1\n2", "a" * 500, "9" * 5000, "1_0", "٣", "0x", "--1", ""])
def test_strange_values_make_one_short_line(capsys, text):
    """Whatever stands in an option, the error is one line of moderate length."""
    status, out, err = run(capsys, "route", "--dim", "3", "--source", "0", f"--dest={text}")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and err.endswith("\n") and len(err) < 250


def test_svg_of_a_large_cube_states_the_limit(capsys, tmp_path):
    """Routing itself has no such limit; the file is not made."""
    arguments = ["route", "--dim", "6", "--source", "0", "--dest", "63"]
    assert run(capsys, *arguments)[0] == 0
    picture = tmp_path / "tree.svg"
    status, out, err = run(capsys, *arguments, "--svg", str(picture))
    assert (status, out) == (2, "")
    assert err == "cubecast route: dim must be an integer from 2 to 5 for a picture, not 6\n"
    assert not any(tmp_path.iterdir())


def test_svg_that_cannot_be_written_leaves_nothing(capsys, tmp_path):
    """No folder is made, no temporary file stays."""
    status, out, err = run(capsys, *EXAMPLE, "--svg", str(tmp_path / "none" / "tree.svg"))
    assert (status, out) == (2, "")
    assert err.startswith("cubecast route: output file ") and err.count("\n") == 1
    status, _, err = run(capsys, *EXAMPLE, "--svg", str(tmp_path))
    assert status == 2 and err.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_svg_is_written_whole_and_the_same_each_time(capsys, tmp_path):
    """The file is the picture of the tree, readable for others, and nothing else lies beside it."""
    picture = tmp_path / "tree.svg"
    for _ in range(2):
        assert run(capsys, *EXAMPLE, "--svg", str(picture))[0] == 0
        assert picture.read_text() == draw(route(5, 6, (7, 20, 29, 18, 1, 0)))
    assert list(tmp_path.iterdir()) == [picture]
    assert picture.stat().st_mode & 0o444 == 0o444 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def elements(text, name, kind):
    """Return the elements of a kind in an SVG picture."""
    space = "{http://www.w3.org/2000/svg}"
    return [e for e in ElementTree.fromstring(text).iter(f"{space}{name}") if e.get("class") == kind]


def number(element, key):
    """Return an attribute as a number."""
    return float(element.get(key))


def trees():
    """Yield trees of every size and kind that can be drawn."""
    source = random.Random(5)
    for dim, policy in itertools.product((2, 3, 4, 5), POLICIES):
        for _ in range(6):
            count = source.randint(1, min(10, 2**dim - 2))
            nodes = source.sample(range(2**dim), count + 2)
            faults = nodes[-1:] if source.random() < 0.4 else []
            yield route(dim, nodes[0], nodes[1:-1], policy=policy, faults=faults)
        yield route(dim, 0, broadcast=True, faults=[1])


def test_picture_shows_the_tree_and_nothing_overlaps():
    """One arrow per link used, every node with its address; tags lie on no node and not on each other."""
    for tree in trees():
        text = draw(tree)
        width, height = (number(ElementTree.fromstring(text), key) for key in ("width", "height"))
        labels = elements(text, "text", "number")
        assert [label.text for label in labels] == [str(node) for node in range(2**tree.dim)]
        binary = [label.text for label in elements(text, "text", "binary")]
        assert binary == [f"{node:0{tree.dim}b}" for node in range(2**tree.dim)]
        places = [(number(label, "x"), number(label, "y")) for label in labels]
        assert all(RADIUS < x < width - RADIUS and RADIUS < y < height - RADIUS for x, y in places)
        assert min(math.dist(a, b) for a, b in itertools.combinations(places, 2)) > 3 * RADIUS
        links = len(set(tree.edges))
        assert len(elements(text, "polygon", "head")) == links + bool(links)
        assert (
            len(elements(text, "line", "link")) + len(elements(text, "line", "dead"))
            == tree.dim * 2 ** (tree.dim - 1) + 1
        )
        boxes = [[number(tag, key) for key in ("x", "y", "width", "height")] for tag in elements(text, "rect", "tag")]
        boxes = boxes[:links]
        for (x, y, w, h), (u, v, p, q) in itertools.combinations(boxes, 2):
            assert x + w <= u or u + p <= x or y + h <= v or v + q <= y
        for x, y, w, h in boxes:
            for px, py in places:
                near = (min(max(px, x), x + w), min(max(py, y), y + h))
                assert math.dist(near, (px, py)) > RADIUS


def test_picture_tells_the_nodes_apart():
    """Every kind of node has a mark of its own, and the legend names it."""
    tree = route(4, 0, [15, 3, 5], faults=[1, 2, 5])
    text = draw(tree)
    assert tree.undeliverable == (3, 5)
    assert len(elements(text, "circle", "source")) == 2
    assert len(elements(text, "rect", "target")) == len(tree.delivered) + 1
    assert len(elements(text, "rect", "lost")) == 2
    assert len(elements(text, "circle", "faulty")) == 2 + 1
    assert len(elements(text, "rect", "faulty")) == 1 + 1
    keys = [key.text for key in elements(text, "text", "key")]
    for word in ("source", "destination", "faulty node", "faulty destination", "undeliverable destination"):
        assert word in keys


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_names_every_option_and_has_examples(capsys, command):
    """Status 0, on standard output."""
    status, out, err = run(capsys, *([command] if command else []), "--help")
    assert (status, err) == (0, "")
    assert "examples:\n  cubecast " in out


@pytest.mark.parametrize("line", route_command.EXAMPLES.splitlines())
def test_examples_of_the_help_work(capsys, tmp_path, monkeypatch, line):
    """Each example of ``cubecast route --help`` as it stands."""
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *line.split()[1:])
    assert (status, err) == (0, "") and out


def python(*arguments, **settings):
    """Run ``python -m cubecast`` as a process of its own."""
    command = [sys.executable, "-m", "cubecast", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **settings)


def test_module_runs_as_a_program():
    """``python -m cubecast`` has the same output and status."""
    done = python(*EXAMPLE, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["traffic"] == 10
    assert python("route").returncode == 2
    assert python("--version").stdout.startswith("cubecast ")


def test_output_survives_a_plain_terminal_and_a_closed_pipe():
    """ASCII replaces what the terminal lacks; a reader that leaves causes no traceback."""
    done = python(*EXAMPLE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "`-2> 2 00010" in done.stdout.replace("--", "-")
    shell = f"{sys.executable} -m cubecast route --dim 12 --source 0 --broadcast | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("greedy in a 12-cube") and done.stderr == ""
