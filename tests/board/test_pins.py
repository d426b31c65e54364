"""The module on a board's pins: what a UART receiver reads of it is what the golden network has counted."""

import importlib
import json

import pytest

from cubecast.golden.board.twins.board_network import BoardNetwork
from cubecast.tb.harness.builds import build
from cubecast.tb.harness.simulators import run, simulators
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.boards import BOARDS, CORE, TOP, top_verilog
from tests.board.corners import CORNERS
from tests.conftest import NO_ICARUS

PLL = """
// Stands for the PLL, whose model is the vendor's: its output is its input, and it is locked after some cycles.
module EHXPLLL #(
    parameter PLLRST_ENA = "", INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = "", OUTDIVIDER_MUXA = "",
    OUTDIVIDER_MUXB = "", OUTDIVIDER_MUXC = "", OUTDIVIDER_MUXD = "", FEEDBK_PATH = "", CLKOP_ENABLE = "",
    CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 1, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0
) (
    input RST, STDBY, CLKI, CLKFB, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP,
    output CLKOP, CLKINTFB, LOCK
);
    reg [2:0] count = 0;
    always @(posedge CLKI) count <= count + !LOCK;
    assign {CLKOP, CLKINTFB, LOCK} = {CLKI, 1'b0, count == 7};
endmodule
"""

CONFIG = CORNERS["default"]


def simulated(folder, name, presses):
    """Return the lines that a board prints, and its lights after each, with a button pressed before each."""
    if "icarus" not in simulators():
        pytest.skip(NO_ICARUS)
    board = BOARDS[name]
    text = verilog_of("cubecast.rtl.board.board_network:BoardNetwork", CONFIG, name=CORE)
    text += top_verilog(board, board.mhz) + PLL
    job = {
        "cycle": 10,
        "bit": CONFIG.bit_cycles,
        "held": CONFIG.debounce_cycles + 5,
        "buttons": {pin: int(about.inverted) for pin, about in board.pins.items() if pin in ("button", "reset")},
        "lights": [pin for pin in board.pins if pin.startswith("led")],
        "presses": presses,
        "outcome": str(folder / "outcome.json"),
    }
    (folder / "job.json").write_text(json.dumps(job))
    built = build(text, TOP, "icarus")
    env = {"CUBECAST_JOB": str(folder / "job.json")}
    done = run(built, TOP, "icarus", "tests.board.uart_driver", folder=folder, seed=1, env=env, results=True)
    results = importlib.import_module("cocotb_tools.runner").get_results(folder / "results.xml")
    assert results == (1, 0), "\n".join(done.log.splitlines()[-40:])
    found = json.loads((folder / "outcome.json").read_text())
    return found["lines"], found["lights"]


def expected(count):
    """Return the first lines after a reset, of the golden network's counts; nobody presses a button."""
    twin, found = BoardNetwork(CONFIG), []
    while len(found) < count:
        twin.step({"rst": 0, "button": 0})
        if twin.tally.tick:
            now = twin.tally.shown
            found.append(
                f"second {now['seconds']} load {now['offered']} % packets {now['packets']} words {now['words']} "
                f"under way {now['under_way']} errors {now['errors']}\r\n"
            )
    return found


@pytest.mark.cosim
def test_a_line_over_the_uart_is_what_the_golden_network_counts(tmp_path):
    """Byte for byte, on the pins of the smaller board; its lights are low when they are lit."""
    lines, lights = simulated(tmp_path, "orangecrab", [""])
    assert lines == expected(1) and int(lines[0].split()[6]) > 1000
    assert lights == [{"led_r": 1, "led_g": 0, "led_b": 1}]


@pytest.mark.soak
def test_buttons_and_lights(tmp_path):
    """The larger board: a press steps the load, the reset button begins anew, with the line that is the first one."""
    lines, lights = simulated(tmp_path, "ulx3s", ["button", "reset", "button"])
    assert lines[1] == expected(1)[0] != lines[0]
    assert [line.split()[1:4:2] for line in lines] == [["1", "40"], ["1", "20"], ["2", "40"]]
    assert all(line.endswith(" errors 0\r\n") for line in lines)
    assert [light["led_0"] for light in lights] == [1, 1, 0] and not any(light["led_1"] for light in lights)
    assert [light["led_2"] for light in lights] == [0, 1, 0] and [light["led_3"] for light in lights] == [1, 0, 1]
