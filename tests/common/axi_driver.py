"""What runs inside the simulator for ``test_axi_router.py``: the router between AXI drivers of cocotbext-axi.

In every cycle a watcher steps the golden router with the inputs as the drivers and the links have them, compares all
outputs, and checks the rules of AXI on what the router drives. The ends of messages and accesses are checked beside
that, without the golden router.
"""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
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

from cubecast.golden.common.contract.registers import known, writable
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import Reason, encode
from cubecast.golden.multicast.contract.registers import register_map
from cubecast.golden.multicast.twins.axi_router import AxiRouter
from cubecast.tb.common.patterns import chance
from cubecast.tb.multicast.traffic import Drain, Link

# cocotbext-axi 0.1.28 calls cocotb by names that cocotb 2 has renamed and still knows.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.axi\.")

LINK = ("valid", "data", "last", "error", "lane")
HELD = {
    "m_axis_t": ("data", "last", "user"),
    "s_axi_b": ("resp",),
    "s_axi_r": ("data", "resp"),
}
"""What the router drives towards a ready: prefix of the channel's ports, and its payload."""

CHANNELS = ("s_axis_t", "m_axis_t", "s_axi_aw", "s_axi_w", "s_axi_b", "s_axi_ar", "s_axi_r")
PATIENCE = 20_000
"""Cycles after which a run is hung."""


class System:
    """The router, AXI drivers at its processor's side, neighbours at its links, and the watcher.

    Parameters
    ----------
    dut
        Handle of the top module.
    job : dict
        Configuration, ports, seed, and the share of cycles in which a driver pauses.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        self.dut, self.config = dut, Config.from_json(job["config"])
        self.random, self.pauses = Random(job["seed"]), job["pauses"]
        self.inputs, self.outputs = list(job["inputs"]), list(job["outputs"])
        self.address = 0b110 & self.config.nodes - 1 if self.config.dim > 2 else 0b11
        self.twin = AxiRouter(self.config)
        self.cycle = 0
        self.waited: Counter[str] = Counter()
        self.links = [Link(self.random, self.config) for _ in range(self.config.dim)]
        self.drains = [Drain(self.random, self.config.lanes) for _ in range(self.config.dim)]
        self.copies: list[tuple[int, tuple[int, ...], int]] = []
        self._partial: dict[int, list[int]] = defaultdict(list)
        self._held: dict[str, tuple[int, ...]] = {}

    async def start(self) -> None:
        """Reset the router and start drivers, neighbours and the watcher."""
        dut = self.dut
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        for name in self.inputs:
            if not name.startswith(("s_ax", "m_ax")):
                getattr(dut, name).value = self.address if name == "address" else 0
        dut.aclk.value = 0
        await Timer(5, "ns")
        clocked = (dut.aclk, dut.aresetn, False)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), *clocked, byte_lanes=1)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), *clocked, byte_lanes=1)
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), *clocked)
        write, read = self.master.write_if, self.master.read_if
        drivers = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        for driver in (self.source, self.sink, *drivers):
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
            change = self._neighbours(values, inputs["rst"])
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
        for prefix in CHANNELS:
            self.waited[prefix] += values[f"{prefix}valid"] and not values[f"{prefix}ready"]
        for prefix, payload in HELD.items():
            offered = tuple(values[f"{prefix}{name}"] for name in payload)
            if prefix in self._held:
                assert values[f"{prefix}valid"], f"cycle {self.cycle}: {prefix}valid falls before it is taken"
                assert offered == self._held[prefix], f"cycle {self.cycle}: payload of {prefix}valid changes"
            self._held.pop(prefix, None)
            if values[f"{prefix}valid"] and not values[f"{prefix}ready"] and not inputs["rst"]:
                self._held[prefix] = offered

    def _neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Take what leaves over the links and return what comes in over them in the next cycle."""
        change = {}
        for j in range(self.config.dim):
            if rst:
                self.links[j] = Link(self.random, self.config)
                self.drains[j] = Drain(self.random, self.config.lanes)
                self._partial.pop(j, None)
                change |= {f"link_in__{j}__valid": 0, f"link_out__{j}__ready": 0}
                continue
            valid, word, last, error, lane = (outputs[f"link_out__{j}__{name}"] for name in LINK)
            if valid:
                self._partial[j].append(word)
                if last:
                    self.copies.append((j, tuple(self._partial.pop(j)), error))
            change[f"link_out__{j}__ready"] = self.drains[j].next(valid, last, lane, 0.5)
            offer = self.links[j].next(outputs[f"link_in__{j}__ready"], 0.2, 0.5)
            change |= {f"link_in__{j}__{name}": value for name, value in zip(LINK, offer, strict=True)}
        return change

    def offset(self, name: str, place: int = 0) -> int:
        """Return the byte address of a register."""
        (entry,) = [entry for entry in register_map(self.config) if entry.name == name]
        return entry.offset + 4 * place

    async def read(self, name: str, place: int = 0) -> int:
        """Read a register."""
        answer = await self.master.read(self.offset(name, place), 4)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> None:
        """Write a register."""
        answer = await self.master.write(self.offset(name), value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY

    async def send(self, words: list[int], error: int = 0) -> None:
        """Send a packet, with noise above the word's bits and in tuser before the last word."""
        random, padding = self.random, -self.config.width % 8
        padded = [word | random.getrandbits(padding) << self.config.width if padding else word for word in words]
        user = [random.getrandbits(1) for _ in words[1:]] + [error]
        await self.source.send(AxiStreamFrame(padded, tuser=user))

    async def receive(self) -> tuple[tuple[int, ...], int]:
        """Take a packet; return its words and whether it has error."""
        frame = await self.sink.recv(compact=False)
        assert not any(frame.tuser[:-1])
        return tuple(frame.tdata), frame.tuser[-1]


class Books:
    """What the messages of a run have to become, and whether they did.

    Parameters
    ----------
    system : System
        The router and its drivers.
    """

    def __init__(self, system: System) -> None:
        self.system, self.config = system, system.config
        self.here: Counter[tuple[tuple[int, ...], int]] = Counter()
        self.there: dict[int, tuple[tuple[int, ...] | None, tuple[int, ...], int]] = {}
        self.reasons: Counter[Reason] = Counter()
        self.sent = 0

    def message(self, tag: int) -> tuple[list[int], int]:
        """Draw a message of the processor, of any kind, and enter what is to become of it."""
        random, config, here = self.system.random, self.config, self.system.address
        kind = random.choice(("unicast", "multicast", "multicast", "listed", "broadcast", "long", "zero", "short"))
        most = config.max_data
        payload = [tag, *(random.getrandbits(config.width) for _ in range(random.randrange(most)))]
        error = chance(random, 0.3)
        self.sent += 1
        if kind in ("zero", "short"):
            self.reasons[Reason.K_ZERO if kind == "zero" else Reason.HEADER_SHORT] += 1
            return [0, *payload] if kind == "zero" else [1], error
        low, high = {"multicast": (1, config.max_dest), "listed": (config.max_dest, config.max_list)}.get(kind, (1, 1))
        nodes = random.sample(range(config.nodes), random.randint(low, high))
        words = encode(config, here, None if kind == "broadcast" else nodes, payload)
        head = words[: len(words) - len(payload)]
        if kind == "long":
            words += [random.getrandbits(config.width) for _ in range(most - len(payload) + random.randint(1, 3))]
            payload, ended = words[len(head) :][:most], 1
            self.reasons[Reason.DATA_TOO_LONG] += 1
        else:
            ended = error
        if kind == "broadcast":
            self.there[tag] = None, tuple(payload), ended
            return words, error
        if here in nodes:
            self.here[(*head[1 + len(nodes) :], *payload), ended] += 1
        self.there[tag] = tuple(nodes), tuple(payload), ended
        return words, error

    def arrival(self, tag: int) -> list[tuple[int, int, int]]:
        """Draw a message that comes in over a link for this node or for another one, and enter it likewise."""
        random, config, here = self.system.random, self.config, self.system.address
        node = random.choice((here, random.randrange(config.nodes)))
        payload = [tag, *(random.getrandbits(config.width) for _ in range(random.randrange(config.max_data)))]
        words = encode(config, here, [node], payload)
        error = chance(random, 0.3)
        if node == here:
            self.here[tuple(words[2:]), error] += 1
        self.there[tag] = (node,), tuple(payload), error
        return [(word, int(i == len(words) - 1), error * int(i == len(words) - 1)) for i, word in enumerate(words)]

    def complete(self) -> bool:
        """Return whether as many words have come as will; what they are is checked by :meth:`settle`."""
        return len(self.system.copies) >= self.expected() and self.system.sink.count() >= self.here.total()

    def expected(self) -> int:
        """Return how many copies at least leave over the links."""
        config, here = self.config, self.system.address
        least = 0
        for nodes, _, _ in self.there.values():
            if nodes is None or len(nodes) > config.max_dest:
                least += config.dim
            else:
                least += any(node != here for node in nodes)
        return least

    def settle(self) -> None:
        """Check that each destination is on its way once, over a shortest path, with the data and ``error`` sent."""
        config, here = self.config, self.system.address
        ways: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for j, words, error in self.system.copies:
            k = words[0]
            listed = () if k == config.broadcast_k else words[1 : 1 + k]
            payload = words[1 + len(listed) + 1 + config.source_field :]
            nodes, data, ended = self.there[payload[0]]
            assert (payload, error) == (data, ended)
            if nodes is None or len(nodes) > config.max_dest:
                assert listed == (nodes or ())
                ways[payload[0]].append((j, -1))
            else:
                assert all((node ^ here) >> j & 1 for node in listed)
                ways[payload[0]] += [(j, node) for node in listed]
        for tag, (nodes, _, _) in self.there.items():
            if nodes is None or len(nodes) > config.max_dest:
                assert sorted(ways[tag]) == [(j, -1) for j in range(config.dim)]
            else:
                assert sorted(node for _, node in ways[tag]) == sorted(node for node in nodes if node != here)


async def traffic(system: System, messages: int, accesses: int) -> dict[str, int]:
    """Messages both ways while registers are read and written; then the books and the counters."""
    config, random, books = system.config, system.random, Books(system)
    tags = iter(range(messages * (1 + config.dim)))
    for j in range(config.dim):
        for tag, _ in zip(tags, range(messages // config.dim), strict=False):
            system.links[j].send(books.arrival(tag))
    readable, changeable, last = known(register_map(config)), writable(register_map(config)), {}

    async def reader() -> None:
        for _ in range(accesses // 3):
            number = random.choice((random.choice(readable), random.randrange(128)))
            answer = await system.master.read(4 * number, 4)
            assert answer.resp == (AxiResp.OKAY if number in readable else AxiResp.SLVERR)
            value = int.from_bytes(answer.data, "little")
            assert number in readable or not value
            if number >= 0x10:
                assert value >= last.get(number, 0)
                last[number] = value

    async def writer() -> None:
        for _ in range(accesses // 3):
            number = random.choice((0, 2, random.randrange(128)))
            first = random.randrange(4)
            data = bytes(0 if number == 0 else random.getrandbits(8) for _ in range(random.randint(1, 4 - first)))
            answer = await system.master.write(4 * number + first, data)
            assert answer.resp == (AxiResp.OKAY if number in changeable else AxiResp.SLVERR)

    tasks = [cocotb.start_soon(master()) for master in (reader, writer) for _ in range(3)]
    for tag, _ in zip(tags, range(messages), strict=False):
        await system.send(*books.message(tag))
    for task in tasks:
        await task
    await system.until(lambda: books.complete() and system.source.idle(), "all messages")
    await system.cycles(200)
    came = Counter([await system.receive() for _ in range(system.sink.count())])
    assert came == books.here
    books.settle()
    assert await system.read("MESSAGES_IN", config.local) == books.sent
    assert await system.read("MESSAGES_OUT", config.local) == came.total()
    assert await system.read("WORDS_OUT", config.local) == sum(len(w) * count for (w, _), count in came.items())
    outgoing = Counter(j for j, _, _ in system.copies)
    assert [await system.read("MESSAGES_OUT", j) for j in range(config.dim)] == [outgoing[j] for j in range(config.dim)]
    assert {reason: await system.read("REPORTS", reason) for reason in Reason} == {r: books.reasons[r] for r in Reason}
    return {"delivered": came.total(), "copies": len(system.copies), **system.waited}


async def registers(system: System) -> dict[str, int]:
    """Every address, byte strobes, the fault vector at work, the log, accesses of several words."""
    config, here = system.config, system.address
    readable, changeable = known(register_map(config)), writable(register_map(config))
    for number in range(128):
        answer = await system.master.read(4 * number, 4)
        assert (answer.data, answer.resp == AxiResp.OKAY) == (bytes(4), number in readable)
        written = await system.master.write(4 * number, bytes(4))
        assert (written.resp == AxiResp.OKAY) == (number in changeable)
    await system.write("FAULT", 0b10)
    for first, data, want in ((1, b"\xff\xff\xff", 0b10), (0, b"\x01", 0b01), (0, b"\x00\x07", 0b00)):
        assert (await system.master.write(first, data)).resp == AxiResp.OKAY
        assert await system.read("FAULT") == want
    await system.write("FAULT", 0xFFFFFFFE)
    assert await system.read("FAULT") == config.nodes - 2
    assert await system.read("STATUS") == int(config.dim > 2)
    block = await system.master.read(0, 16)
    assert block.resp == AxiResp.OKAY and block.data[0] == config.nodes - 2

    await system.write("FAULT", 0b01)
    assert system.dut.multiple_faults.value == 0
    await system.send(encode(config, here, [here ^ 0b11], [1, 2]))
    await system.until(lambda: len(system.copies) == 1, "the way round the faulty link")
    ((way, words, error),) = system.copies
    assert (way, words[:2], words[-2:], error) == (1, (1, here ^ 0b11), (1, 2), 0)
    for payload in range(3):
        await system.send(encode(config, here, [here ^ 0b01, here], [payload]))
    assert [(await system.receive())[0][-1] for _ in range(3)] == [0, 1, 2]
    await system.until(lambda: system.source.idle(), "the end of all packets")
    await system.cycles(20)
    assert await system.read("REPORTS", Reason.UNDELIVERABLE) == 3
    entry = 1 << 31 | config.local << 16 | Reason.UNDELIVERABLE << 12 | here ^ 0b01
    for left in range(3, 0, -1):
        assert await system.read("LOG") == entry
        assert await system.read("STATUS") == 0b010
        answer = await system.master.write(system.offset("LOG") + left, b"\x00")
        assert answer.resp == AxiResp.OKAY
    assert (await system.read("LOG"), await system.read("STATUS")) == (0, 0)
    assert len(system.copies) == 1

    await system.send(encode(config, here, [here], [9] * config.max_data))
    await system.until(lambda: bool(system.source.active), "the start of a packet")
    await system.cycles(2)
    system.dut.aresetn.value = 0
    await system.cycles(2)
    system.dut.aresetn.value = 1
    await system.cycles(2)
    assert [await system.read("FAULT"), await system.read("MESSAGES_IN", config.local)] == [0, 0]
    system.sink.clear()
    await system.send(encode(config, here, [here], [5]))
    while (await system.receive())[0][-1] != 5:
        pass
    return {"clocks": system.cycle}


@cocotb.test()
async def run(dut: Any) -> None:
    """Run the job that the environment names, and write what was counted beside it."""
    path = Path(os.environ["CUBECAST_JOB"])
    job = json.loads(path.read_text())
    system = System(dut, job)
    await system.start()
    scenario = {"traffic": traffic, "registers": registers}[job["scenario"]]
    counted = await scenario(system, **job["arguments"])
    (path.parent / "outcome.json").write_text(json.dumps({"clocks": system.cycle, "counted": counted}))
