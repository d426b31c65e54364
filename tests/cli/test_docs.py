"""README and docs: what they point to is there, and the commands they print work."""

import fnmatch
import re
import shlex
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.cli.generate import EXAMPLES as GENERATE_EXAMPLES
from cubecast.cli.picture import draw
from cubecast.cli.reduce_picture import draw_stages
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.multicast.algorithms.route import route
from cubecast.tb import __main__ as tb

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

PARTS = {"multicast": r"Lan 1988, section [67]\.", "packet": r"Buzzard 1988, sections? 5\.[1-6]"}
"""Where a system's source describes its hardware, as the docstrings of units say it; section 5.7 measures."""


def units_of(system):
    """Return the units whose docstrings say which part of the source they are; AXI ports are none of it."""
    paths = [path for room in ("common", system) for path in sorted((ROOT / "rtl" / room).glob("*.py"))]
    return [
        path
        for path in paths
        if any(
            re.match(PARTS[system], said) and "AMBA" not in said
            for said in re.findall("Source: (.*)", path.read_text())
        )
    ]


def blocks(page):
    """Return the command lines in the shell blocks of a page."""
    found = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in found for line in block.splitlines()]


def names_of(path):
    """Return the names of the tests in a file."""
    return re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Every relative link names a file that is there, and a heading of it."""
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_named_in_the_docs_exist(page):
    """``room/test_x.py::test_y`` names a test of that room or of any, ``test_y_*`` one of the file before."""
    file = ROOT / "tests" / "multicast" / "test_errata.py"
    for name in re.findall(r"`((?:tests/)?(?:\w+/)?(?:test_\w+\.py)(?:::[\w*]+)?|test_[\w*]+)`", page.read_text()):
        before, _, test = name.rpartition("::")
        if name.endswith(".py"):
            before, test = name, "*"
        if before:
            files = list((ROOT / "tests").glob(f"**/{before.removeprefix('tests/')}"))
            assert files, name
            file = next((file for file in files if fnmatch.filter(names_of(file), test)), files[0])
        assert fnmatch.filter(names_of(file), test or name), name


def test_every_errata_item_is_listed():
    """L1 to L22, in the tables or the list of printing slips."""
    text = (ROOT / "docs" / "errata.md").read_text()
    assert {int(number) for number in re.findall(r"\bL(\d+)\b", text)} == set(range(1, 23))


def test_every_unit_of_the_packet_router_is_listed():
    """With a link to its file."""
    text = (ROOT / "docs" / "packet.md").read_text()
    units = units_of("packet")
    assert len(units) > 15
    for path in units:
        assert f"[{path.stem}](../rtl/{path.parent.name}/{path.name})" in text, path.stem


def test_every_unit_is_in_the_map_of_the_dissertation():
    """All units of the MHU and the router that the dissertation has."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    text = text[text.index("## Map of the dissertation") :]
    units = units_of("multicast")
    assert len(units) > 20
    for path in units:
        assert f"`{path.stem}`" in text, path.stem


def test_picture_of_the_readme_is_the_tools():
    """``docs/tree.svg`` is what ``cubecast route --svg`` draws of the example."""
    assert (ROOT / "docs" / "tree.svg").read_text() == draw(route(5, 6, (7, 20, 29, 18, 1, 0)))


def test_the_faulty_merge_of_the_docs_is_up_to_date(capsys):
    """Picture and tables are what ``cubecast reduce`` makes of the example."""
    links = [(0, 4), (1, 5), (0, 8)]
    assert (ROOT / "docs" / "stages.svg").read_text() == draw_stages(plan_merge(4, links, [2]), links)
    assert main(["reduce", "--dim", "4", "--faulty-links", "0-4,1-5,0-8", "--fault", "2", "--all"]) == 0
    assert capsys.readouterr().out in (ROOT / "docs" / "collective.md").read_text()


@pytest.mark.parametrize("name", ["house", "mhu", "packet_buffer_unit", "packet_router", "router", "tree"])
def test_pictures_are_well_formed(name):
    """SVG with a title."""
    root = ElementTree.parse(ROOT / "docs" / f"{name}.svg").getroot()
    assert root.find("{http://www.w3.org/2000/svg}title").text


TESTBENCHES = [line for page in PAGES for line in blocks(page) if line.startswith("python -m cubecast.tb ")]


@pytest.mark.cosim
@pytest.mark.parametrize("line", TESTBENCHES)
def test_testbenches_of_the_docs_pass(capsys, line):
    """In so many cycles with this seed everything happens that a testbench waits for."""
    assert tb.main(shlex.split(line)[3:]) == 0, capsys.readouterr().out


COMMANDS = dict.fromkeys(line for page in PAGES for line in blocks(page) if line.startswith("cubecast "))
"""Each once, on however many pages."""


def but_for_the_folder(line):
    """Return a command without the folder that it writes into."""
    return re.sub(r" -o \S+", "", line)


IN_HELP = {but_for_the_folder(line) for line in GENERATE_EXAMPLES.splitlines()}
"""Commands that ``tests/cli/test_generate.py`` runs."""


def timed(line):
    """Return the parameter of a command: networks of more than eight nodes are built in ``make soak``."""
    large = re.search(r" --dim [4-9]", line) and "simulate" in line
    return pytest.param(line, marks=pytest.mark.soak if large else ())


@pytest.mark.parametrize("line", [timed(line) for line in COMMANDS if but_for_the_folder(line) not in IN_HELP])
def test_commands_of_the_docs_work(capsys, monkeypatch, tmp_path, line):
    """As printed, with what they write in another folder; without waves, which take a build of their own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "build").mkdir()
    arguments = shlex.split(line)[1:]
    arguments = [word for word in arguments if word not in ("--waves", "build/mixed.fst")]
    assert main(arguments) == 0
    assert capsys.readouterr().out


def quoted(page):
    """Return the indented lines of a page, block by block, those with a command in them."""
    found = re.findall(r"(?:^(?: {4}.*)?\n)+", page.read_text(), re.MULTILINE)
    return [text for text in map(textwrap.dedent, found) if re.search(r"^(?:\$ )?cubecast ", text, re.MULTILINE)]


QUOTED = [pytest.param(page, text, id=f"{page.stem}-{k}") for page in PAGES for k, text in enumerate(quoted(page))]

ENDS_BADLY = "deadlock.json"
"""In a command that ends with status 1, as its page says."""

OTHERWISE = "..."
"""Line behind what a page shows of the output, where that is only its beginning."""


@pytest.mark.soak
@pytest.mark.parametrize(("page", "text"), QUOTED)
def test_indented_commands_of_the_docs_work(capsys, monkeypatch, tmp_path, page, text):
    """One after the other, and those of the page's other blocks before them; what stands below them is printed.

    Of synthesis that is what today's hardware takes, on the tools of `make setup`.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "build").mkdir()
    made = {name for line in text.splitlines() for name in re.findall(r"(?:explore|cd) (build/\S+)/", line)}
    before = [line for line in blocks(page) if any(line.endswith(name) for name in made)]
    printed = ""
    for line in [*before, *re.findall(r"^(?:\$ )?(cubecast .*)", text, re.MULTILINE)]:
        command, _, file = line.partition(" > ")
        assert main(shlex.split(command)[1:]) == (1 if ENDS_BADLY in command else 0)
        printed = capsys.readouterr().out
        if file:
            Path(file).write_text(printed)
    for shown in re.findall(r"^\$ .*\n((?:(?!\$ ).*\n)*)", text.rstrip() + "\n", re.MULTILINE):
        assert shown.partition(f"{OTHERWISE}\n")[0] in printed


def test_tree_in_the_readme_is_the_tools(capsys):
    """Line for line."""
    assert main(["route", "--dim", "5", "--source", "6", "--dest", "7,20,29,18,1,0"]) == 0
    printed = capsys.readouterr().out
    shown = re.search(r"^```\n(6 00110\n.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    assert shown in printed
