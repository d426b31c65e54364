"""What is read of Verilog: names that have to be escaped are names like others."""

from cubecast.tb.harness.modules import beside, design_of

TEXT = r"""
module \top.q[0] (a, b);
  input a;
  output b;
  assign b = a;
endmodule
module plain(a, b);
  input a;
  output b;
  \top.q[0]  \q[0]  (
    .a(a),
    .b(b)
  );
endmodule
module top(a, b);
  input a;
  output b;
  wire c, d;
  \top.q[0]  \case  (
    .a(a),
    .b(c)
  );
  \top.q[0]  other (
    .a(c),
    .b(d)
  );
  plain \p.1  (
    .a(d),
    .b(b)
  );
endmodule
"""
"""As Amaranth writes it."""


def test_all_instances_are_seen() -> None:
    """Whether their names, those of their modules, or both are escaped."""
    design = design_of(TEXT)
    assert design["plain"].instances == {"q[0]": "top.q[0]"}
    assert design["top"].instances == {"case": "top.q[0]", "other": "top.q[0]", "p.1": "plain"}


def test_all_instances_are_renamed() -> None:
    """Beside another design, each is one of its own module."""
    both = design_of(beside({"u0": TEXT, "u1": TEXT}, "top"))
    assert both["top"].instances == {"u0": "u0_top", "u1": "u1_top"}
    for place in ("u0", "u1"):
        inner = both[f"{place}_top"].instances
        assert inner == {"case": f"{place}_top.q[0]", "other": f"{place}_top.q[0]", "p.1": f"{place}_plain"}
        assert both[f"{place}_plain"].instances == {"q[0]": f"{place}_top.q[0]"}
