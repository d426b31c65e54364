"""Wires: what is counted inside is the same net, and leads where its name says."""

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.points import Point, counts_of, points_of
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.harness.wires import ports_of, wires_of
from tests.adapter.corners import CORNERS as ADAPTER
from tests.board.corners import CORNERS as BOARDS
from tests.collective.corners import CORNERS as COLLECTIVE
from tests.harness.test_coverage import dat
from tests.multicast.corners import CORNERS as MULTICAST
from tests.node.corners import CORNERS as NODES
from tests.packet.corners import CORNERS as PACKET
from tests.reduction.corners import CORNERS as REDUCTION

INNER = {"inner": {"a": 3, "b": 1, "o": 3}}

MODULE = """\
(* src = "/x/rtl/outer.py:1" *)
module outer(whole, shared, wide, read, part, given, again,
 driven, lone);
  input [2:0] whole;
  wire [2:0] whole;
  input [2:0] shared;
  input [3:0] wide;
  input [2:0] read;
  input [2:0] part;
  (* src = "/x/rtl/outer.py:2" *)
  output [2:0] given;
  wire [2:0] given;
  output [2:0] again;
  output [2:0] driven;
  reg [2:0] driven;
  output lone;
  wire one__given;
  wire \\escaped.name ;
  (* src = "/x/rtl/outer.py:3" *)
  inner one (
    .a(whole),
    .b(read[1]),
    .o(given)
  );
  inner two (
    .a(shared),
    .b(lone),
    .o({ part[0], part[2:1] })
  );
  inner three (
    .a(shared),
    .o(driven)
  );
  inner four (
    .a(wide),
    .b(\\escaped.name )
  );
  other five (
    .a(read)
  );
  assign again = given;
  assign unread = ~ (* src = "whole" *) shared[0];
  always @* begin
    driven = 3'h0;
  end
endmodule
"""


def wires(text, inner=INNER):
    """Return the wires of a module."""
    return wires_of(text.splitlines(), inner)


def test_a_wire_is_connected_whole_and_stands_nowhere_else():
    """No slice, no width of another port, no logic beside it, nothing whose ports are not counted."""
    assert ports_of(MODULE.splitlines()) == {
        **dict.fromkeys(("whole", "shared", "read", "part", "given", "again", "driven"), 3),
        **{"wide": 4, "lone": 1},
    }
    assert wires(MODULE) == {"whole": {"a"}, "given": {"o"}, "again": {"o"}, "lone": {"b"}}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("  assign x = given[0];\n", {"given", "again"}),
        ("  assign x = again + 1;\n", {"given", "again"}),
        ("  always @(posedge whole)\n", {"whole"}),
        ("  assign whole = 3'h0;\n", {"whole"}),
        ("  assign lone = whole;\n", {"lone", "whole"}),
    ],
)
def test_whatever_reads_or_drives_a_net_makes_it_no_wire(text, lost):
    """One more line, wherever it stands; a net of another name is the same one."""
    for place in ("  assign again", "endmodule"):
        assert wires(MODULE).keys() - wires(MODULE.replace(place, text + place, 1)).keys() == lost


DESIGN = """\
(* src = "/x/rtl/leaf.py:1" *)
module leaf(a);
  (* src = "/x/lib/wiring.py:9" *)
  input [1:0] a;
endmodule
(* src = "/x/rtl/outer.py:1" *)
module top(a, b);
  (* src = "/x/lib/wiring.py:9" *)
  input [1:0] a;
  (* src = "/x/lib/wiring.py:9" *)
  input [1:0] b;
  leaf one (
    .a(a)
  );
  foreign two (
    .a(b)
  );
endmodule
(* src = "/x/lib/foreign.py:1" *)
module foreign(a);
  input [1:0] a;
endmodule
"""


def test_bits_of_a_wire_are_counted_inside():
    """Outside is only whether any bit moved; a port of what is no unit keeps its bits."""
    counts = {("v_toggle", 4, f"a[{bit}]:0->1"): bit for bit in range(2)}
    counts |= {("v_toggle", line, f"{name}[{bit}]:0->1"): 4 for line, name in ((9, "a"), (11, "b")) for bit in range(2)}
    found = points_of(counts_of(dat(counts)), DESIGN, {"leaf": [""] * 9, "outer": [""] * 9}.get)
    assert found == {
        Point("leaf", "toggle", 0, "a[0] rises"): 0,
        Point("leaf", "toggle", 0, "a[1] rises"): 1,
        Point("outer", "toggle", 0, "a, any bit rises"): 8,
        Point("outer", "toggle", 0, "b[0] rises"): 4,
        Point("outer", "toggle", 0, "b[1] rises"): 4,
    }


COMPOSITES = {
    "node.packet_node:PacketNode": (NODES["serial"], {}),
    "node.axi_node:AxiNode": (NODES["least"], {}),
    "crosspoint.load_router:LoadRouter": (CrosspointConfig(dim=2, depth=4, packet_limit=2, eject_depth=4), {}),
    "multicast.load_router:LoadRouter": (MULTICAST["n2"], {}),
    "packet.load_router:LoadRouter": (PacketConfig(dim=2, rows=2, max_words=5), {}),
    "reduction.load_router:LoadRouter": (REDUCTION["small_load"], {}),
    "reduction.router:ReductionRouter": (REDUCTION["default"], {"reduction": "control"}),
    "multicast.self_test_node:SelfTestNode": (MULTICAST["n2"], {"test": "control"}),
    "collective.node:CollectiveNode": (
        COLLECTIVE["n2"],
        {"collective": "control", "inject": "host_inject", "eject": "host_eject"},
    ),
}
"""Units that place others and leave some of their wires still: parameters of a lockstep run, streams renamed inside."""


def wires_inside(unit, config):
    """Return the wires of a unit by their names, with the ports that they lead to."""
    text = verilog_of(f"cubecast.rtl.{unit}", config)
    modules = {part.split("(")[0].strip(): f"module {part}".splitlines() for part in text.split("\nmodule ")[1:]}
    return wires_of(modules["top"], {name: ports_of(lines) for name, lines in modules.items()})


def test_what_leads_out_of_a_unit_inside():
    """The lamp of a board for errors, what the tracker of a node knows, and that a buffer unit refuses packets."""
    assert wires_inside("board.board_network:BoardNetwork", BOARDS["default"])["failed"] == {"failed"}
    assert wires_inside("node.node_interface:NodeInterface", NODES["least"])["early"] == {"early"}
    assert wires_inside("packet.router:PacketRouter", PACKET["long"])["link_in__3__refusing"] == {"refusing"}


def test_the_adapter_behind_axi_ports_sees_what_is_cut():
    """The port is the adapter's own."""
    assert wires_inside("adapter.axi_adapter:AxiAdapter", ADAPTER["one_run"])["cut"] == {"cut"}


@pytest.mark.parametrize("unit", COMPOSITES)
def test_wires_lead_to_ports_of_their_names(unit):
    """What such a wire does is seen where the unit inside is run: it is that unit's port, and no other one."""
    config, renamed = COMPOSITES[unit]
    found = wires_inside(unit, config)
    assert len(found) > 10
    for name, ends in found.items():
        stream, mark, port = name.partition("__")
        assert ends == {renamed.get(stream, stream) + mark + port}
