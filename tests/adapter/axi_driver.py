"""What the drivers of ``tests/common/axi_driver.py`` do with the crosspoint node, whose links lead back to itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import register_map
from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.adapter.twins.axi_node import AxiAdapterNode
from cubecast.golden.crosspoint.contract.registers import register_map as of_router
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import chance
from tests.common.axi_driver import System, every_register, reading

__all__ = ["driven", "traffic"]

OWN = "s_axi_adapter"
APART = 8
"""Cycles between two heads on a link: what comes back comes late, as over registers that the router has not counted."""


class Looped(System):
    """The crosspoint node; what leaves over a link comes in over it, as if from the neighbour.

    Parameters
    ----------
    dut, job
        As for :class:`tests.common.axi_driver.System`.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        config = AdapterConfig.from_json(job["config"])
        maps = {"s_axi": of_router(config.router), OWN: register_map(config)}
        super().__init__(dut, job, config, AxiAdapterNode(config), axi(config), maps)

    def neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Return what comes in over the links in the next cycle."""
        ways = {"link_in": "link_out", "link_out": "link_in"}
        change = {}
        for name in self.inputs:
            side, _, rest = name.partition("__")
            if side in ways:
                value = outputs[f"{ways[side]}__{rest}"] or 0
                open_ = side == "link_in" or self.cycle % APART == 0
                change[name] = 0 if rst or not open_ else value
        return change

    async def message(self, destination: int, data: list[int], error: int) -> None:
        """Send a message that a single node gets as a subcube, with noise in ``tuser`` where it means nothing."""
        words = [header(self.config, Kind.SUBCUBE, destination), *data]
        marks = [self.random.getrandbits(1) for _ in data]
        await self.send(words, [*marks, error])

    async def whole(self) -> tuple[tuple[int, ...], int]:
        """Take the frames of a message; return its words, and whether it has error."""
        (stream,) = [stream for stream in self.axi.streams if not stream.into]
        words: list[int] = []
        users: list[dict[str, int]] = [{"more": 1}]
        while users[-1]["more"]:
            frame = await self.sink.recv(compact=False)
            users = [{name: part.of(user) for name, part in stream.user.items()} for user in frame.tuser]
            assert set(frame.tid) == {self.address}
            assert [user["first"] for user in users] == [int(not words), *[0] * (len(users) - 1)]
            assert not any(user["error"] or user["more"] for user in users[:-1])
            assert not users[-1]["more"] or len(users) == self.config.reassemble_words
            words += frame.tdata
        return tuple(words), users[-1]["error"]


def driven(dut: Any, job: dict[str, Any]) -> Looped:
    """Return the node and its drivers."""
    return Looped(dut, job)


async def traffic(system: Looped, messages: int, accesses: int) -> dict[str, int]:
    """Messages to each neighbour in turn while registers are read; all come whole and in order, or have a report."""
    config, random = system.config, system.random
    await every_register(system, OWN)
    await system.reset()
    tasks, empty, frames = reading(system, accesses), 0, Counter[str]()
    for destination in (system.address ^ 1, system.address ^ 2):
        sent = []
        for _ in range(messages):
            data = [random.getrandbits(config.width) for _ in range(random.choice((1, 2, random.randint(1, 12))))]
            if chance(random, 0.2):
                empty += 1
                await system.message(system.address, data, 0)
                continue
            sent.append((tuple(data), chance(random, 0.2)))
            await system.message(destination, data, sent[-1][1])
        for wanted in sent:
            await system.until(lambda: not system.sink.empty(), "a frame")
            assert await system.whole() == wanted
            frames["whole" if len(wanted[0]) <= config.reassemble_words else "long"] += 1
    for task in tasks:
        await task
    assert await system.read("REPORTS", AdapterReason.EMPTY) == empty
    return {**frames, "empty": empty, **system.waited}
