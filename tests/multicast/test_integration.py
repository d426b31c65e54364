"""The router in a hand-written Verilog design, as docs/integration.md shows it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.tb.harness.toolchain import verilator
from tests.conftest import NO_ICARUS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def router(tmp_path_factory):
    """Return the folder with the router that the example asks for."""
    folder = tmp_path_factory.mktemp("square")
    comment = next(line for line in (EXAMPLES / "square.v").read_text().splitlines() if "cubecast generate" in line)
    command = comment.removeprefix("//").split()
    assert main([*command[1:-1], str(folder)]) == 0
    return folder


def test_the_example_lints(router):
    """Verilator finds nothing to say about four routers wired by hand."""
    program, env = verilator()
    sources = [f"{router}/cubecast_router.vlt", str(EXAMPLES / "square.v"), f"{router}/cubecast_router.v"]
    command = [program, "--lint-only", "-Wall", "--top-module", "square", "-Wno-PINCONNECTEMPTY", *sources]
    done = subprocess.run(command, cwd=router, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_example_runs_in_plain_verilog(router):
    """Its testbench says PASS, and FAIL when a link is wired wrongly."""
    if shutil.which("iverilog") is None:
        pytest.skip(NO_ICARUS)
    square = (EXAMPLES / "square.v").read_text()
    wrong = square.replace("link_in__1__valid   (valid[2*(v^2)+1])", "link_in__1__valid   (valid[2*v+1])")
    assert wrong != square
    for text, verdict in ((square, "PASS"), (wrong, "FAIL")):
        (router / "square.v").write_text(text)
        sources = [str(EXAMPLES / "square_tb.v"), "square.v", "cubecast_router.v"]
        subprocess.run(["iverilog", "-g2012", "-o", "square_tb", *sources], cwd=router, check=True)
        done = subprocess.run(["vvp", "-n", "square_tb"], cwd=router, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(verdict), done.stdout
