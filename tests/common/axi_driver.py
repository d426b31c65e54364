"""What runs inside the simulator for the tests of AXI units: a unit between AXI drivers of cocotbext-axi.

In every cycle a watcher steps the golden unit with the inputs as the drivers and the links have them, compares all
outputs, and checks the rules of AXI on what the unit drives. The ends of messages and accesses are checked beside
that, without the golden unit. A system has a ``axi_driver.py`` with ``driven``, its unit, and what is done with it.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from cubecast.golden.common.contract.axi import Axi, registers_of
from cubecast.golden.common.contract.registers import BYTES, Entry, known, writable
from cubecast.tb.common.patterns import chance

__all__ = ["System", "every_register", "reading"]

# cocotbext-axi 0.1.28 calls cocotb by names that cocotb 2 has renamed and still knows.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.axi\.")

PATIENCE = 20_000
"""Cycles after which a run is hung."""


class System:
    """A unit, AXI drivers at its processor's side, neighbours at its links, and the watcher.

    Parameters
    ----------
    dut
        Handle of the top module.
    job : dict
        Configuration, ports, seed, and the share of cycles in which a driver pauses.
    twin
        The golden unit.
    axi : Axi
        What its AXI ports are.
    registers : dict
        Its registers, by the prefix of the AXI4-Lite ports.
    """

    def __init__(
        self, dut: Any, job: dict[str, Any], config: Any, twin: Any, axi: Axi, registers: dict[str, Sequence[Entry]]
    ) -> None:
        self.dut, self.config, self.twin, self.axi, self.registers = dut, config, twin, axi, registers
        self.random, self.pauses = Random(job["seed"]), job["pauses"]
        self.inputs, self.outputs = list(job["inputs"]), list(job["outputs"])
        self.address = 0b110 if config.dim > 2 else 0b11
        self.cycle = 0
        self.waited: Counter[str] = Counter()
        self.ends: dict[str, Any] = {}
        self.masters: dict[str, Any] = {}
        self._payload = {
            f"{each.prefix}_t": ("data", "last", "user", *(["id"] if each.ident else []))
            for each in axi.streams
            if not each.into
        }
        for slave in axi.slaves:
            self._payload |= {f"{slave.prefix}_b": ("resp",), f"{slave.prefix}_r": ("data", "resp")}
        channels = [f"{slave.prefix}_{channel}" for slave in axi.slaves for channel in ("aw", "w", "b", "ar", "r")]
        self._channels = [f"{stream.prefix}_t" for stream in axi.streams] + channels
        self._held: dict[str, tuple[int, ...]] = {}

    async def start(self) -> None:
        """Reset the unit and start drivers, neighbours and the watcher."""
        dut = self.dut
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        for name in self.inputs:
            if not name.startswith(("s_ax", "m_ax")):
                getattr(dut, name).value = self.address if name == "address" else 0
        dut.aclk.value = 0
        await Timer(5, "ns")
        clocked = (dut.aclk, dut.aresetn, False)
        for stream in self.axi.streams:
            kind = AxiStreamSource if stream.into else AxiStreamSink
            self.ends[stream.prefix] = kind(AxiStreamBus.from_prefix(dut, stream.prefix), *clocked, byte_lanes=1)
        drivers = list(self.ends.values())
        for slave in self.axi.slaves:
            self.masters[slave.prefix] = master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, slave.prefix), *clocked)
            write, read = master.write_if, master.read_if
            drivers += [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
        for driver in drivers:
            driver.set_pause_generator(self._pause())
        Clock(dut.aclk, 10, unit="ns").start(start_high=True)
        cocotb.start_soon(self._watch())
        await self.cycles(3)
        dut.aresetn.value = 1
        await self.cycles(1)

    def _pause(self) -> Iterator[bool]:
        """Yield whether a driver pauses, cycle after cycle, now seldom, now often."""
        share = 0.0
        while True:
            if chance(self.random, 0.03):
                share = self.random.choice(self.pauses)
            yield self.random.random() < share

    async def cycles(self, count: int) -> None:
        """Let cycles pass."""
        for _ in range(count):
            await RisingEdge(self.dut.aclk)

    async def until(self, done: Callable[[], bool], what: str) -> None:
        """Let cycles pass until something holds."""
        for _ in range(PATIENCE):
            if done():
                return
            await RisingEdge(self.dut.aclk)
        raise AssertionError(f"never came: {what}")

    async def _watch(self) -> None:
        """Compare, and let the neighbours act, in every cycle."""
        while True:
            await FallingEdge(self.dut.aclk)
            inputs = {name: self._bits(name) for name in self.inputs}
            inputs["rst"] = 1 - inputs.pop("aresetn")
            expected = self.twin.step(inputs)
            assert set(expected) == set(self.outputs)
            values = {}
            for name, want in expected.items():
                got = getattr(self.dut, name).value
                assert want is None or (got.is_resolvable and int(got) == want), (
                    f"cycle {self.cycle}, {name}: DUT {got}, golden {want:b} (binary)"
                )
                values[name] = want
            self._rules(inputs, values)
            change = self.neighbours(values, inputs["rst"])
            self.cycle += 1
            await RisingEdge(self.dut.aclk)
            for name, value in change.items():
                getattr(self.dut, name).value = value

    def _bits(self, name: str) -> int:
        """Return an input; a driver's payload is X while nothing is offered, and read as 0."""
        value = getattr(self.dut, name).value
        if value.is_resolvable:
            return int(value)
        assert name.startswith("s_axi") and not name.endswith(("valid", "ready")), f"{name} is {value}"
        return 0

    def _rules(self, inputs: dict[str, int], outputs: dict[str, Any]) -> None:
        """Check that what is offered stays and does not change until it is taken; count who waits where."""
        values = {**inputs, **outputs}
        for prefix in self._channels:
            self.waited[prefix] += values[f"{prefix}valid"] and not values[f"{prefix}ready"]
        for prefix, payload in self._payload.items():
            offered = tuple(values[f"{prefix}{name}"] for name in payload)
            if prefix in self._held:
                assert values[f"{prefix}valid"], f"cycle {self.cycle}: {prefix}valid falls before it is taken"
                assert offered == self._held[prefix], f"cycle {self.cycle}: payload of {prefix}valid changes"
            self._held.pop(prefix, None)
            if values[f"{prefix}valid"] and not values[f"{prefix}ready"] and not inputs["rst"]:
                self._held[prefix] = offered

    def neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Take what leaves over the links and return what comes in over them in the next cycle."""
        raise NotImplementedError

    @property
    def source(self) -> Any:
        """The end that sends the processor's messages."""
        return self.ends["s_axis"]

    @property
    def sink(self) -> Any:
        """The end that takes what is delivered to it."""
        return self.ends["m_axis"]

    @property
    def master(self) -> Any:
        """The master at the router's registers."""
        return self.masters["s_axi"]

    def offset(self, name: str, place: int = 0, prefix: str = "s_axi") -> int:
        """Return the byte address of a register."""
        (entry,) = [entry for entry in self.registers[prefix] if entry.name == name]
        return entry.offset + BYTES * place

    async def read(self, name: str, place: int = 0, prefix: str = "s_axi") -> int:
        """Read a register."""
        answer = await self.masters[prefix].read(self.offset(name, place, prefix), BYTES)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int, place: int = 0, prefix: str = "s_axi") -> None:
        """Write a register."""
        data = value.to_bytes(BYTES, "little")
        answer = await self.masters[prefix].write(self.offset(name, place, prefix), data)
        assert answer.resp == AxiResp.OKAY

    async def send(self, words: Sequence[int], user: Sequence[int], prefix: str = "s_axis") -> None:
        """Send a packet with ``tuser`` of each word, and noise above the word's bits."""
        padding = -self.config.width % 8
        padded = [word | self.random.getrandbits(padding) << self.config.width if padding else word for word in words]
        await self.ends[prefix].send(AxiStreamFrame(padded, tuser=list(user)))

    async def receive(self, prefix: str = "m_axis") -> tuple[tuple[int, ...], int]:
        """Take a packet; return its words and whether it has error."""
        words, users = await self.frame(prefix)
        return words, users[-1]["error"]

    async def frame(self, prefix: str = "m_axis") -> tuple[tuple[int, ...], list[dict[str, int]]]:
        """Take a packet; return its words, and with each the fields of ``tuser``."""
        (stream,) = [stream for stream in self.axi.streams if stream.prefix == prefix]
        frame = await self.ends[prefix].recv(compact=False)
        users = [{name: part.of(user) for name, part in stream.user.items()} for user in frame.tuser]
        assert not any(user["error"] for user in users[:-1])
        return tuple(frame.tdata), users

    async def reset(self) -> None:
        """Reset the unit alone, and forget what came out of it."""
        self.dut.aresetn.value = 0
        await self.cycles(2)
        self.dut.aresetn.value = 1
        await self.cycles(2)
        for stream in self.axi.streams:
            if not stream.into:
                self.ends[stream.prefix].clear()


async def every_register(system: System, prefix: str = "s_axi") -> None:
    """Read every number and write 0 to it, after a reset: what has no register, or one that is only read, says so."""
    (slave,) = [slave for slave in system.axi.slaves if slave.prefix == prefix]
    master, entries = system.masters[prefix], system.registers[prefix]
    readable, changeable = known(entries), writable(entries)
    for number in range(1 << registers_of(slave.config).bits):
        answer = await master.read(BYTES * number, BYTES)
        assert (answer.data, answer.resp == AxiResp.OKAY) == (bytes(BYTES), number in readable), (prefix, number)
        written = await master.write(BYTES * number, bytes(BYTES))
        assert (written.resp == AxiResp.OKAY) == (number in changeable), (prefix, number)


def reading(system: System, accesses: int) -> list[Any]:
    """Start three tasks that read the router's registers and numbers without one; no counter may count backwards."""
    readable, last = known(system.registers["s_axi"]), dict[int, int]()

    async def reader() -> None:
        for _ in range(accesses // 3):
            number = system.random.choice((system.random.choice(readable), system.random.randrange(128)))
            answer = await system.master.read(BYTES * number, BYTES)
            assert answer.resp == (AxiResp.OKAY if number in readable else AxiResp.SLVERR)
            value = int.from_bytes(answer.data, "little")
            assert number in readable or not value
            if number >= 0x10:
                assert value >= last.get(number, 0)
                last[number] = value

    return [cocotb.start_soon(reader()) for _ in range(3)]


@cocotb.test()
async def run(dut: Any) -> None:
    """Run the job that the environment names, and write what was counted beside it."""
    path = Path(os.environ["CUBECAST_JOB"])
    job = json.loads(path.read_text())
    system = (driver := importlib.import_module(job["driver"])).driven(dut, job)
    await system.start()
    counted = await getattr(driver, job["scenario"])(system, **job["arguments"])
    (path.parent / "outcome.json").write_text(json.dumps({"clocks": system.cycle, "counted": counted}))
