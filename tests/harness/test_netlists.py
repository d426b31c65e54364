"""Netlists in lockstep, and designs whose registers begin with any value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.usage import UsageError
from cubecast.systems import SYSTEMS
from cubecast.tb.harness import lockstep as harness
from cubecast.tb.harness import netlists
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.lockstep import Mismatch, Report, lockstep
from cubecast.tb.harness.netlists import FAMILIES, netlisted
from cubecast.tb.harness.simulators import simulators
from cubecast.tb.harness.unset import unset
from tests.harness.toy import BENCH, UNRESET, ToyConfig
from tests.reduction.corners import CORNERS as REDUCTION

NETWORKS = {"crosspoint": CrosspointConfig, "multicast": Config, "packet": PacketConfig}

BARE = {"dim": 2, "fault_tolerant": False, "log_depth": 0, "counters": 0}

LEAST = {
    "crosspoint": CrosspointConfig(
        dim=2, width=8, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, log_depth=0, counters=0
    ),
    "multicast": Config(**BARE, width=2, max_data=1, policy="ordered", streamers=1),
    "packet": PacketConfig(**BARE, width=6, rows=1, max_words=1, fifo_depth=4, routing="fixed"),
    # With a log and counters of 8 bits.
    "reduction": REDUCTION["least"],
}
"""System to its smallest router; those of the first three have 371, 715 and 741 LUT4 of an ECP5."""

DELIVERED = {
    "crosspoint": "ejection",
    "multicast": "local delivery",
    "packet": "word for the node",
    "reduction": "result",
}
"""System to the event of something that reaches the node."""


def least_router(system: str, family: str) -> Report:
    """Run a system's smallest router as a netlist, where it is built in the least time."""
    bench = load(f"{system}.router")
    return lockstep(bench, LEAST[system], simulator=simulators()[-1], cycles=800, netlist=family, require_events=False)


@pytest.mark.core
@pytest.mark.parametrize("system", LEAST)
def test_a_netlist_does_what_the_twin_does(system: str) -> None:
    """LUTs, flip-flops and memories of an ECP5, with traffic of every kind; the command that repeats it says so."""
    report = least_router(system, "ecp5")
    assert report.cycles == 800 and report.events[DELIVERED[system]] > 20 and "--netlist ecp5" in report.command


@pytest.mark.core
def test_an_inverted_bit_of_a_lut_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowest one, for inputs of zero, of a LUT that says that a head is on a link."""
    lut = re.compile(r"(LUT4 #\(\s*\.INIT\(16'h[0-9a-f]{3})([0-9a-f])([^;]*\.Z\(link_out__0__head\))")

    def altered(verilog: str, top: str, family: str) -> str:
        text, changed = lut.subn(
            lambda found: f"{found[1]}{int(found[2], 16) ^ 1:x}{found[3]}", netlisted(verilog, top, family)
        )
        assert changed == 1
        return text

    monkeypatch.setattr(harness, "netlisted", altered)
    with pytest.raises(Mismatch, match="port link_out__0__head: DUT 1, golden 0"):
        least_router("crosspoint", "ecp5")


def test_a_cell_without_a_model_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Yosys has no model of an ECP5's block memories, and makes none where they are asked for."""
    monkeypatch.setattr(netlists, "_netlist", lambda *_: "module top(clk);\n  DP16KD #(\n  ) a (\n  );\nendmodule\n")
    with pytest.raises(UsageError, match="netlist must be of cells that have a model: ecp5 has none of DP16KD"):
        netlisted("module top(clk);\n  input clk;\nendmodule\n", "top", "ecp5")
    with pytest.raises(UsageError, match="netlist must be one of ecp5, xilinx, ice40, generic, not 'asic'"):
        netlisted("module top(clk);\nendmodule\n", "top", "asic")


@pytest.mark.parametrize("name", ["packet_router", "packet_router_kinds", "crosspoint_load_router"])
def test_only_routers_become_netlists(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What is around them stays, each of them is there once, and what is inside one is a part of it, routers too."""
    asked = []

    def made(verilog: str, top: str, family: str) -> str:
        asked.append((top, re.findall(r"^module (\w+)", verilog, re.M)))
        return f"module {top}(clk);\n  input clk;\nendmodule\n"

    monkeypatch.setattr(netlists, "_netlist", made)
    called, part = f"cubecast_{name}_0123abcd", "cubecast_crosspoint_router_0123abcd"
    inner = "".join(f"module {each}(clk);\n  input clk;\nendmodule\n" for each in ("inner", part))
    router = f"module {called}(clk);\n  input clk;\n  inner a (\n  );\n  {part} b (\n  );\nendmodule\n"
    around = f"module top(clk);\n  input clk;\n  inner b (\n  );\n  {called} r (\n  );\nendmodule\n"
    text = netlisted(inner + router + around, "top", "generic")
    assert asked == [(called, ["inner", part, called])]
    assert sorted(re.findall(r"^module (\w+)", text, re.M)) == [called, "inner", "top"]


MEMORY = """\
module top(clk, write, address, data, q);
  input clk, write;
  input [5:0] address;
  input [7:0] data;
  output reg [7:0] q;
  (* ram_style = "block" *)
  reg [7:0] memory [63:0];
  always @(posedge clk) begin
    if (write) memory[address] <= data;
    q <= memory[address];
  end
endmodule
"""


@pytest.mark.parametrize("family", ["ecp5", "xilinx"])
def test_memories_are_of_luts_where_blocks_have_no_model(family: str) -> None:
    """Though they ask for blocks."""
    text = netlisted(MEMORY, "top", family)
    assert re.search(r"^  (?:TRELLIS_DPR16X4|RAM\d+\w+) ", text, re.M) and not re.search("DP16KD|RAMB", text)


@pytest.mark.core
def test_registers_begin_with_any_value() -> None:
    """The reset of a counter is enough; one that has none relies on its first value, and shows itself."""
    assert lockstep(BENCH, ToyConfig(), cycles=600, start=1).cycles == 600
    with pytest.raises(Mismatch, match="--start 2") as failed:
        lockstep(UNRESET, ToyConfig(), cycles=100, start=2)
    assert "cycle 1, port o" in str(failed.value)
    with pytest.raises(ValueError, match="start must be an integer from 1 to 2147483647, not 0"):
        lockstep(BENCH, ToyConfig(), start=0)
    with pytest.raises(ValueError, match="simulator must be verilator for registers to begin with random values"):
        lockstep(BENCH, ToyConfig(), start=1, simulator="icarus")


def test_what_is_only_read_keeps_its_values() -> None:
    """Registers, memories and the macro of the iCE40's flip-flops lose theirs."""
    memory = "  initial begin\n    {name}[0] = 4'h1;\n    {name}[1] = 4'h0;\n  end\n"
    written = "  always @(posedge clk) begin\n    if (en)\n      words[at] <= data;\n  end\n"
    starter = "  reg at_start = 0;\n  initial at_start <= 1;\n"
    text = "".join(
        [
            "`define SB_DFF_INIT initial Q = 0;\nmodule top(clk);\n",
            starter,
            "  reg [3:0] count = 4'h7;\n  reg \\a.b  = 1'h0;\n  initial Q <= INIT;\n",
            memory.format(name="words"),
            written,
            memory.format(name="table"),
            "endmodule\n",
        ]
    )
    left = unset(text)
    assert starter in left and memory.format(name="table") in left and written in left
    assert left.count("initial") == 2 and "4'h7" not in left and "INIT" in left
    assert re.search(r"reg \[3:0\] count ;\n  reg \\a.b ;\n", left)


def small(system: str, dim: int, more: Mapping[str, Any]) -> Any:
    """Return the small preset of a router."""
    return NETWORKS[system](dim=dim, **{**SYSTEMS[system].presets["small"](dim, more), **more})


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("system", NETWORKS)
def test_small_routers_as_netlists(system: str, family: str) -> None:
    """Of every system in every family, and with registers that begin with any value."""
    bench, config = load(f"{system}.router"), small(system, 2, {})
    for start in (None, 1, 2):
        lockstep(bench, config, cycles=3000, netlist=family, start=start, require_events=False, timeout=3600)


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
def test_a_router_with_a_join_unit_as_a_netlist(family: str) -> None:
    """In every family, and with registers that begin with any value."""
    for start in (None, 1, 2):
        bench = load("reduction.router")
        lockstep(bench, LEAST["reduction"], cycles=3000, netlist=family, start=start, require_events=False)


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("system", NETWORKS)
def test_networks_of_netlists(system: str, family: str) -> None:
    """Eight routers of every system in every family."""
    bench, config = load(f"{system}.network"), small(system, 3, {})
    lockstep(bench, config, cycles=3000, netlist=family, require_events=False, timeout=3600)


@pytest.mark.soak
@pytest.mark.parametrize("system", NETWORKS)
def test_networks_begin_with_any_value(system: str) -> None:
    """Eight routers of every system, from several seeds."""
    for start in range(1, 5):
        lockstep(load(f"{system}.network"), NETWORKS[system](dim=3), cycles=3000, start=start, require_events=False)
