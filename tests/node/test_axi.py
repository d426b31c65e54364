"""Nodes with AXI between the drivers of cocotbext-axi: processors as AxiLiteMaster, memories as AxiRam."""

import importlib
import json

import pytest

from cubecast.tb.harness.builds import build
from cubecast.tb.harness.simulators import run
from cubecast.tb.harness.verilog import verilog_of
from tests.node.corners import corner

COMPONENT, DRIVER = "tests.node.axi_square:AxiSquare", "tests.node.axi_driver"


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_messages_between_four_nodes_with_axi(tmp_path, simulator):
    """Every channel of every bus pauses at random; messages of all lengths, a broadcast, interrupts, a refusal."""
    config = corner({"dim": 2}, buffers=3, reserved=1, buffer_bytes=96, eager=2, instructions=2)
    top = "cubecast_square"
    text = verilog_of(COMPONENT, config, {}, name=top)
    job = {"config": config.to_json(), "seed": 1, "count": 40}
    (tmp_path / "job.json").write_text(json.dumps(job))
    env = {"CUBECAST_JOB": str(tmp_path / "job.json")}
    done = run(build(text, top, simulator), top, simulator, DRIVER, folder=tmp_path, seed=1, env=env)
    results = importlib.import_module("cocotb_tools.runner").get_results(tmp_path / "results.xml")
    assert results == (1, 0), "\n".join(done.log.splitlines()[-40:])
    counted = json.loads((tmp_path / "outcome.json").read_text())
    assert all(counted.values()), counted
