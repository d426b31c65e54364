"""What runs inside the simulator for the C library over AXI: registers as AxiLiteMaster, node memory as AxiRam."""

from __future__ import annotations

import json
import mmap
import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam, AxiResp

from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.tb.node.layout import FIRST
from tests.node.c_library import MEMORY_BYTES, Library, Processor
from tests.node.c_programs import PROGRAMS

__all__ = ["test"]

MOST_CYCLES = 30_000
"""Cycles in which all programs must have ended."""


class Shared:
    """Node memory that the processor and the AXI bus see.

    Parameters
    ----------
    mapped : mmap
        It, from address 0 on; the processor has it from ``FIRST`` on.
    """

    def __init__(self, mapped: mmap.mmap) -> None:
        self.content = memoryview(mapped)[FIRST:]

    def load(self, address: int, size: int) -> bytes:
        """Return bytes."""
        return bytes(self.content[address - FIRST :][:size])

    def store(self, address: int, data: bytes) -> None:
        """Write bytes."""
        self.content[address - FIRST :][: len(data)] = data

    def word(self, address: int) -> int:
        """Return a word."""
        return int.from_bytes(self.load(address, BYTES), "little")


class AxiProcessor(Processor):
    """A processor whose registers are behind an AXI4-Lite bus.

    Parameters
    ----------
    dut
        Handle of the top module.
    number : int
        The node.
    """

    def __init__(self, dut: Any, number: int) -> None:
        mapped = mmap.mmap(-1, FIRST + MEMORY_BYTES)
        super().__init__(number, Shared(mapped))
        clocked, prefix = (dut.aclk, dut.aresetn, False), f"n{number}"
        self.dut, self.prefix = dut, prefix
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{prefix}_s_axi"), *clocked)
        self.ram = AxiRam(AxiBus.from_prefix(dut, f"{prefix}_m_axi"), *clocked, size=len(mapped), mem=mapped)
        self._port("watch__valid").value = 0

    def _port(self, name: str) -> Any:
        """Return the handle of a port of the node."""
        return getattr(self.dut, f"{self.prefix}_{name}")

    async def run(self) -> None:
        """Make the accesses of the program, one after the other, until it has ended."""
        while self.access is not None:
            self._answer(await self._made(*self.access))

    async def _made(self, kind: str, *given: Any) -> int:
        """Return the answer of an access."""
        answer = 0
        if kind == "get":
            read = await self.master.read(given[0] * BYTES, BYTES)
            assert read.resp == AxiResp.OKAY
            answer = int.from_bytes(read.data, "little")
        elif kind == "put":
            written = await self.master.write(given[0] * BYTES, given[1].to_bytes(BYTES, "little"))
            assert written.resp == AxiResp.OKAY
        elif kind == "read":
            for name, value in (("valid", 1), ("address", given[0]), ("size", 2)):
                self._port(f"watch__{name}").value = value
            await RisingEdge(self.dut.aclk)
            self._port("watch__valid").value = 0
            await Timer(1, "ns")
            answer = int(self._port("early").value)
        elif kind == "load":
            answer = self.memory.word(given[0] - self.start + FIRST)
        elif kind == "store":
            self.memory.store(given[0] - self.start + FIRST, given[1].to_bytes(BYTES, "little"))
        await RisingEdge(self.dut.aclk)
        self.irq = int(self._port("irq").value)
        return answer


@cocotb.test()
async def test(dut: Any) -> None:
    """Run the programs of the C library, see :mod:`tests.node.c_programs`."""
    path = Path(os.environ["CUBECAST_JOB"])
    job = json.loads(path.read_text())
    config = NodeConfig.from_json(job["config"])
    dut.aclk.value = dut.aresetn.value = 0
    await Timer(5, "ns")
    processors = [AxiProcessor(dut, number) for number in range(config.nodes)]
    Clock(dut.aclk, 10, unit="ns").start(start_high=True)
    for _ in range(3):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)
    library = Library(job["library"], processors)
    for processor, program in zip(processors, PROGRAMS, strict=True):
        processor.begin(library, config, program)
    running = [cocotb.start_soon(processor.run()) for processor in processors]
    cycles = 0
    while not all(task.done() for task in running):
        await RisingEdge(dut.aclk)
        cycles += 1
        assert cycles < MOST_CYCLES, [processor.access for processor in processors]
    failed = "".join(processor.failed for processor in processors)
    assert not failed, failed
    (path.parent / "outcome.json").write_text(json.dumps({"cycles": cycles, "used": sorted(library.used)}))
