"""FuseSoC: the generator, and a core that asks it for a router, linted and simulated."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cubecast.tb.harness.simulators import simulators
from cubecast.tb.harness.toolchain import verilator
from tests.conftest import NO_ICARUS

ROOT = Path(__file__).parents[2]


def generated(folder, path=(), **parameters):
    """Run the generator as FuseSoC does, in a folder, with modules of further places first.

    Return its status and what it says.
    """
    asked = {"gapi": "1.0", "vlnv": "a:b:c:0", "files_root": str(ROOT), "parameters": parameters}
    (folder / "asked.yml").write_text(yaml.safe_dump(asked))
    command = [sys.executable, str(ROOT / "fusesoc" / "generator.py"), "asked.yml"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT)))}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ({"dim": 2}, "generator.py: unit must be given, such as router\n"),
        (
            {"unit": "router", "dim": 2, "max_data": 5000, "axi": True, "fault-free": False},
            "cubecast generate: max_data must be an integer from 0 to 4096, not 5000\n",
        ),
        (
            {"unit": "crosspoint-router", "dim": 2, "axi": False, "multicast": False},
            "generator.py: multicast must be an option of cubecast generate to be left out\n",
        ),
    ],
)
def test_what_is_refused_is_one_line(tmp_path, parameters, line):
    """Status 2, and no core."""
    assert generated(tmp_path, **parameters) == (2, line)
    assert [path.name for path in tmp_path.iterdir()] == ["asked.yml"]


def test_without_a_reader_of_yaml_it_is_one_line(tmp_path):
    """As where FuseSoC is in an environment of its own, and the one with cubecast has none."""
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "yaml.py").write_text("raise ModuleNotFoundError\n")
    status, said = generated(tmp_path, path=[tmp_path / "none"], unit="router", dim=2)
    assert (status, said) == (3, f"generator.py: PyYAML must be installed: {sys.executable} -m pip install pyyaml\n")


@pytest.mark.soak
def test_the_core_has_what_was_asked_for(tmp_path):
    """Options with and without a value reach the command; sources are Verilog and waivers, no templates."""
    status, _ = generated(tmp_path, unit="mhu", dim=2, max_data=4, **{"fault-free": True, "name": "left"})
    core = yaml.safe_load((tmp_path / "c.core").read_text().removeprefix("CAPI=2:\n"))
    assert (status, core["name"]) == (0, "a:b:c:0")
    assert core["filesets"]["rtl"]["files"] == [
        {"left_mhu.vlt": {"file_type": "vlt"}},
        {"left_mhu.v": {"file_type": "verilogSource"}},
    ]
    said = (tmp_path / "left_mhu.v").read_text()[:300]
    assert "cubecast generate mhu --name left --dim 2 --fault-free --max-data 4" in said


def test_the_core_has_other_languages_that_were_asked_for(tmp_path):
    """The wrapper and the package are sources, the former after the Verilog that it holds."""
    status, _ = generated(tmp_path, unit="mhu", dim=2, max_data=4, **{"fault-free": True, "sv": True, "vhdl": True})
    core = yaml.safe_load((tmp_path / "c.core").read_text().removeprefix("CAPI=2:\n"))
    assert status == 0 and core["filesets"]["rtl"]["files"] == [
        {"cubecast_mhu.vlt": {"file_type": "vlt"}},
        {"cubecast_mhu.v": {"file_type": "verilogSource"}},
        {"cubecast_mhu_wrapper.sv": {"file_type": "systemVerilogSource"}},
        {"cubecast_mhu_pkg.vhd": {"file_type": "vhdlSource"}},
    ]


def test_another_cubecast_writes_another_router(tmp_path):
    """FuseSoC takes what the cubecast of today writes, and not what the last run left."""
    stand_in = tmp_path / "stand_in" / "cubecast" / "__main__.py"
    stand_in.parent.mkdir(parents=True)
    (tmp_path / "fusesoc.conf").write_text(f"[main]\ncache_root = {tmp_path / 'cache'}\n")
    roots = [part for room in ("fusesoc", "examples") for part in ("--cores-root", str(ROOT / room))]
    command = ["fusesoc", *roots, "run", "--setup", "--target", "sim", "cubecast:examples:square"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(stand_in.parents[1])}
    for version in ("first", "second"):
        stand_in.write_text(
            f"open('cubecast_router.v', 'w').write('// {version}')\nprint('{{\"files\": [\"cubecast_router.v\"]}}')\n"
        )
        subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True)
        written = list((tmp_path / "build").rglob("src/*/cubecast_router.v"))
        assert [file.read_text() for file in written] == [f"// {version}"]


@pytest.mark.soak
@pytest.mark.parametrize(("target", "word"), [("lint", "Verilation Report"), ("sim", "PASS: messages delivered")])
def test_the_example_runs(tmp_path, target, word):
    """The core of the examples, by FuseSoC as the docs call it: no warning of Verilator, and Icarus passes."""
    if target == "sim" and "icarus" not in simulators():
        pytest.skip(NO_ICARUS)
    program, env = verilator()
    place = tmp_path / "bin"
    place.mkdir()
    (place / "verilator").write_text(f'#!/bin/sh\nVERILATOR_ROOT="{env["VERILATOR_ROOT"]}" exec "{program}" "$@"\n')
    (place / "verilator").chmod(0o755)
    path = os.pathsep.join([str(place), str(Path(sys.executable).parent), os.environ["PATH"]])
    roots = [part for room in ("fusesoc", "examples") for part in ("--cores-root", str(ROOT / room))]
    command = ["fusesoc", *roots, "run", "--target", target, "cubecast:examples:square"]
    # A cache of its own, so that nothing made before is taken.
    (tmp_path / "fusesoc.conf").write_text(f"[main]\ncache_root = {tmp_path / 'cache'}\n")
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-2000:]
    assert word in said.replace("V e r i l a t i o n   R e p o r t", "Verilation Report") and "Warning" not in said
