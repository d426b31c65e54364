"""The C library of a node's processor: every function of it, called by processors on the network of nodes."""

import re
import subprocess
from pathlib import Path

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from tests.node.c_compiler import COMPILER, compiled, functions, written
from tests.node.c_library import BENCH
from tests.node.corners import CORNERS

CONFIG = CORNERS["one_buffer"]

PAGE = Path(__file__).parents[2] / "docs" / "node_c.md"

MOST_CYCLES = 6000
"""Cycles in which all programs must have ended."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Return the path of the library as a shared object with the accesses of the tests."""
    return compiled(tmp_path_factory.mktemp("c_library"), CONFIG)


def test_it_compiles_without_warnings(tmp_path):
    """With its own accesses and any name, and so does the program of the docs; two of different names do not meet."""
    written(tmp_path, NodeConfig(router=PacketConfig(dim=3), buffers=0), "left")
    written(tmp_path, CONFIG)
    (shown,) = re.findall(r"```c\n(.*?)```", PAGE.read_text(), re.S)
    (tmp_path / "shown.c").write_text(shown)
    (tmp_path / "both.c").write_text('#include "cubecast_node.c"\n#include "left_node.h"\n#include "shown.c"\n')
    for file in ("both.c", "left_node.c"):
        subprocess.run([*COMPILER, "-ffreestanding", "-fsyntax-only", file], cwd=tmp_path, check=True)


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("memory", [{}, {"latency": 4, "stall": 0.3}], ids=["quick", "slow"])
def test_every_function_on_hardware(shared, simulator, memory):
    """All functions that the header declares are called, and do what it says; RTL and twin agree in every cycle."""
    options = {"path": shared, "functions": functions(), **memory}
    report = lockstep(BENCH, CONFIG, simulator=simulator, cycles=MOST_CYCLES, options=options)
    assert report.finished
