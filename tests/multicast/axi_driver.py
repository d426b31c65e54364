"""What the drivers of ``tests/common/axi_driver.py`` do with the multicast router, and with what stands beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import cocotb
from cocotbext.axi import AxiResp

from cubecast.golden.common.contract.registers import writable
from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import register_map
from cubecast.golden.multicast.twins.axi_router import AxiRouter
from cubecast.tb.common.patterns import chance
from cubecast.tb.multicast.traffic import Drain, Link
from tests.common.axi_driver import System, every_register, reading

__all__ = ["Routed", "driven", "registers", "traffic"]

LINK = ("valid", "data", "last", "error", "lane")


class Routed(System):
    """A unit with the links of the multicast router.

    Parameters
    ----------
    router : Config
        Parameters of the router.
    others
        As for :class:`tests.common.axi_driver.System`.
    """

    def __init__(self, router: Config, *others: Any) -> None:
        super().__init__(*others)
        self.router = router
        self.links = [Link(self.random, router) for _ in range(router.dim)]
        self.drains = [Drain(self.random, router.lanes) for _ in range(router.dim)]
        self.copies: list[tuple[int, tuple[int, ...], int]] = []
        self._partial: dict[int, list[int]] = defaultdict(list)

    def neighbours(self, outputs: dict[str, Any], rst: int) -> dict[str, int]:
        """Take what leaves over the links and return what comes in over them in the next cycle."""
        change = {}
        for j in range(self.router.dim):
            if rst:
                self.links[j] = Link(self.random, self.router)
                self.drains[j] = Drain(self.random, self.router.lanes)
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

    async def message(self, words: list[int], error: int = 0) -> None:
        """Send a message, with noise in tuser before the last word."""
        await self.send(words, [*(self.random.getrandbits(1) for _ in words[1:]), error])


def driven(dut: Any, job: dict[str, Any]) -> Routed:
    """Return the router and its drivers."""
    config = Config.from_json(job["config"])
    return Routed(config, dut, job, config, AxiRouter(config), axi(config), {"s_axi": register_map(config)})


class Books:
    """What the messages of a run have to become, and whether they did.

    Parameters
    ----------
    system : Routed
        The router and its drivers.
    """

    def __init__(self, system: Routed) -> None:
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


async def traffic(system: Routed, messages: int, accesses: int) -> dict[str, int]:
    """Messages both ways while registers are read and written; then the books and the counters."""
    config, random, books = system.config, system.random, Books(system)
    tags = iter(range(messages * (1 + config.dim)))
    for j in range(config.dim):
        for tag, _ in zip(tags, range(messages // config.dim), strict=False):
            system.links[j].send(books.arrival(tag))
    changeable = writable(register_map(config))

    async def writer() -> None:
        for _ in range(accesses // 3):
            number = random.choice((0, 2, random.randrange(128)))
            first = random.randrange(4)
            data = bytes(0 if number == 0 else random.getrandbits(8) for _ in range(random.randint(1, 4 - first)))
            answer = await system.master.write(4 * number + first, data)
            assert answer.resp == (AxiResp.OKAY if number in changeable else AxiResp.SLVERR)

    tasks = reading(system, accesses) + [cocotb.start_soon(writer()) for _ in range(3)]
    for tag, _ in zip(tags, range(messages), strict=False):
        await system.message(*books.message(tag))
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


async def registers(system: Routed) -> dict[str, int]:
    """Every address, byte strobes, the fault vector at work, the log, accesses of several words."""
    config, here = system.config, system.address
    await every_register(system)
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
    await system.message(encode(config, here, [here ^ 0b11], [1, 2]))
    await system.until(lambda: len(system.copies) == 1, "the way round the faulty link")
    ((way, words, error),) = system.copies
    assert (way, words[:2], words[-2:], error) == (1, (1, here ^ 0b11), (1, 2), 0)
    for payload in range(3):
        await system.message(encode(config, here, [here ^ 0b01, here], [payload]))
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

    await system.message(encode(config, here, [here], [9] * config.max_data))
    await system.until(lambda: bool(system.source.active), "the start of a packet")
    await system.cycles(2)
    await system.reset()
    assert [await system.read("FAULT"), await system.read("MESSAGES_IN", config.local)] == [0, 0]
    await system.message(encode(config, here, [here], [5]))
    while (await system.receive())[0][-1] != 5:
        pass
    return {"clocks": system.cycle}
