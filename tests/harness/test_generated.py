"""What Verilator has written twice is compiled once, and only where it is the same."""

import subprocess

import pytest

from cubecast.tb.harness.generated import settled_once
from cubecast.tb.harness.toolchain import verilator

MODEL = """\
void M___ico_sequent__TOP__0(M* vlSelf);

void M___eval_ico(M* vlSelf) {
    VL_DEBUG_IF(VL_DBG_MSGF("+"); );
    // Body
    if ((1ULL & vlSelfRef.__VicoTriggered[0U])) {
        M___ico_sequent__TOP__0(vlSelf);
    }
}

void M___ico_sequent__TOP__0(M* vlSelf) {
    // Body
    vlSelfRef.sum = (vlSelfRef.a + vlSelfRef.b);
}
"""

START = """\
VL_ATTR_COLD void M___stl_sequent__TOP__0(M* vlSelf);

VL_ATTR_COLD void M___eval_stl(M* vlSelf) {
    // Body
    if ((1ULL & vlSelfRef.__VstlTriggered[0U])) {
        M___stl_sequent__TOP__0(vlSelf);
    }
}

VL_ATTR_COLD void M___stl_sequent__TOP__0(M* vlSelf) {
    // Body
    vlSelfRef.sum = (vlSelfRef.a + vlSelfRef.b);
}
"""


def test_logic_behind_the_inputs_is_that_of_the_start():
    """It is called instead, and declared before; the other function is gone."""
    found = settled_once({"fast": MODEL, "slow": START})
    assert found["slow"] == START
    body = found["fast"].partition("__VicoTriggered[0U])) {\n")[2].partition("    }")[0]
    assert body == "        M___stl_sequent__TOP__0(vlSelf);\n"
    assert found["fast"].index("VL_ATTR_COLD void M___stl_sequent__TOP__0(M* vlSelf);") < found["fast"].index(
        "eval_ico"
    )
    assert "vlSelfRef.sum" not in found["fast"]


@pytest.mark.parametrize(
    ("fast", "slow"),
    [
        # Another place calls it.
        (MODEL + "void M___other(M* vlSelf) {\n    M___ico_sequent__TOP__0(vlSelf);\n}\n", START),
        # It is evaluated for other reasons too.
        (MODEL.replace("    }\n}\n", "    }\n    if (x) {\n    }\n}\n", 1), START),
        (MODEL.replace("(1ULL &", "(3ULL &"), START),
        # There is no logic at the start, or one that has much more to do.
        (MODEL, ""),
        (
            MODEL,
            START.replace("    vlSelfRef.sum", "    vlSelfRef.other = vlSelfRef.sum * 2;\n" * 9 + "    vlSelfRef.sum"),
        ),
    ],
)
def test_what_is_not_the_same_stays(fast, slow):
    """Both files are as they were."""
    texts = {"fast": fast, "slow": slow}
    assert settled_once(texts) == texts


def test_verilator_writes_what_is_looked_for(tmp_path):
    """The logic of a small design is cut down in what the installed version writes."""
    logic = "\n".join(f"  assign o{place} = a + {place} ^ (b >> {place % 8});" for place in range(99))
    ports = "".join(f", output [7:0] o{place}" for place in range(99))
    state = "  reg [7:0] q = 0;\n  always @(posedge clk) q <= a;\n  assign r = ~q ^ (q >> 1);"
    text = f"module top(input clk, input [7:0] a, input [7:0] b, output [7:0] r{ports});\n{state}\n{logic}\nendmodule\n"
    (tmp_path / "top.v").write_text(text)
    program, env = verilator()
    command = [program, "-cc", "--prefix", "Vtop", "-Mdir", ".", "-Wno-lint", "top.v"]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    written = {path.name: path.read_text() for path in tmp_path.glob("V*.cpp")}
    assert sum(map(len, settled_once(written).values())) < sum(map(len, written.values()))
