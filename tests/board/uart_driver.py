"""What runs inside the simulator on a board's pins: an oscillator, buttons, and a UART receiver."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.uart import UartSink

# cocotbext-uart 0.1.4 calls cocotb by names that cocotb 2 has renamed and still knows.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.uart\.")


@cocotb.test()
async def read_lines(dut):
    """Press the buttons as the job says, and note the lines, and the lights after each."""
    job = json.loads(Path(os.environ["CUBECAST_JOB"]).read_text())
    for name, released in job["buttons"].items():
        getattr(dut, name).value = released
    cocotb.start_soon(Clock(dut.clock, job["cycle"], "ns").start())
    sink = UartSink(dut.tx, baud=1_000_000_000 // (job["cycle"] * job["bit"]))
    await ClockCycles(dut.clock, 60)
    lines, lights, text = [], [], b""
    for press in job["presses"]:
        if press:
            getattr(dut, press).value = 1 - job["buttons"][press]
            await ClockCycles(dut.clock, job["held"])
            getattr(dut, press).value = job["buttons"][press]
        while b"\n" not in text:
            text += bytes(await sink.read())
        line, _, text = text.partition(b"\n")
        lines.append(line.decode() + "\n")
        await RisingEdge(dut.clock)
        lights.append({name: int(getattr(dut, name).value) for name in job["lights"]})
    Path(job["outcome"]).write_text(json.dumps({"lines": lines, "lights": lights}))
