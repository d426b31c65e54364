"""What Verilator has written twice is compiled once, only where it is the same, and ports are rows of a table."""

import re
import subprocess

import pytest

from cubecast.tb.harness.generated import cut_down, ports_in_a_table, settled_once, without_members
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


def test_statements_beside_the_calls_come_along():
    """What the start evaluates itself is evaluated behind the inputs, with its variables; what they had is gone."""
    more = "        vlSelfRef.most = vlSelfRef.sum | spare;\n"
    start = START.replace("    // Body\n", "    IData spare = 1U;\n    // Body\n", 1)
    start = start.replace("TOP__0(vlSelf);\n    }", f"TOP__0(vlSelf);\n{more}    }}")
    other = MODEL.replace("TOP__0(vlSelf);\n    }", "TOP__0(vlSelf);\n        vlSelfRef.most = 0U;\n    }")
    found = settled_once({"fast": other, "slow": start})
    assert found["slow"] == start
    whole = found["fast"].partition("void M___eval_ico(M* vlSelf) {\n")[2].partition("\n}\n")[0]
    assert whole.startswith("    IData spare = 1U;\n")
    body = whole.partition("__VicoTriggered[0U])) {\n")[2]
    assert body == f"        M___stl_sequent__TOP__0(vlSelf);\n{more}    }}"
    assert "vlSelfRef.sum = " not in found["fast"]


PORTS = """\
    scope->varInsert("clk", &(TOP.clk), false, VLVT_UINT8, VLVD_IN|VLVF_PUB_RW, 0, 0);
    scope->varInsert("a", &(TOP.a___05F), false, VLVT_UINT32, VLVD_OUT|VLVF_PUB_RD, 0, 1 ,23,2);
    other->varInsert("b", &(TOP.b), false, VLVT_UINT8, VLVD_IN|VLVF_PUB_RW, 0, 0);
    other->varInsert("words", &(TOP.words), false, VLVT_UINT8, VLVD_IN|VLVF_PUB_RW, 1, 1 ,0,3 ,7,0);
"""


def test_ports_of_a_scope_are_rows():
    """Each scope has a table, in the order of the calls; a call of another shape stays."""
    found = ports_in_a_table({"syms": PORTS})["syms"]
    assert re.findall(r'^ +\{"(.*)\},$', found, re.M) == [
        'clk", offsetof(decltype(TOP), clk), VLVT_UINT8, VLVD_IN|VLVF_PUB_RW, 0, 0, 0',
        'a", offsetof(decltype(TOP), a___05F), VLVT_UINT32, VLVD_OUT|VLVF_PUB_RD, 1, 23, 2',
        'b", offsetof(decltype(TOP), b), VLVT_UINT8, VLVD_IN|VLVF_PUB_RW, 0, 0, 0',
    ]
    assert re.findall(r"(\w+)->varInsert\(port", found) == ["scope", "scope", "other", "other"]
    assert found.endswith(PORTS.splitlines(keepends=True)[-1])


def test_members_go_with_their_header_only():
    """Declaration and reference are gone together; a class whose header others read keeps both."""
    model = "    , clk{vlSymsp->TOP.clk}\n    , a{vlSymsp->TOP.a}\n    , rootp{&(vlSymsp->TOP)}\n"
    header = "    VL_IN8(&clk,0,0);\n    VL_OUTW(&a,95,0,3);\n    VL_IN8(kept,0,0);\n"
    assert without_members({"M.cpp": model}) == {"M.cpp": model}
    found = without_members({"M.cpp": model, "M.h": header})
    assert found == {"M.cpp": "    , rootp{&(vlSymsp->TOP)}\n", "M.h": "    VL_IN8(kept,0,0);\n"}


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
    seen = "\n".join(
        ["`verilator_config", *(f'public_flat_rd -module "top" -var "o{place}"' for place in range(99)), ""]
    )
    (tmp_path / "seen.vlt").write_text(seen)
    command = [program, "-cc", "--vpi", "--prefix", "Vtop", "-Mdir", ".", "-Wno-lint", "seen.vlt", "top.v"]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    written = {path.name: path.read_text() for path in [*tmp_path.glob("V*.cpp"), tmp_path / "Vtop.h"]}
    for part in (settled_once, ports_in_a_table, without_members):
        assert part(written) != written
    found = cut_down(written)
    text = "".join(found.values())
    assert "ico_sequent" not in text
    assert text.count('"o98"') == "".join(written.values()).count('"o98"')
    assert text.count("->varInsert(") <= 4
    assert "VL_IN8(&" not in found["Vtop.h"]
    assert "{vlSymsp->TOP." not in found["Vtop.cpp"]
