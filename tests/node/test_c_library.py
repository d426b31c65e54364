"""The C library of a node's processor: every function of it, called by processors on the network of nodes."""

import re
import subprocess
from pathlib import Path

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import c_header
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.systems.node.library import library
from cubecast.tb.harness.lockstep import lockstep
from tests.node.c_library import BENCH, HOST
from tests.node.corners import CORNERS

CONFIG = CORNERS["one_buffer"]

PAGE = Path(__file__).parents[2] / "docs" / "node_c.md"

MOST_CYCLES = 6000
"""Cycles in which all programs must have ended."""

ACCESSES = {"get", "put", "load", "store", "arrived"}
"""Functions of the header that the processor's model has instead."""

COMPILER = ("gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


def written(folder, name="cubecast", config=CONFIG):
    """Write header and library, and return the path of the library."""
    for file, text in {f"{name}_node_regs.h": c_header(config, name), **library(name)}.items():
        (folder / file).write_text(text)
    return folder / f"{name}_node.c"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Return the path of the library as a shared object with the accesses of the tests."""
    source = written(tmp_path_factory.mktemp("c_library"))
    made = source.with_suffix(".so")
    access = f'-DCUBECAST_NODE_ACCESS="{HOST}"'
    subprocess.run([*COMPILER, "-shared", "-fPIC", access, source, "-o", made], check=True)
    return str(made)


def test_it_compiles_without_warnings(tmp_path):
    """With its own accesses and any name, and so does the program of the docs; two of different names do not meet."""
    written(tmp_path, "left", NodeConfig(router=PacketConfig(dim=3), buffers=0))
    written(tmp_path)
    (shown,) = re.findall(r"```c\n(.*?)```", PAGE.read_text(), re.S)
    (tmp_path / "shown.c").write_text(shown)
    (tmp_path / "both.c").write_text('#include "cubecast_node.c"\n#include "left_node.h"\n#include "shown.c"\n')
    for file in ("both.c", "left_node.c"):
        subprocess.run([*COMPILER, "-ffreestanding", "-fsyntax-only", file], cwd=tmp_path, check=True)


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("memory", [{}, {"latency": 4, "stall": 0.3}], ids=["quick", "slow"])
def test_every_function_on_hardware(shared, simulator, memory):
    """All functions that the header declares are called, and do what it says; RTL and twin agree in every cycle."""
    declared = re.findall(r"^[\w ]+[ *]cubecast_node_(\w+)\(", library("cubecast")["cubecast_node.h"], re.M)
    options = {"path": shared, "functions": sorted(set(declared) - ACCESSES), **memory}
    report = lockstep(BENCH, CONFIG, simulator=simulator, cycles=MOST_CYCLES, options=options)
    assert report.finished
