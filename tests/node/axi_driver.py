"""What runs inside the simulator for the nodes with AXI: processors as AxiLiteMaster, their memories as AxiRam."""

from __future__ import annotations

import json
import logging
import os
import warnings
from pathlib import Path
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam, AxiResp

from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.node.contract.block import ANY_BIT, COMPLETE, SYSTEM_BIT, Instruction, Status, Word
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig
from cubecast.golden.node.contract.registers import Counter as Counted
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.tb.common.patterns import chance

__all__ = ["messages"]

# cocotbext-axi 0.1.28 calls cocotb by names that cocotb 2 has renamed and still knows.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.axi\.")

SIZE, BLOCKS, BUFFERS, DATA = 1 << 18, 0x1000, 0x8000, 0x10000
"""Bytes of a memory, and where blocks, system buffers and buffers of the user begin."""

PATIENCE = 6_000
"""Cycles after which a run is hung."""


class Node:
    """A processor with its memory.

    Parameters
    ----------
    dut
        Handle of the top module.
    address : int
        The node's.
    random : Random
        The run's only source of randomness.
    """

    def __init__(self, dut: Any, address: int, random: Random) -> None:
        self.dut, self.address, self.random = dut, address, random
        clocked, prefix = (dut.aclk, dut.aresetn, False), f"n{address}"
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{prefix}_s_axi"), *clocked)
        self.ram = AxiRam(AxiBus.from_prefix(dut, f"{prefix}_m_axi"), *clocked, size=SIZE)
        for end in (self.master, self.ram):
            write, read = end.write_if, end.read_if
            for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
                channel.set_pause_generator(self._pause())
        self.block, self.place = BLOCKS, DATA

    def _pause(self) -> Any:
        """Yield whether a channel pauses, cycle after cycle, now seldom, now often."""
        share = 0.0
        while True:
            if chance(self.random, 0.03):
                share = self.random.choice((0.0, 0.3, 0.8))
            yield self.random.random() < share

    async def write(self, number: int, value: int) -> None:
        """Write a register."""
        answer = await self.master.write(number * BYTES, value.to_bytes(BYTES, "little"))
        assert answer.resp == AxiResp.OKAY

    async def read(self, number: int) -> int:
        """Read a register."""
        answer = await self.master.read(number * BYTES, BYTES)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def begin(self) -> None:
        """Set the interface up."""
        for number, value in (
            (Register.MEMORY_LAST, SIZE - 1),
            (Register.BUFFERS, BUFFERS),
            (Register.IRQ_ENABLE, 0x7F),
            (Register.ENABLE, 1),
        ):
            await self.write(number, value)

    def word(self, block: int, word: int) -> int:
        """Return a word of a block."""
        return int.from_bytes(self.ram.read(block + BYTES * word, BYTES), "little")

    async def ring(self, instruction: Instruction, partner: int, kind: int, length: int, data: bytes | None) -> int:
        """Write a block, ring its doorbell, and return its address; ``data`` is None: with no buffer."""
        block, buffer = self.block, self.place
        self.block += BLOCK_BYTES
        self.place += (max(length, 1) + BYTES - 1) // BYTES * BYTES
        if data:
            self.ram.write(buffer, data)
        words = (0, partner, kind, length, 0 if data is None else buffer, 0, 0, 0)
        self.ram.write(block, b"".join(word.to_bytes(BYTES, "little") for word in words))
        await self.write(Register.PLACES + instruction, block)
        return block

    async def done(self, block: int) -> Status:
        """Wait until a block is complete; return its status."""
        for _ in range(PATIENCE // 8):
            flag = self.word(block, Word.FLAG)
            if flag & COMPLETE == COMPLETE:
                return Status(flag >> 8 & 0xFF)
            for _ in range(8):
                await RisingEdge(self.dut.aclk)
        raise AssertionError(f"node {self.address}: block {block:#x} is not complete")

    def stored(self, block: int) -> bytes:
        """Return what a receive has got."""
        return bytes(self.ram.read(self.word(block, Word.BUFFER), self.word(block, Word.LENGTH)))


async def messages(nodes: list[Node], config: NodeConfig, random: Random, count: int) -> dict[str, int]:
    """Messages of all lengths from each node to each other one, received in another order; then a broadcast."""
    sent: list[tuple[Node, int]] = []
    wanted: list[tuple[Node, int, int, bytes]] = []

    async def run(node: Node) -> None:
        """Send and receive, in the order of a random program."""
        for step in random.sample(plans[node.address], len(plans[node.address])):
            what, other, kind, data = step
            if what == "send":
                sent.append((node, await node.ring(Instruction.SEND, other, kind, len(data), data)))
            else:
                block = await node.ring(Instruction.RECEIVE, other, kind, len(data), b"")
                wanted.append((node, block, other, data))
            await node.read(random.choice((Register.PLACES, Register.FREE, Register.COUNTER)))

    plans: dict[int, list[tuple[str, int, int, bytes]]] = {node.address: [] for node in nodes}
    lengths = (0, 1, config.first_bytes, config.first_bytes + 1, config.buffer_bytes, 300)
    for kind in range(count):
        source, target = random.sample(range(len(nodes)), 2)
        data = random.randbytes(random.choice(lengths))
        plans[source].append(("send", target, kind, data))
        plans[target].append(("receive", source, kind, data))
    for task in [cocotb.start_soon(run(node)) for node in nodes]:
        await task
    for node, block in sent:
        assert await node.done(block) == Status.OK
    for node, block, other, data in wanted:
        assert await node.done(block) == Status.OK
        assert (node.word(block, Word.PARTNER), node.stored(block)) == (other, data)
    first, *others = nodes
    kind, data = 1 << SYSTEM_BIT, random.randbytes(config.buffer_bytes)
    blocks = [await node.ring(Instruction.RECEIVE, 1 << ANY_BIT, kind | 1 << ANY_BIT, 0, None) for node in others[1:]]
    root = await first.ring(Instruction.BROADCAST, 0, kind, len(data), data)
    blocks.insert(0, await others[0].ring(Instruction.RECEIVE, first.address, kind, len(data), b""))
    for node, block in zip((first, *others), (root, *blocks), strict=True):
        assert await node.done(block) == Status.OK
    for node, block in zip(others, blocks, strict=True):
        assert node.stored(block) == data
        assert await node.read(Register.IRQ_STATUS) == 1 << Interrupt.SYSTEM_MESSAGE
        assert await node.read(Register.EVENT) == 1 << 31 | Interrupt.SYSTEM_MESSAGE << 24 | first.address
        assert int(getattr(first.dut, f"n{node.address}_irq").value) == 1
        await node.write(Register.IRQ_STATUS, 0x7F)
        assert int(getattr(first.dut, f"n{node.address}_irq").value) == 0
    for node, block in zip(others[1:], blocks[1:], strict=True):
        assert await node.read(Register.FREE) == config.buffers - 1
        await node.write(Register.PLACES + Instruction.RELEASE, node.word(block, Word.BUFFER))
        while await node.read(Register.FREE) != config.buffers:
            pass
    wrong = await first.ring(Instruction.SEND, first.address, 0, 0, b"")
    assert await first.done(wrong) == Status.BAD_DESTINATION
    assert await first.read(Register.EVENT_VALUE) == wrong
    counts = [await node.read(Register.COUNTER + Counted.MESSAGES_SENT) for node in nodes]
    came = [await node.read(Register.COUNTER + Counted.MESSAGES_RECEIVED) for node in nodes]
    assert sum(counts) == sum(came) == count + len(others)
    names = (Counted.UNEXPECTED, Counted.POSTPONED, Counted.REWINDS)
    found = {name.name: sum([await node.read(Register.COUNTER + name) for node in nodes]) for name in names}
    return found


@cocotb.test()
async def test(dut: Any) -> None:
    """Do what the job says."""
    path = Path(os.environ["CUBECAST_JOB"])
    job = json.loads(path.read_text())
    config, random = NodeConfig.from_json(job["config"]), Random(job["seed"])
    logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
    dut.aclk.value = dut.aresetn.value = 0
    await Timer(5, "ns")
    nodes = [Node(dut, address, random) for address in range(config.nodes)]
    Clock(dut.aclk, 10, unit="ns").start(start_high=True)
    for _ in range(3):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    for node in nodes:
        await node.begin()
    counted = await messages(nodes, config, random, job["count"])
    (path.parent / "outcome.json").write_text(json.dumps(counted))
