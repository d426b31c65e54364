"""A unit with AXI ports, as it is generated: runs between the drivers of ``axi_driver.py``, and paths through it."""

import importlib
import json

import pytest

from cubecast.tb.harness import yosys
from cubecast.tb.harness.builds import build
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.harness.simulators import run
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["cone", "drive", "params"]

CONE = """\
read_verilog top.v
hierarchy -top {top}
proc
flatten
memory_collect
memory_map
opt_clean
tee -o cone.txt select -list {outputs} %ci*:-$dff i:* %i
"""


def params(*names):
    """Return the parameters ``simulator, name``: every one on Verilator, and on Icarus in ``make soak``."""
    repeated = (pytest.param("icarus", name, marks=pytest.mark.soak) for name in names)
    return [*(pytest.param("verilator", name) for name in names), *repeated]


def drive(folder, simulator, component, config, driver, scenario, *, seed=1, pauses=(0.0, 0.3, 0.9), **arguments):
    """Run a scenario of a system's ``axi_driver.py`` on a unit; return what it counted."""
    top = "cubecast_axi"
    text = verilog_of(component, config, {"axi_clock": True}, name=top)
    ports = ports_of(text, top)
    assert not ports.clocked and "rst" not in ports.inputs
    job = {
        "config": config.to_json(),
        "inputs": [name for name in ports.inputs if name != "aclk"],
        "outputs": list(ports.outputs),
        "driver": driver,
        "scenario": scenario,
        "seed": seed,
        "pauses": pauses,
        "arguments": arguments,
    }
    (folder / "job.json").write_text(json.dumps(job))
    built = build(text, top, simulator)
    env = {"CUBECAST_JOB": str(folder / "job.json")}
    done = run(built, top, simulator, "tests.common.axi_driver", folder=folder, seed=seed, env=env, results=True)
    results = importlib.import_module("cocotb_tools.runner").get_results(folder / "results.xml")
    assert results == (1, 0), "\n".join(done.log.splitlines()[-40:])
    return json.loads((folder / "outcome.json").read_text())


def cone(folder, text, top, outputs):
    """Return the inputs from which a path without a register leads to these outputs."""
    (folder / "top.v").write_text(text)
    (folder / "cone.ys").write_text(CONE.format(top=top, outputs=outputs))
    assert not yosys.run(["-q", "cone.ys"], folder=folder).status
    return {line.partition("/")[2] for line in (folder / "cone.txt").read_text().splitlines()}
