"""The project itself: who may import whom, what is packaged, what the commands refer to."""

from __future__ import annotations

import ast
import functools
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import cubecast
import cubecast.study
from cubecast import systems

ROOT = Path(__file__).parent.parent
ROOMS = ("golden", "rtl", "tb")
SYSTEMS = {"common": (), **{name: system.built_on for name, system in systems.SYSTEMS.items()}}
"""Every system, and the systems it is built on."""

FLOORS = {
    "tb/harness": ("tb/harness",),
    "tb/engine": ("tb/harness", "tb/engine"),
    "tb/campaigns": ("tb/harness", "tb/engine", "tb/campaigns"),
    "tb/mutants": ("tb/harness", "tb/mutants"),
    "tb/planted": ("tb/harness", "tb/mutants", "tb/planted"),
    **{
        f"tb/{system}": ("tb/harness", f"tb/{system}", *(f"tb/{other}" for other in below))
        for system, below in SYSTEMS.items()
    },
}
"""Rooms of tb/, and the rooms of tb/ that each may import; the measurements in tb/measure use all of them."""

BESIDE = {
    "tb/harness": ("cubecast.options", "amaranth", "cocotb", "find_libpython", "pylibfst"),
    "tb/engine": (),
    "tb/campaigns": ("cubecast.options", "cubecast.systems", "cubecast.golden", "numpy", "matplotlib"),
    "tb/mutants": ("cubecast.options", "cocotb"),
    "tb/planted": ("cubecast.options",),
    **{f"tb/{system}": ("cubecast.golden",) for system in SYSTEMS},
}
"""Rooms of tb/, and what each may import from outside tb/."""


@functools.cache
def imports(path: Path) -> set[str]:
    """Return the absolute names of all modules that a file imports."""
    place = ["cubecast", *path.relative_to(ROOT).parent.parts]
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(place[: len(place) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def files(*places: str) -> list[Path]:
    """Return the modules below some folders."""
    return sorted(path for place in places for path in (ROOT / place).rglob("*.py"))


def named(path: Path) -> str:
    """Return how a file is called in the list of tests."""
    return str(path.relative_to(ROOT))


def strangers(paths: Iterable[Path], allowed: Callable[[Path, str], object]) -> list[str]:
    """Return what files import and may not, one line each: all of them, since one test is about many files."""
    read = list(paths)
    assert read
    return [
        f"{named(path)} imports {name}" for path in read for name in sorted(imports(path)) if not allowed(path, name)
    ]


def is_unit(path: Path) -> bool:
    """Return whether a file of rtl/ defines a unit; what networks and units with AXI ports are derived from is none."""
    return (
        path not in (ROOT / "rtl/common/cube.py", ROOT / "rtl/common/axi_ports.py")
        and re.search(r"^class \w+\((wiring\.Component|Cube|AxiPorts|Queue)\)", path.read_text(), re.M) is not None
    )


def below(name: str, *packages: str) -> bool:
    """Return whether a module is one of these packages or inside one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def of_python(name: str) -> bool:
    """Return whether a module is of the standard library."""
    return name.split(".")[0] in sys.stdlib_module_names


def test_golden_is_plain_python() -> None:
    """It imports the standard library, numpy and itself."""
    assert not strangers(files("golden"), lambda _, name: of_python(name) or below(name, "numpy", "cubecast.golden"))


def test_contracts_and_algorithms_know_no_twins() -> None:
    """Contracts stand on contracts alone, without NumPy; algorithms on contracts and algorithms."""
    kinds = {"contract": ("contract",), "algorithms": ("contract", "algorithms")}

    def allowed(path: Path, name: str) -> bool:
        if path.parent.name == "contract" and below(name, "numpy"):
            return False
        inside = below(name, "cubecast.golden") and name.count(".") > 2
        return not inside or name.split(".")[3] in kinds[path.parent.name]

    assert not strangers((path for path in files("golden") if path.parent.name in kinds), allowed)


def test_rtl_knows_of_golden_only_the_contracts() -> None:
    """It imports Amaranth, itself, and the facts that both sides share."""

    def allowed(_: Path, name: str) -> object:
        plain = of_python(name) or name == "cubecast" or below(name, "amaranth", "cubecast.rtl")
        return plain or re.match(r"cubecast\.golden\.\w+\.contract\b", name)

    assert not strangers(files("rtl"), allowed)


@pytest.mark.core
def test_a_system_imports_only_those_it_is_built_on() -> None:
    """``common`` imports none, and nobody above is imported from below."""
    floors = {*SYSTEMS, "engine", "campaigns", "measure", "mutants", "planted"}

    def allowed(path: Path, name: str) -> bool:
        room, system = path.relative_to(ROOT).as_posix().removeprefix("cubecast/").split("/")[:2]
        known = SYSTEMS.get(system)
        found = re.match(r"cubecast\.(?:golden|rtl|tb|systems)\.(\w+)", name)
        other = found[1] if found else ""
        if known is not None and other in SYSTEMS and other not in (system, *known):
            return False
        inside = room == "tb" and below(name, "cubecast.tb") and other in floors
        return not inside or f"tb/{other}" in FLOORS[f"tb/{system}"]

    assert not strangers(files("golden", "rtl", "cubecast/systems", *FLOORS), allowed)


@pytest.mark.parametrize("room", BESIDE)
def test_rooms_of_testbenches_import_what_the_page_of_the_house_says(room: str) -> None:
    """Neither hardware nor the command line; other rooms of tb/ are looked at with the systems."""
    own = ("cubecast.tb", *BESIDE[room])
    assert not strangers(files(room), lambda _, name: of_python(name) or below(name, *own))


def test_every_room_of_testbenches_is_looked_at() -> None:
    """But for the measurements, which see all rooms except the command line."""
    rooms = {f"tb/{path.parent.name}" for path in (ROOT / "tb").glob("*/__init__.py")}
    assert rooms - {"tb/measure"} == {*BESIDE} == {*FLOORS}
    own = ("cubecast", "amaranth", "numpy")

    def allowed(_: Path, name: str) -> bool:
        return of_python(name) or (below(name, *own) and not below(name, "cubecast.cli"))

    assert not strangers(files("tb/measure"), allowed)


def test_options_stand_alone() -> None:
    """They lie below the command line and the testbenches, and know no system."""
    assert not strangers(files("cubecast/options"), lambda _, name: of_python(name) or below(name, "cubecast.options"))


def test_the_explorer_stands_on_the_options() -> None:
    """It knows recordings, and nothing of systems."""
    own = ("cubecast.explorer", "cubecast.options")
    assert not strangers(files("cubecast/explorer"), lambda _, name: of_python(name) or below(name, *own))


def test_the_page_of_the_explorer_is_packaged() -> None:
    """Every kind of file beside its modules is named in pyproject.toml."""
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["*"]
    kinds = {f"*{path.suffix}" for path in (ROOT / "cubecast/explorer").iterdir() if path.is_file()}
    assert kinds - {"*.py"} == {"*.css", "*.html", "*.js"} <= {*packaged}


def test_systems_lie_below_command_line_and_testbenches() -> None:
    """They import golden and the options; hardware and testbenches they name only."""

    def allowed(_: Path, name: str) -> bool:
        plain = of_python(name) or name in ("cubecast", "cubecast.LICENSE", "cubecast.__version__")
        return plain or below(name, "cubecast.golden", "cubecast.options", "cubecast.systems")

    assert not strangers(files("cubecast/systems"), allowed)


def test_every_folder_of_a_system_is_listed() -> None:
    """A system is one folder in each room, and one line; what it names is there."""
    for room in (*ROOMS, "cubecast/systems"):
        assert {path.parent.name for path in (ROOT / room).glob("*/__init__.py")} >= {*SYSTEMS} - {"common"}
    folders = {path.parent.name for path in (ROOT / "cubecast/systems").glob("*/__init__.py")}
    assert folders == {system.name for system in systems.SYSTEMS.values()}
    for system in systems.SYSTEMS.values():
        units = [*system.units, *(unit.axi for unit in system.units if unit.axi)]
        recorder = system.loads.recorder if system.loads else ""
        for place in [*(unit.component for unit in units), *filter(None, [system.playback, recorder])]:
            module, _, name = place.partition(":")
            text = (ROOT / f"{module.removeprefix('cubecast.').replace('.', '/')}.py").read_text()
            assert re.search(rf"^(class )?{name}\b", text, re.M), place


def test_the_api_stands_on_systems_and_testbenches() -> None:
    """It knows no command line; hardware it names only, and of the studies it knows the face."""
    rooms = (f"cubecast.{room}" for room in ("api", "golden", "tb", "options", "systems", "study"))
    own = (*rooms, "cubecast.LICENSE", "cubecast.__version__", "numpy")
    assert not strangers(
        files("cubecast/api"), lambda _, name: of_python(name) or name == "cubecast" or below(name, *own)
    )


def test_the_command_line_imports_rooms_of_the_package_alone() -> None:
    """Neither tests nor packages of others."""
    assert not strangers(files("cubecast/cli"), lambda _, name: of_python(name) or below(name, "cubecast"))


def test_the_command_line_knows_the_face_of_the_studies() -> None:
    """It imports nothing from inside."""
    face = {"cubecast.study", *(f"cubecast.study.{name}" for name in cubecast.study.__all__)}
    rooms = files("cubecast/api", "cubecast/cli")
    assert not strangers(rooms, lambda _, name: not below(name, "cubecast.study") or name in face)


def test_studies_are_built_on_golden_alone() -> None:
    """They import the standard library, numpy, golden, options and each other; one knows Dask, some matplotlib."""
    own = ("numpy", "cubecast.golden", "cubecast.options", "cubecast.study")

    def allowed(path: Path, name: str) -> bool:
        more = {"executor.py": "distributed"}.get(path.name, "matplotlib")
        return of_python(name) or below(name, *own, more)

    assert not strangers(files("cubecast/study"), allowed)


def test_what_may_not_be_imported_is_told_with_its_file() -> None:
    """All of it, not only what is met first; a list of no files is none that passes."""
    found = strangers([ROOT / "golden/__init__.py", Path(__file__)], lambda path, name: path.name == "__init__.py")
    assert "tests/test_project.py imports pytest" in found and len(found) == len(imports(Path(__file__)))
    with pytest.raises(AssertionError):
        strangers([], lambda path, name: True)


def test_nobody_but_the_command_line_imports_studies() -> None:
    """Nor does that before one is asked for. Loads keep points as studies do; benchmarks time their simulator."""
    users = {ROOT / "cubecast/cli/study.py", ROOT / "cubecast/api/loading.py", ROOT / "tb/measure/transport.py"}
    for room in (*ROOMS, "cubecast/api", "cubecast/cli"):
        for path in (ROOT / room).rglob("*.py"):
            found = any(name.startswith("cubecast.study") for name in imports(path))
            assert found == (path in users), path
    code = "import sys, cubecast.cli as cli; cli.parser(); print('cubecast.study' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_workers_of_studies_do_not_load_matplotlib() -> None:
    """A worker loads the modules of the tasks, quickly, and needs no plots."""
    code = "import sys, cubecast.study.registry as r; r.all_studies(); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def named_by(bench: Path) -> set[tuple[str, str, str]]:
    """Return room, module and class of all that a testbench names: in full, or by the name of the unit it is of."""
    text = bench.read_text()
    found = set(re.findall(r'"cubecast\.(golden|rtl)\.([\w.]+):(\w+)"', text))
    for system, unit, name in re.findall(r'\bunit ?= ?"(\w+)\.(\w+):(\w+)"', text, re.I):
        found |= {("rtl", f"{system}.{unit}", name), ("golden", f"{system}.twins.{unit}", name)}
    return found


def test_every_unit_has_its_twin_and_its_bench() -> None:
    """A testbench names the component and the twin of its own system, and both exist; parameters may be shared ones."""
    for path in files(*(f"tb/{system}" for system in SYSTEMS)):
        for room, module, name in named_by(path):
            source = ROOT / room / f"{module.replace('.', '/')}.py"
            assert re.search(rf"^class {name}\b", source.read_text(), re.M), (path, module, name)
            system = path.parent.name
            allowed = (system, *SYSTEMS[system]) if ".contract." in module else (system,)
            assert module.split(".")[0] in allowed, (path, module)


def test_every_unit_has_a_bench_of_its_name() -> None:
    """And a twin."""
    units = [path for path in files("rtl") if is_unit(path)]
    wanting = []
    for path in units:
        system, bench = path.parent.name, ROOT / "tb" / path.parent.name / path.name
        places = {(room, module) for room, module, _ in named_by(bench)} if bench.exists() else set()
        if not {("rtl", f"{system}.{path.stem}"), ("golden", f"{system}.twins.{path.stem}")} <= places:
            wanting.append(named(path))
    assert units and not wanting


@pytest.mark.parametrize("room", ROOMS)
def test_the_rooms_are_reached_by_links(room: str) -> None:
    """cubecast/<room> is a relative symbolic link."""
    link = ROOT / "cubecast" / room
    assert os.readlink(link) == f"../{room}"


@pytest.mark.parametrize("room", ROOMS)
def test_the_rooms_have_one_name(room: str) -> None:
    """Imported from the root under its bare name, a room says how to import it: its classes would be others."""
    for name in (room, f"{room}.common"):
        command = [sys.executable, "-c", f"import {name}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"ImportError: import cubecast.{room}, not {room}"


def test_every_folder_with_modules_is_a_package() -> None:
    """So that setuptools finds it, and it gets into the wheel."""
    for folder, inner, names in os.walk(ROOT / "cubecast", followlinks=True):
        inner[:] = [name for name in inner if name != "__pycache__"]
        modules = any(Path(folder).rglob("*.py"))
        assert not modules or "__init__.py" in names, folder


def test_dependencies_are_pinned_with_a_reason() -> None:
    """Every one has an exact version below a comment."""
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    pinned = [
        number for number, line in enumerate(lines) if re.match(r'^    "[\w.-]+(==)?.*",$', line) and "==" in line
    ]
    project = tomllib.loads("\n".join(lines))["project"]
    groups = project["optional-dependencies"]
    own = f"cubecast[{','.join(name for name in groups if name != 'dev')}]"
    assert own in groups["dev"]
    wanted = [*project["dependencies"], *(entry for group in groups.values() for entry in group if entry != own)]
    assert len(pinned) == len(wanted)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", entry) for entry in wanted)
    assert all(lines[number - 1].startswith("    # ") for number in pinned)


def test_the_version_is_in_the_changelog_or_unreleased() -> None:
    """A release has its section."""
    text = (ROOT / "CHANGELOG.md").read_text()
    assert "## Unreleased" in text or f"## {cubecast.__version__}" in text


def test_c_is_compiled_by_what_setup_asks_for() -> None:
    """That is g++, which reads C with ``-x c``; a machine may have it under this name alone."""
    for path in (ROOT / "tests").rglob("*.py"):
        assert not re.search(r"""["'](?:gcc|cc|c99)["']""", path.read_text()), path


def test_make_help_names_every_target() -> None:
    """And every named target exists."""
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.M)
    assert phony is not None
    done = subprocess.run(["make", "-s", "-C", str(ROOT), "help"], capture_output=True, text=True, check=True)
    shown = set(re.findall(r"^make (\w+)", done.stdout, re.M))
    assert shown == set(phony.group(1).split()) - {"all", "demo", "help"}
    for target in shown:
        assert re.search(rf"^{target}:", text, re.M), target


def test_a_virtual_environment_that_was_moved_is_made_again(tmp_path: Path) -> None:
    """Also one whose Python is another version now; others are kept."""
    place = tmp_path / "it's a checkout"
    (place / ".venv" / "bin").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml"):
        (place / name).write_text((ROOT / name).read_text())
    (place / ".venv" / "bin" / "python").symlink_to(sys.executable)
    made_for = "{}\n{} {}\n".format(place.resolve(), *sys.version_info[:2])
    command = ["make", "-n", "-C", str(place), "setup"]
    for stamp in ("", made_for, made_for.replace("checkout", "copy"), made_for.replace("\n3", "\n2")):
        (place / ".venv" / ".stamp").write_text(stamp)
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert ("-m venv --clear .venv\n" in said) == (stamp not in ("", made_for)), stamp


def test_the_hosted_checks_are_those_of_ci_run() -> None:
    """The workflow is YAML in shape, runs what is in .ci, within time limits, with pinned actions and no secret."""
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    deepest = 0
    for line in (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")):
        entry = re.fullmatch(r"((?:  )*)((?:- )?)[\w-]+:( \S.*)?", line)
        assert entry is not None, line
        assert len(entry[1]) <= deepest, line
        deepest = len(entry[1] + entry[2]) + (0 if entry[3] else 2)
    commands = [command.split() for command in re.findall(r"\brun: *(.*)", text)]
    assert [command for command, *_ in commands] == [".ci/run", ".ci/installed"]
    assert all(os.access(ROOT / command, os.X_OK) for command, *_ in commands)
    assert sorted(path.name for path in (ROOT / ".ci").iterdir()) == ["installed", "run"]
    versions = re.findall(r'^          python-version: "(.*)"$', text, re.M)
    assert sorted(f"python{version}" for version in versions) == commands[1][1:]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", used) for used in re.findall(r"\buses: *(.*)", text))
    assert (
        len(re.findall(r"^    timeout-minutes: \d+$", text, re.M))
        == len(re.findall(r"^    runs-on: ", text, re.M))
        == 2
    )
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.M)
    assert "secrets" not in text
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert re.search(rf'^        python: \["{re.escape(oldest)}", ', text, re.M) and versions[-1] == oldest


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def paths_in(text: str) -> set[str]:
    """Return the paths in a page that begin with a folder of the project; ``<name>`` stands for any name."""
    rooms = "|".join((*ROOMS, "cubecast", "docs", "examples", "tests"))
    found = re.findall(rf"(?<![\w./-])((?:{rooms})/[\w./<>*-]*)", text)
    return {re.sub(r"<\w+>", "*", name).rstrip("./") for name in found}


def modules_in(text: str) -> set[str]:
    """Return the dotted names in a page that begin with the package's."""
    return set(re.findall(r"\bcubecast(?:\.\w+)+", text))


def is_there(name: str) -> bool:
    """Return whether a dotted name is a module, or something that the module before its last dot defines."""
    place = ROOT.joinpath(*name.split("."))
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    home = place.parent.with_suffix(".py")
    return home.is_file() and re.search(rf"^(?:class |def )?{place.name}\b", home.read_text(), re.M) is not None


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_paths_and_modules_named_in_the_docs_exist(page: Path) -> None:
    """Every path below a folder of the project, every dotted name below its package."""
    text = page.read_text()
    for name in paths_in(text):
        assert any(ROOT.glob(name)), name
    for name in modules_in(text):
        assert is_there(name), name


def test_what_is_not_there_is_found() -> None:
    """A page that names nothing of the past passes for the right reason."""
    text = "`golden/router.py`, `rtl/<system>/no_unit.py`, `cubecast.golden.config`, `tb/harness/`."
    assert {name for name in paths_in(text) if not any(ROOT.glob(name))} == {"golden/router.py", "rtl/*/no_unit.py"}
    assert paths_in(text) == {"golden/router.py", "rtl/*/no_unit.py", "tb/harness"}
    assert [name for name in modules_in(text) if not is_there(name)] == ["cubecast.golden.config"]
    assert is_there("cubecast.study.model.Study") and not is_there("cubecast.study.model.Studies")


def test_python_below_3_11_is_refused_in_one_line(tmp_path: Path) -> None:
    """The line says which Python is needed."""
    old = tmp_path / "python3"
    old.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "import sys; sys.version_info = (3, 9)\n$2"\n')
    old.chmod(0o755)
    command = ["make", "-s", "-C", str(ROOT), "setup", "PYTHON=python3", f"VENV={tmp_path / 'venv'}"]
    # Found on the path, the folder may have any name.
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode != 0
    assert done.stderr.startswith("cubecast needs Python 3.11 or newer, not ")
