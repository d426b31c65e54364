"""What the drivers of ``tests/common/axi_driver.py`` do with the collective node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cocotbext.axi import AxiResp

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import entries, register_map
from cubecast.golden.collective.contract.segment import Kind, kind_fields, kind_word
from cubecast.golden.collective.contract.states import Operation
from cubecast.golden.collective.twins.axi_node import AxiCollectiveNode
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.registers import register_map as of_router
from tests.common.axi_driver import every_register
from tests.multicast.axi_driver import Routed

__all__ = ["driven", "merges", "registers"]

OWN = "s_axi_collective"


class Node(Routed):
    """The collective node, a neighbour at each of its links.

    Parameters
    ----------
    dut, job
        As for :class:`tests.common.axi_driver.System`.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        config = CollectiveConfig.from_json(job["config"])
        maps = {"s_axi": of_router(config.router), OWN: register_map(config)}
        super().__init__(config.router, dut, job, config, AxiCollectiveNode(config), axi(config), maps)

    async def command(self, **fields: int) -> None:
        """Write COMMAND."""
        await self.write("COMMAND", entries(self.config)["COMMAND"].pack(**fields), prefix=OWN)

    async def idle(self) -> None:
        """Wait until no operation is under way."""
        await self.until(lambda: not int(self.dut.busy.value), "the end of an operation")

    async def vector(self, words: Sequence[int]) -> None:
        """Give the node's own vector, with noise in tuser, which is ignored."""
        await self.send(words, [self.random.getrandbits(1) for _ in words], "s_axis_vector")

    def neighbour(self, dimension: int, words: Sequence[int], place: int) -> None:
        """Let a neighbour send words of a piece, all in one segment, which is the last one."""
        payload = [kind_word(Kind.DATA, 1, 0, 1), place, *words]
        message = encode(self.router, self.address ^ 1 << dimension, [self.address], payload)
        self.links[dimension].send((word, int(at == len(message) - 1), 0) for at, word in enumerate(message))


def driven(dut: Any, job: dict[str, Any]) -> Node:
    """Return the node and its drivers."""
    return Node(dut, job)


async def merges(system: Node, rounds: int) -> dict[str, int]:
    """The node as the sink: its own vector and pieces of its neighbours come out merged, every time with credits."""
    config, random, segment = system.config, system.random, system.config.segment
    operations = {
        Operation.SUM: lambda a, b: (a + b) % (1 << config.width),
        Operation.MAX: max,
        Operation.XOR: int.__xor__,
    }
    await system.write("ENABLE", 1, prefix=OWN)
    for index in range(rounds):
        operation = random.choice(list(operations))
        length = random.choice((1, segment, config.max_vector))
        own = [random.getrandbits(config.width) for _ in range(length)]
        givers = random.sample(range(config.dim), random.randint(1, config.dim))
        await system.write("RECEIVE", sum(1 << j for j in givers), prefix=OWN)
        await system.write("EXPECT", len(givers), prefix=OWN)
        credits = len(system.copies) + len(givers)
        await system.vector(own)
        await system.command(start=1, operation=operation)
        await system.until(lambda want=credits: len(system.copies) >= want, "the credits")
        for j, words, error in system.copies[-len(givers) :]:
            kind, final, _, _ = kind_fields(words[-2])
            assert (kind, final, words[-1], error) == (Kind.CREDIT, 1, system.address, 0) and j in givers
        wanted = list(own)
        for j in givers:
            words = [random.getrandbits(config.width) for _ in range(random.randint(1, min(segment, length)))]
            place = random.randint(0, length - len(words))
            system.neighbour(j, words, place)
            for at, word in enumerate(words, place):
                wanted[at] = operations[operation](wanted[at], word)
        assert await system.receive("m_axis_vector") == (tuple(wanted), 0)
        await system.idle()
        assert await system.read("RECEIVED", prefix=OWN) == len(givers)
        assert await system.read("FINISHED", prefix=OWN) == index + 1
    assert (await system.read("STRANGE", prefix=OWN), await system.read("STATUS", prefix=OWN) & 0xF3) == (0, 0)
    await system.write("ENABLE", 0, prefix=OWN)
    await system.message(encode(system.router, system.address, [system.address], [7]))
    assert (await system.receive())[0][-1] == 7
    return {"copies": len(system.copies), **system.waited}


async def registers(system: Node) -> dict[str, int]:
    """Every number of both slaves, fields and byte strobes, writes while busy, an abort, a reset in the middle."""
    config = system.config
    await every_register(system)
    await every_register(system, OWN)
    for entry in register_map(config):
        for place in range(entry.count):
            if entry.access == "RW" and entry.name not in ("COMMAND", "SENDS", "RELAYS"):
                mask = sum(field.mask for field in entry.fields)
                await system.write(entry.name, mask, place, OWN)
                assert await system.read(entry.name, place, OWN) == mask
                # A partial write merges with what the register reads.
                at, byte = system.offset(entry.name, place, OWN), system.random.randrange(BYTES)
                assert (await system.masters[OWN].write(at + byte, b"\x00")).resp == AxiResp.OKAY
                assert await system.read(entry.name, place, OWN) == mask & ~(0xFF << 8 * byte)
                await system.write(entry.name, 0, place, OWN)
    for name, most in (("SENDS", config.dim), ("RELAYS", config.max_relays)):
        await system.write(name, 0x0F, prefix=OWN)
        assert await system.read(name, prefix=OWN) == most
        await system.write(name, 0, prefix=OWN)

    await system.write("ENABLE", 1, prefix=OWN)
    await system.write("EXPECT", 1, prefix=OWN)
    await system.command(start=1)
    await system.write("EXPECT", 5, prefix=OWN)
    assert await system.read("EXPECT", prefix=OWN) == 1
    assert entries(config)["STATUS"].unpack(await system.read("STATUS", prefix=OWN))["busy"] == 1
    await system.command(abort=1)
    await system.idle()
    await system.write("EXPECT", 0, prefix=OWN)

    # An abort in the middle of a result ends it with an error.
    system.ends["m_axis_vector"].pause = True
    system.ends["m_axis_vector"].clear_pause_generator()
    await system.command(start=1)
    await system.vector(range(1, 1 + config.max_vector))
    await system.until(lambda: int(system.dut.m_axis_vector_tvalid.value), "a result")
    system.ends["m_axis_vector"].pause = False
    await system.cycles(3)
    system.ends["m_axis_vector"].pause = True
    await system.command(abort=1)
    system.ends["m_axis_vector"].pause = False
    words, error = await system.receive("m_axis_vector")
    assert error and words[:-1] == tuple(range(1, len(words)))
    assert await system.read("FINISHED", prefix=OWN) == 0
    await system.idle()

    # Of a vector that an abort comes into the rest is dropped, and the next packet is the next vector.
    source = system.ends["s_axis_vector"]
    source.clear_pause_generator()
    source.pause = True
    await system.command(start=1)
    await system.vector(range(config.max_vector))
    source.pause = False
    await system.cycles(4)
    source.pause = True
    await system.command(abort=1)
    source.pause = False
    await system.idle()
    await system.command(start=1)
    await system.vector([9])
    assert await system.receive("m_axis_vector") == ((9,), 0)
    await system.command(start=1)
    await system.until(lambda: int(system.dut.s_axis_vector_tready.value), "the load")
    await system.reset()
    assert [await system.read(name, prefix=OWN) for name in ("STATUS", "ENABLE", "FINISHED")] == [0, 0, 0]
    await system.message(encode(system.router, system.address, [system.address], [5]))
    assert (await system.receive())[0][-1] == 5
    return {"cycles": system.cycle}
