"""What the drivers of ``tests/common/axi_driver.py`` do with the packet router."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cocotbext.axi import AxiResp

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.contract.registers import register_map
from cubecast.golden.packet.twins.axi_router import AxiPacketRouter
from cubecast.tb.packet.injector import KINDS, Packet, make, useful
from cubecast.tb.packet.neighbour import ParallelNeighbour
from tests.common.axi_driver import System, every_register, reading

__all__ = ["driven", "registers", "traffic"]

MOOD = {"truncate": 0, "malformed": 0, "rude": 0, "start": 0.2, "ready": 0.7, "refuse": 0.1}
"""Neighbours that keep the rules of the links."""


class Linked(System):
    """The packet router with parallel links, a neighbour at each.

    Parameters
    ----------
    dut, job
        As for :class:`tests.common.axi_driver.System`.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        config = PacketConfig.from_json(job["config"])
        super().__init__(dut, job, config, AxiPacketRouter(config), axi(config), {"s_axi": register_map(config)})
        self.mood: dict[str, float] = dict(MOOD)
        self.heads: Counter[int] = Counter()
        self.far = [ParallelNeighbour(self.random, config, self.address, j) for j in range(config.dim)]

    def neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Take what leaves over the links and return what comes in over them in the next cycle."""
        change = {}
        for j, far in enumerate(self.far):
            if rst:
                self.far[j] = ParallelNeighbour(self.random, self.config, self.address, j)
                names = (f"link_in__{j}__valid", f"link_out__{j}__ready", f"link_out__{j}__refusing")
                change |= dict.fromkeys(names, 0)
                continue
            self.heads[j] += outputs[f"link_out__{j}__valid"] and outputs[f"link_out__{j}__head"]
            change |= far.next(outputs, self.mood)
        return change

    async def inject(self, packet: Packet) -> None:
        """Send a packet, its slots with every word."""
        await self.send(packet.words, [packet.slots] * len(packet.words))


def driven(dut: Any, job: dict[str, Any]) -> Linked:
    """Return the router and its drivers."""
    return Linked(dut, job)


async def traffic(system: Linked, packets: int, accesses: int) -> dict[str, int]:
    """Packets both ways while registers are read; then the counters say what the ends have seen."""
    config, random, here = system.config, system.random, system.address
    tasks = reading(system, accesses)
    whole, reasons = 0, Counter[PacketReason]()
    for _ in range(packets):
        packet = make(random, config, here, random.choice(KINDS))
        reason = packet.reason(config, here)
        if reason is None:
            whole += 1
        else:
            # Each slot that takes it says so.
            reasons[reason] += packet.taken_by.bit_count()
        await system.inject(packet)
    for task in tasks:
        await task
    system.mood |= {"start": 0, "ready": 1, "refuse": 0}
    await system.until(system.source.idle, "all packets")
    await system.cycles(600)
    came = [await system.receive() for _ in range(system.sink.count())]
    assert not any(error for _, error in came)
    # A packet for the node comes with its destination, which a broadcast has as its source, and the source word.
    assert all(len(words) >= 2 for words, _ in came)
    assert await system.read("MESSAGES_IN", config.local) == whole
    assert await system.read("MESSAGES_OUT", config.local) == len(came)
    assert [await system.read("MESSAGES_OUT", j) for j in range(config.dim)] == [
        system.heads[j] for j in range(config.dim)
    ]
    reported = {reason: await system.read("REPORTS", reason) for reason in PacketReason}
    assert reported == {reason: reasons[reason] for reason in PacketReason}
    return {"delivered": len(came), "sent": sum(system.heads.values()), **system.waited}


async def registers(system: Linked) -> dict[str, int]:
    """Every address, byte strobes, refused packets in the log, a cut link, and a reset in the middle of a packet."""
    config, here = system.config, system.address
    system.mood |= {"start": 0, "ready": 1, "refuse": 0}
    await every_register(system)
    for first, data, want in ((0, b"\x03", 0b11), (1, b"\xff\xff\xff", 0b11), (0, b"\x01", 0b01), (0, b"\x00", 0)):
        assert (await system.master.write(first, data)).resp == AxiResp.OKAY
        assert await system.read("FAULT") == want
    other = here ^ 0b01
    (slot, *_) = useful(config, here, other)
    for _ in range(2):
        await system.inject(Packet(0, (other, *([7] * (config.max_words - 1)))))
    await system.until(system.source.idle, "the end of all packets")
    await system.cycles(20)
    assert await system.read("REPORTS", PacketReason.BAD_SLOT) == 2
    for left in (2, 1):
        entry = await system.read("LOG")
        assert entry >> 31 and entry >> 12 & 0xF == PacketReason.BAD_SLOT and entry & 0x3FF == other, left
        assert await system.read("STATUS") == 0b010
        assert (await system.master.write(system.offset("LOG"), b"\x00")).resp == AxiResp.OKAY
    assert (await system.read("LOG"), await system.read("STATUS")) == (0, 0)
    assert not sum(system.heads.values())

    await system.inject(Packet(slot, (other, *([1] * (config.max_words - 1)))))
    await system.until(lambda: bool(system.heads[slot.bit_length() - 1]), "a packet over the link")
    await system.write("FAULT", slot)
    await system.inject(Packet(slot, (other, *([2] * (config.max_words - 1)))))
    await system.until(system.source.idle, "the end of a packet")
    await system.cycles(50)
    assert await system.read("REPORTS", PacketReason.UNDELIVERABLE) == 1
    assert system.heads[slot.bit_length() - 1] == 1

    await system.write("FAULT", 0)
    system.mood |= {"ready": 0, "refuse": 1}
    for _ in range(config.rows + 4):
        await system.inject(Packet(slot, (other, *([3] * (config.max_words - 1)))))
    await system.cycles(40)
    before = system.heads.total()
    assert not system.source.idle()
    await system.reset()
    system.mood |= {"ready": 1, "refuse": 0}
    assert [await system.read("FAULT"), await system.read("REPORTS", PacketReason.UNDELIVERABLE)] == [0, 0]
    await system.until(system.source.idle, "what the driver had left")
    await system.cycles(100)
    assert system.heads.total() > before
    return {"cycles": system.cycle}
