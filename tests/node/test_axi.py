"""Nodes with AXI between the drivers of cocotbext-axi: processors as AxiLiteMaster, memories as AxiRam."""

import importlib
import json

import pytest

from cubecast.tb.harness.builds import build
from cubecast.tb.harness.simulators import run
from cubecast.tb.harness.verilog import verilog_of
from tests.node.c_compiler import compiled, functions
from tests.node.corners import corner

COMPONENT, TOP = "tests.node.axi_square:AxiSquare", "cubecast_square"
CONFIG = corner({"dim": 2}, buffers=3, reserved=1, buffer_bytes=96, eager=2, instructions=2)


def outcome(folder, simulator, driver, job):
    """Run a driver around the four nodes, and return what it says."""
    text = verilog_of(COMPONENT, CONFIG, {}, name=TOP)
    (folder / "job.json").write_text(json.dumps({"config": CONFIG.to_json(), **job}))
    env = {"CUBECAST_JOB": str(folder / "job.json")}
    done = run(build(text, TOP, simulator), TOP, simulator, driver, folder=folder, seed=1, env=env, results=True)
    results = importlib.import_module("cocotb_tools.runner").get_results(folder / "results.xml")
    assert results == (1, 0), "\n".join(done.log.splitlines()[-40:])
    return json.loads((folder / "outcome.json").read_text())


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_messages_between_four_nodes_with_axi(tmp_path, simulator):
    """Every channel of every bus pauses at random; messages of all lengths, a broadcast, interrupts, a refusal."""
    counted = outcome(tmp_path, simulator, "tests.node.axi_driver", {"seed": 1, "count": 40})
    assert all(counted.values()), counted


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_the_c_library_over_axi(tmp_path, simulator):
    """Every function of it, with registers behind AXI4-Lite and node memory behind AXI4."""
    found = outcome(tmp_path, simulator, "tests.node.axi_library", {"library": compiled(tmp_path, CONFIG)})
    assert found["used"] == functions()
