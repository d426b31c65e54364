"""The parallel simulation is that of Verilator, cycle by cycle; and the section of the benchmarks that uses it."""

import enum

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.engine.netlist import netlist
from cubecast.tb.engine.parallel import Network
from cubecast.tb.engine.programs import codes
from cubecast.tb.harness.modules import module_of, within
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.measure import speed
from cubecast.tb.measure.programs import parallel, plain, run, same_traces

QUICK = {
    "listed": Config(dim=2, max_dest=1, max_list=2, max_data=3, log_depth=2),
    # A buffer of 48 words, which is no power of two.
    "ordered": Config(dim=2, policy="ordered", source_field=True, width=40, max_data=40),
}
SOAK = {
    "n3": Config(dim=3),
    "ordered": Config(dim=3, policy="ordered", max_dest=2, max_list=5),
    "fault_free": Config(dim=3, fault_tolerant=False, max_dest=3, max_data=5),
    "wide": Config(dim=3, width=70, max_dest=2, max_list=3, source_field=True),
    "n4": Config(dim=4, max_dest=3, max_list=9),
}
TRAFFIC = {
    "seed": 7,
    "load": 4000,
    "mix": 0x10_30_40,
    "multicast": 0x1_0002,
    "listed": 0x1_0002,
    "length": 0x3F_0000,
    "stall": 60,
    "drain": 50_000,
}


def compare(config, cycles, folder, pace, **other):
    """Run both simulations and compare traces and results."""
    programs = parallel(config, speed=pace), plain(config, probe=True, speed=pace)
    traces, results = [], []
    for name, program in zip(("parallel", "plain"), programs, strict=True):
        traces.append(folder / name)
        results.append(run(program, TRAFFIC | other | {"clocks": cycles}, traces[-1]))
        results[-1].pop("seconds")
    one, other_result = results
    assert one == other_result
    agree = same_traces(*traces)
    assert agree == traces[0].stat().st_size // 8 > cycles
    assert one["delivered"] == one["expected"] > cycles // 200
    assert one["delivered_signature"] == one["expected_signature"]


@pytest.mark.soak
@pytest.mark.parametrize("name", QUICK)
def test_parallel_simulation_equals_verilator_soak(name, tmp_path):
    """Every link, register and report in every cycle."""
    compare(QUICK[name], 3000, tmp_path, "build")


@pytest.mark.soak
@pytest.mark.parametrize("name", SOAK)
def test_large_parallel_simulation_equals_verilator_soak(name, tmp_path):
    """The same in larger networks, and with as much traffic as is taken."""
    compare(SOAK[name], 5000, tmp_path, "run")
    compare(SOAK[name], 2500, tmp_path, "run", load=65_536)


@pytest.mark.soak
def test_many_cycles_of_64_nodes_soak():
    """Every message arrives once, with the load of the benchmark, in a network that no other simulation can follow."""
    config = Config(dim=6)
    result = run(parallel(config), speed.traffic(config) | {"clocks": 300_000})
    assert result["delivered"] == result["expected"] > 600_000
    assert result["delivered_signature"] == result["expected_signature"]
    assert result["payload_errors"] == result["errors"] == 0


MODULE = "module top(input clk, input rst, input [1:0] a, output {wire} [1:0] y);\n{body}\nendmodule\n"


@pytest.mark.parametrize(
    ("wire", "body", "text"),
    [
        ("reg", "always @(negedge clk) y <= a;", "kind of cell"),
        (
            "wire",
            "reg [1:0] m [0:15]; reg [3:0] p; always @(posedge clk) begin p <= {a, a}; m[p] <= a; m[~p] <= p[1:0]; end"
            " assign y = m[p];",
            "one write port",
        ),
    ],
)
def test_what_is_not_understood_is_refused(wire, body, text):
    """Rather than simulated wrongly."""
    with pytest.raises(ValueError, match=text):
        netlist(MODULE.format(wire=wire, body=body), "top")


def test_registers_start_with_their_reset_value():
    """That of each bit."""
    found = netlist(MODULE.format(wire="reg", body="initial y = 2; always @(posedge clk) y <= a;"), "top")
    assert found.ones == {found.outputs["y"][1]}


def test_more_nodes_than_bits_are_refused():
    """A machine word has 64 bits; nothing is translated first."""
    with pytest.raises(ValueError, match=r"^dim must be an integer from 2 to 6 here, not 7$"):
        Network(7, "", "top", "")


LOOP = """\
module mhu(input rst, input i, output o);
  assign o = ~i;
endmodule
module top(input rst, input address, input next, input link_in__0__valid, output link_out__0__valid);
  wire back;
  mhu one (.rst(rst), .i(next & {i}), .o(back));
  assign link_out__0__valid = {o};
endmodule
"""


@pytest.mark.parametrize(
    ("i", "o", "looped"),
    [("address", "back", False), ("back", "back", True), ("link_in__0__valid", "back", True)],
)
def test_a_loop_through_the_ports_is_refused(i, o, looped):
    """A unit's output, or a link, that leads back to an input which it depends on."""
    text = LOOP.format(i=i, o=o)
    if not looped:
        assert max(Network(2, text, "top", "mhu").shell.level.values()) >= 0
        return
    with pytest.raises(ValueError, match="combinational loop through the ports"):
        Network(2, text, "top", "mhu")


def test_a_unit_is_found_by_its_name():
    """And only if it is there once."""
    text = "module cubecast_mhu(clk);\nmodule cubecast_unicast_mhu(clk);\nmodule top(clk);\n"
    assert module_of(text, "mhu") == "cubecast_mhu"
    with pytest.raises(ValueError, match="not 'router': \\[]"):
        module_of(text, "router")
    with pytest.raises(ValueError, match="'cubecast_mhu', 'cubecast_mhu'"):
        module_of(text + text, "mhu")


def test_codes_become_an_enum():
    """Of what C++ counts alike, from 0 on."""
    kind = enum.IntEnum("Kind", {"NONE": 0, "ONE": 1})
    text = codes(kind)
    assert "enum Kind : unsigned { NONE, ONE };" in text and 'KIND_NAMES[] = {"NONE", "ONE"};' in text
    with pytest.raises(ValueError, match="kind must have the values 0 to 0"):
        codes(enum.IntEnum("Other", {"ONE": 1}))


def test_a_program_that_fails_says_so(tmp_path):
    """With its own words."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(SimulatorError, match="status 3: no"):
        run(program, {})


def test_traces_are_compared_to_the_first_difference(tmp_path):
    """And a trace that ends early differs there."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(bytes(40))
    for content, agree in ((bytes(40), 5), (bytes(24), 3), (bytes(20) + b"x" + bytes(19), 2)):
        other.write_bytes(content)
        assert same_traces(one, other) == agree


def test_offered_load_is_what_is_asked_for():
    """Words per node and cycle, from the mean length of a message."""
    values = speed.traffic(Config(dim=6))
    share = values["mix"] / 256
    mean = (1 - share) * (1 + 1 + 1 + 8) + share * (1 + 4 + 1 + 8)
    assert values["load"] / 65536 * mean == pytest.approx(0.3, abs=0.001)


def test_table_shows_the_aim_beside_the_figure():
    """For 64 nodes; and what was not measured."""
    measured = {
        "clocks": 1,
        "seconds": 1.0,
        "clocks_per_second": 54321,
        "accepted": 0.3,
        "messages": 1,
        "deliveries": 1,
    }
    result = {
        "load": 0.3,
        "multicast": 51,
        "destinations": 4,
        "payload": 8,
        "networks": [{"dim": 6, "policy": "greedy", "lanes": 4, "units": 25, "parallel": measured}],
        "equal": {"dim": 3, "clocks": 5000},
        "lockstep": [{"dim": 2, "clocks": 1, "seconds": 1.0, "clocks_per_second": 1234}],
    }
    text = "\n".join(speed.table(result))
    assert "| 64 | greedy | 25 | 0.300 | 54,321 (aim 20,000) | not measured |" in text
    assert "80 % unicast" in text
    assert "| 4 | 1,234 |" in text


INSIDE = """\
module leaf(a, y);
  input a;
  output y;
  assign y = {y};
endmodule
module middle(a, rst, y);
  input a;
  input rst;
  output y;
  leaf below (.a(a), .y(y));
endmodule
module top(a, y);
  input a;
  output y;
  middle below (.a(a), .rst(1'b0), .y(y));
endmodule
"""


def test_a_netlist_is_that_of_what_is_inside():
    """A module that stays closed has its ports only; what is not inside at all is left out."""
    one, other = (INSIDE.format(y=y) for y in ("a", "~a"))
    assert within(one, "top", ["leaf"]) == within(other, "top", ["leaf"]) == one.replace("  assign y = a;\n", "")
    assert within(one, "middle") != within(other, "middle")
    assert within(one, "middle") == one[: one.index("module top")]
    inverted = netlist(other, "middle").gates
    assert [gate.kind for gate in inverted.values()] == ["NOT"] and not netlist(one, "middle").gates
    (closed,) = netlist(other, "middle", ["leaf"]).instances
    assert closed.module == "leaf" and closed.ports.keys() == {"a", "y"}
