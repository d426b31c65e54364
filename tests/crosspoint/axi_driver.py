"""What the drivers of ``tests/common/axi_driver.py`` do with the crosspoint router."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cocotbext.axi import AxiResp

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.algorithms.packets import Header, branches, fault_of, named
from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.registers import register_map
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind, kept
from cubecast.golden.crosspoint.twins.axi_router import AxiCrosspointRouter
from cubecast.tb.common.patterns import chance
from cubecast.tb.crosspoint.packets import packet
from cubecast.tb.crosspoint.router import Neighbour, there
from tests.common.axi_driver import System, every_register, reading

__all__ = ["driven", "registers", "traffic"]

Copy = tuple[int, int, tuple[int, ...], int]
"""Where a packet leaves, n: at the node; its kind there; its words, without a bitmap; whether it has error."""


class Linked(System):
    """The crosspoint router, a neighbour at each link.

    Parameters
    ----------
    dut, job
        As for :class:`tests.common.axi_driver.System`.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        config = CrosspointConfig.from_json(job["config"])
        super().__init__(dut, job, config, AxiCrosspointRouter(config), axi(config), {"s_axi": register_map(config)})
        self.known = there(config)
        self.mood: dict[str, float] = {"fault": 0, "load": 0.5, "gap": 0.2, "out": 0.6}
        self.awaited: Counter[Copy] = Counter()
        self.copies: Counter[Copy] = Counter()
        self.arrived: Counter[int] = Counter()
        self._restart()

    def _restart(self) -> None:
        """Forget what is under way on the links."""
        ports = range(self.config.dim)
        self.far = [Neighbour(self.random, self.config, j) for j in ports]
        self._coming: list[list[dict[str, int]]] = [[] for _ in ports]
        self._going: list[list[dict[str, int]]] = [[] for _ in ports]

    def neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Take what leaves over the links and return what comes in over them in the next cycle."""
        if rst:
            self._restart()
            return {name: 0 for name in self.inputs if name.startswith("link")}
        change = {}
        for j, far in enumerate(self.far):
            start = f"link_out__{j}__"
            self._leaves(j, {name[len(start) :]: value for name, value in outputs.items() if name.startswith(start)})
            flags = (f"link_in__{j}__ready", f"link_in__{j}__ready_up", f"{start}down")
            far.saw(*(outputs.get(name) for name in flags))
            word = far.next(self.mood)
            # No header of noise that names nobody: no bitmap, and none that turns back.
            word |= {"kind": int(self.config.multicast and chance(self.random, 0.5)), "r2": word["r2"] & ~word["r1"]}
            self._comes(j, word)
            change |= {f"link_in__{j}__{name}": value for name, value in word.items()}
            ready = chance(self.random, self.mood["out"])
            change |= {f"{start}ready": ready, f"{start}ready_up": ready | chance(self.random, 0.3)}
        return {name: value for name, value in change.items() if self.known(name)}

    def _leaves(self, j: int, word: dict[str, int]) -> None:
        """Put a word with its packet."""
        if word["push"]:
            words = self._going[j] = self._going[j] * (not word["head"]) + [word]
            if word["last"]:
                kind = words[0].get("kind", 0)
                data = tuple(each["data"] for each in words[kind == Kind.BITMAP :])
                self.copies[j, kind, data, word["error"]] += 1

    def _comes(self, i: int, word: dict[str, int]) -> None:
        """Enter what has to become of a packet when its last word comes in over link i."""
        if word["push"]:
            words = self._coming[i]
            words.append(word)
            if word["last"]:
                data = tuple(each["data"] for each in words)
                for k in bits(word["push"]):
                    self.awaited[k, words[0]["kind"] * kept(self.config, i, k).kind, data, word["error"]] += 1
                self.arrived[i] += 1
                self._coming[i] = []

    async def inject(self, words: list[dict[str, int]], error: int = 0) -> CrosspointReason | None:
        """Send a packet and enter what has to become of it; return why it, or its end, goes nowhere.

        Noise stands in ``tuser`` where it means nothing.
        """
        config, random, head = self.config, self.random, words[0]
        (stream,) = [stream for stream in self.axi.streams if stream.into]
        noise = [random.getrandbits(stream.user_bits) for _ in words]
        marks = [value & ~1 | error if word["last"] else value for word, value in zip(words, noise, strict=True)]
        marks[0] = stream.user_of(head | {"error": marks[0] & 1})
        await self.send([word["data"] for word in words], marks)
        kind = head["kind"]
        header = Header(kind, head["r1"], head["r2"], head["data"] if kind == Kind.BITMAP else 0)
        reason = fault_of(config, header)
        if reason is None:
            cut = len(words) > config.packet_limit
            data = tuple(word["data"] for word in words[kind == Kind.BITMAP : config.packet_limit])
            for branch in branches(config, config.dim, header)[1]:
                self.awaited[branch.dimension, kind, data, int(error or cut)] += 1
            reason = CrosspointReason.DATA_TOO_LONG if cut else None
        return reason

    async def unicast(self, dimension: int, count: int = 1) -> CrosspointReason | None:
        """Inject a packet to the neighbour in a dimension; its words are 1, 2 and so on."""
        header = {"r1": 1 << dimension, "r2": 0, "kind": int(Kind.UNICAST)}
        return await self.inject(
            [{"data": place, "last": int(place == count), **header} for place in range(1, count + 1)]
        )


def driven(dut: Any, job: dict[str, Any]) -> Linked:
    """Return the router and its drivers."""
    return Linked(dut, job)


async def traffic(system: Linked, packets: int, accesses: int) -> dict[str, int]:
    """Packets both ways while registers are read; then the books and the counters."""
    config, random = system.config, system.random
    tasks = reading(system, accesses)
    reasons: Counter[CrosspointReason | None] = Counter()
    for number in range(packets):
        words = packet(random, config, number, 0.2, 0.2)
        reasons[await system.inject(words, chance(random, 0.2))] += 1
    for task in tasks:
        await task
    await system.until(system.source.idle, "all packets")
    system.mood |= {"load": 0, "gap": 0, "out": 1}
    await system.cycles(50)
    await system.until(
        lambda: system.copies.total() + system.sink.count() >= system.awaited.total(), "everything that is awaited"
    )
    await system.cycles(50)
    for _ in range(system.sink.count()):
        words, users = await system.frame()
        system.copies[config.dim, users[0].get("kind", 0), words, users[-1]["error"]] += 1
    wrong, missing = system.copies - system.awaited, system.awaited - system.copies
    assert not wrong and not missing, f"wrong {dict(wrong)}, missing {dict(missing)}"
    out, long = Counter[int](), Counter[int]()
    for (port, kind, words, _), count in system.copies.items():
        out[port] += count
        long[port] += count * (len(words) + (kind == Kind.BITMAP))
    assert system.arrived.keys() == set(range(config.dim))
    system.arrived[config.dim] = packets
    for name, counted in (("MESSAGES_IN", system.arrived), ("MESSAGES_OUT", out), ("WORDS_OUT", long)):
        assert [await system.read(name, port) for port in range(config.ports)] == [
            counted[port] for port in range(config.ports)
        ], name
    reported = {reason: await system.read("REPORTS", reason) for reason in CrosspointReason}
    assert reported == {reason: reasons[reason] for reason in CrosspointReason}
    return {
        "delivered": out[config.dim],
        "sent": out.total() - out[config.dim],
        "lost": sum(reported.values()),
        **system.waited,
    }


async def registers(system: Linked) -> dict[str, int]:
    """Every address, byte strobes, illegal packets and a cut link in the log, a reset in the middle of a packet."""
    config, here = system.config, system.address
    system.mood |= {"load": 0, "gap": 0, "out": 1}
    (log,) = [entry for entry in register_map(config) if entry.name == "LOG"]

    async def logged(reason: CrosspointReason, destination: int, port: int, lane: int) -> None:
        """Read the only entry of the log, and remove it with a partial write."""
        await system.until(system.source.idle, "the end of the packet")
        await system.cycles(20)
        assert await system.read("REPORTS", reason) == 1
        found = {"valid": 1, "reason": reason, "destination": destination, "port": port, "lane": lane}
        assert log.unpack(await system.read("LOG")) == found
        assert await system.read("STATUS") & 2
        assert (await system.master.write(log.offset, b"\x00")).resp == AxiResp.OKAY
        assert [await system.read("LOG"), await system.read("STATUS")] == [0, 0]

    await every_register(system)
    for first, data, want in ((0, b"\x03", 0b11), (1, b"\xff\xff\xff", 0b11), (0, b"\x01", 0b01), (0, b"\x00", 0)):
        assert (await system.master.write(first, data)).resp == AxiResp.OKAY
        assert await system.read("FAULT") == want
    empty = {"data": 1, "last": 1, "r1": 0, "r2": 0, "kind": int(Kind.UNICAST)}
    assert await system.inject([empty]) == CrosspointReason.EMPTY
    await logged(CrosspointReason.EMPTY, named(Header(Kind.UNICAST, 0), here), config.dim, 0)

    await system.write("FAULT", 0b01)
    system.awaited.clear()
    await system.unicast(0, config.packet_limit)
    system.awaited.clear()
    await logged(CrosspointReason.UNDELIVERABLE, here ^ 1, 0, 1)
    assert not system.copies
    await system.write("FAULT", 0)
    await system.cycles(20)
    assert await system.read("CUT") == 0

    system.mood |= {"out": 0}
    for _ in range(config.depth):
        await system.unicast(0, config.packet_limit)
    await system.cycles(100)
    assert not system.source.idle()
    await system.reset()
    system.mood |= {"out": 1}
    assert await system.read("REPORTS", CrosspointReason.UNDELIVERABLE) == 0
    await system.until(system.source.idle, "what the driver had left")
    await system.cycles(50)
    system.copies.clear()
    system.awaited.clear()
    await system.unicast(1, config.packet_limit)
    await system.until(lambda: bool(system.copies), "a packet after the reset")
    assert system.copies == system.awaited
    return {"cycles": system.cycle}
