"""The router in a hand-written Verilog design, as docs/integration.md shows it."""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.golden.multicast.algorithms.route import route
from tests.conftest import NO_ICARUS
from tests.harness.lint import linted

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
    sources = [f"{router}/cubecast_router.vlt", str(EXAMPLES / "square.v"), f"{router}/cubecast_router.v"]
    assert linted(router, "--top-module", "square", *sources) == (0, "")


def test_the_users_own_warnings_are_not_hidden(router):
    """A signal that nobody uses, and a word that does not fit, in the module around the router."""
    square = (EXAMPLES / "square.v").read_text()
    added = "    wire forgotten = rst;\n    wire [7:0] narrow = inject_data;\nendmodule"
    (router / "own.v").write_text(square.replace("endmodule", added))
    sources = ["cubecast_router.vlt", "own.v", "cubecast_router.v"]
    _, told = linted(router, "-Wno-DECLFILENAME", "--top-module", "square", *sources)
    said = re.findall(r"^%Warning-(\w+): (\w+\.v)", told, re.M)
    assert sorted(said) == [("UNUSEDSIGNAL", "own.v")] * 2 + [("WIDTHTRUNC", "own.v")]


def test_the_session_of_the_page(tmp_path):
    """The commands of docs/integration.md, one after the other; the last one prints what the page says."""
    if shutil.which("iverilog") is None:
        pytest.skip(NO_ICARUS)
    page = (EXAMPLES.parent / "docs" / "integration.md").read_text()
    commands = re.search(r"## One session.*?^```sh\n(.*?)^```", page, re.M | re.S)[1]
    (tmp_path / "examples").symlink_to(EXAMPLES)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "%Warning" not in done.stdout + done.stderr
    last = next(line for line in done.stdout.splitlines() if line.startswith("PASS"))
    assert f"`{last}`" in page


@pytest.mark.parametrize("dim", [3, 4])
def test_routes_in_a_cube_with_missing_nodes(dim):
    """6 of 8 nodes and 12 of 16: every broadcast, and lists of all lengths (n = 4: of 1, 2 and 11), arrive."""
    present = range(3 << dim - 2)
    missing = range(len(present), 1 << dim)
    assert max(sum(v ^ 1 << j in missing for j in range(dim)) for v in present) == 1
    for source in present:
        others = [node for node in present if node != source]
        assert sorted(route(dim, source, faults=missing, broadcast=True).delivered) == others
        for k in range(1, 6) if dim == 3 else (1, 2, 11):
            for listed in itertools.combinations(others, k):
                tree = route(dim, source, listed, faults=missing)
                assert sorted(tree.delivered) == sorted(listed) and not set(tree.nodes) & set(missing)


@pytest.mark.core
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


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    """Return the folder with the router that the example with missing nodes asks for."""
    folder = tmp_path_factory.mktemp("six")
    comment = next(line for line in (EXAMPLES / "six.v").read_text().splitlines() if "cubecast generate" in line)
    assert main([*comment.removeprefix("//").split()[1:-1], str(folder)]) == 0
    return folder


def pasted(folder):
    """Return the design with missing nodes, made of six copies of the template, their ties, and wires."""
    template = (folder / "cubecast_router_inst.v").read_text()
    head = (EXAMPLES / "six.v").read_text()
    lines = [head[head.index("module six (") : head.index("    // What node v sends")]]
    for v in range(6):
        text = template
        for j in range(3):
            if v ^ 1 << j >= 6:
                text = re.sub(rf"^// (assign u0_link_(?:in|out)__{j}__)", r"\1", text, flags=re.M)
                continue
            for member in ("valid", "data", "last", "error", "lane", "down"):
                text += f"assign u0_link_in__{j}__{member} = n{v ^ 1 << j}_link_out__{j}__{member};\n"
            text += f"assign u0_link_out__{j}__ready = n{v ^ 1 << j}_link_in__{j}__ready;\n"
        text += f"assign u0_address = {v}, u0_inject__error = 0, u0_control__address = 0, u0_control__write = 0;\n"
        text += "assign u0_control__write_data = 0;\n"
        for stream, outgoing in (("inject", ("ready",)), ("eject", ("valid", "data", "last", "error"))):
            for member in ("valid", "data", "last", "error", "ready"):
                item = f"{stream}_{member}[{f'{32 * v} +: 32' if member == 'data' else v}]"
                ends = (item, f"u0_{stream}__{member}")
                if item.startswith("inject_error"):
                    continue
                text += "assign {} = {};\n".format(*(ends if member in outgoing else ends[::-1]))
        text += f"assign report_valid[{v}] = u0_report__valid, multiple_faults[{v}] = u0_multiple_faults;\n"
        text += f"assign report_reason[{4 * v} +: 4] = u0_report__reason;\n"
        text += f"assign report_destination[{3 * v} +: 3] = u0_report__destination;\n"
        lines.append(text.replace("u0_", f"n{v}_"))
    # Declared before use: all declarations first, then the rest.
    body = "".join(lines[1:]).splitlines()
    wires = [line for line in body if line.startswith("wire ")]
    return "\n".join([lines[0], *wires, *(line for line in body if not line.startswith("wire ")), "endmodule", ""])


def test_six_of_eight_nodes(larger):
    """The example and six pasted templates pass the testbench; without a tie of ``down``, they fail it."""
    if shutil.which("iverilog") is None:
        pytest.skip(NO_ICARUS)
    made = pasted(larger)
    # One design with both ties: it takes longer to compile than to run.
    tied = made.replace("_down = 1'd1;", '_down = !$test$plusargs("untied");')
    assert tied != made and "_down = 1'd" not in tied
    for text, runs in (((EXAMPLES / "six.v").read_text(), {"": "PASS"}), (tied, {"": "PASS", "+untied": "FAIL"})):
        (larger / "six.v").write_text(text)
        sources = [str(EXAMPLES / "six_tb.v"), "six.v", "cubecast_router.v"]
        subprocess.run(["iverilog", "-g2012", "-o", "six_tb", *sources], cwd=larger, check=True)
        for option, verdict in runs.items():
            command = ["vvp", "-n", "six_tb", *option.split()]
            done = subprocess.run(command, cwd=larger, capture_output=True, text=True, check=True)
            assert done.stdout.startswith(verdict), done.stdout
