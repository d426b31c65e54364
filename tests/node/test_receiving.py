"""Messages from the cutter of one node to memory of another: sending and receiving units joined, with node memory."""

from collections import deque

import pytest
from amaranth import Module
from amaranth.sim import Simulator

from cubecast.golden.node.contract.block import Status, Word
from cubecast.golden.node.contract.packet import Kind, Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.rtl.node.arrival_tracker import ArrivalTracker
from cubecast.rtl.node.buffer_pool import BufferPool
from cubecast.rtl.node.matcher import Matcher
from cubecast.rtl.node.memory_ports import MemoryPorts
from cubecast.rtl.node.message_cutter import MessageCutter
from cubecast.rtl.node.packet_maker import PacketMaker
from cubecast.rtl.node.receive_engine import ReceiveEngine
from tests.node.corners import corner

BASE, BLOCK, DATA, ROOM = 0x10000, 0x200, 0x8000, 0x20000
SOURCE, OWN = 1, 0


class Design:
    """A cutter with its packet maker, and a receive engine with what it needs; the memories are in the test."""

    def __init__(self, config):
        self.config, self.module = config, Module()
        for name, unit in {
            "cutter": MessageCutter,
            "maker": PacketMaker,
            "engine": ReceiveEngine,
            "matcher": Matcher,
            "pool": BufferPool,
            "tracker": ArrivalTracker,
            "ports": MemoryPorts,
        }.items():
            component = unit(config)
            setattr(self, name, component)
            self.module.submodules[name] = component
        self._join()

    def _join(self):
        """Connect what has nothing between."""
        m, engine, matcher, pool, ports = self.module, self.engine, self.matcher, self.pool, self.ports
        for source, sink in (
            (self.cutter.job, self.maker.job),
            (engine.first, matcher.first),
            (matcher.prepare, engine.prepare),
            (engine.writer, ports.writer[0]),
            (matcher.reader, ports.reader[1]),
            (matcher.writer, ports.writer[2]),
        ):
            for name in source.signature.members:
                back = name == "ready"
                one, other = getattr(source, name), getattr(sink, name)
                m.d.comb += one.eq(other) if back else other.eq(one)
        for name in ("verdict", "placed", "stop", "user", "block", "room", "buffer", "pooled", "number"):
            m.d.comb += getattr(engine, name).eq(getattr(matcher, name))
        for name in ("open", "open_next", "open_last", "move", "move_entry", "move_next", "close", "close_entry"):
            m.d.comb += getattr(self.tracker, name).eq(getattr(engine, name))
        m.d.comb += [
            engine.full.eq(self.tracker.full),
            engine.entry.eq(self.tracker.entry),
            engine.address.eq(OWN),
            engine.written.eq(ports.written[0]),
            engine.write_error.eq(ports.write_error),
            engine.event.ready.eq(1),
            engine.control.ready.eq(1),
            matcher.served.eq(ports.served[1]),
            matcher.word.eq(ports.word),
            matcher.word_error.eq(ports.word_error),
            matcher.written.eq(ports.written[2]),
            matcher.write_error.eq(ports.write_error),
            matcher.base.eq(BASE),
            matcher.free.eq(pool.free),
            matcher.pool_number.eq(pool.number),
            matcher.pool_address.eq(pool.address),
            matcher.rewind.ready.eq(1),
            matcher.freed.eq(pool.put),
            pool.take.eq(matcher.take),
            pool.base.eq(BASE),
            pool.enable.eq(1),
        ]


class Bench:
    """Both memories, the way between the nodes, and what the units say, cycle by cycle."""

    def __init__(self, ctx, design):
        self.ctx, self.d, self.config = ctx, design, design.config
        self.sent, self.memory = {}, {}
        self.reads, self.words, self.acks, self.way, self.packet = deque(), deque(), deque(), deque(), []
        self.replies, self.events, self.kept, self.rewinds, self.lent, self.cycle = [], [], [], [], [], 0

    async def step(self, count=1):
        """Go on for some cycles."""
        ctx, d = self.ctx, self.d
        width = self.config.width
        for _ in range(count):
            await ctx.delay(4e-7)
            if self.words:
                ctx.set(d.maker.word, self.words.popleft())
                ctx.set(d.maker.served, 1)
            else:
                ctx.set(d.maker.served, 0)
            ctx.set(d.maker.reader.ready, 1)
            ctx.set(d.maker.inject.ready, -1 & (1 << self.config.dim) - 1)
            ports = d.ports
            ctx.set(ports.read.ready, self.cycle & 1)
            ctx.set(ports.write.ready, self.cycle % 3 != 0)
            ctx.set(ports.data.valid, int(bool(self.reads)))
            ctx.set(ports.data.word, self.memory.get(self.reads[0], 0) if self.reads else 0)
            ctx.set(ports.done, int(bool(self.acks)))
            ctx.set(d.engine.eject.valid, int(bool(self.way)))
            if self.way:
                word, last, error = self.way[0]
                ctx.set(d.engine.eject.data, word)
                ctx.set(d.engine.eject.last, last)
                ctx.set(d.engine.eject.error, error)
            await ctx.delay(1e-7)
            if ctx.get(d.maker.reader.valid):
                first = ctx.get(d.maker.reader.address)
                self.words.extend(self.sent.get(first + k, 0) for k in range(ctx.get(d.maker.reader.beats) + 1))
            if self.reads:
                self.reads.popleft()
            if self.acks:
                self.acks.popleft()
            if ctx.get(ports.read.valid) and ctx.get(ports.read.ready):
                first = ctx.get(ports.read.address)
                self.reads.extend(first + k for k in range(ctx.get(ports.read.beats) + 1))
            if ctx.get(ports.write.valid) and ctx.get(ports.write.ready):
                mask = sum(0xFF << 8 * k for k in range(4) if ctx.get(ports.write.strobe) >> k & 1)
                place = ctx.get(ports.write.address)
                self.memory[place] = self.memory.get(place, 0) & ~mask | ctx.get(ports.write.data) & mask
                self.acks.append(1)
            if self.way and ctx.get(d.engine.eject.ready):
                self.way.popleft()
            if ctx.get(d.maker.inject.valid):
                self.packet.append(ctx.get(d.maker.inject.data))
                if ctx.get(d.maker.inject.last):
                    source = SOURCE | ctx.get(d.maker.inject.kind) << width - 6
                    self.arrive([self.packet[0], source, *self.packet[1:]])
                    self.packet = []
            self._note()
            self.cycle += 1
            await ctx.tick()

    def arrive(self, words, error=0):
        """Let a packet come out of the router."""
        self.way.extend((word, int(k == len(words) - 1), error * (k == len(words) - 1)) for k, word in enumerate(words))

    def _note(self):
        """Keep what is said in this cycle."""
        ctx, d = self.ctx, self.d
        if ctx.get(d.engine.put.valid):
            put = d.engine.put
            names = ("op", "b", "stop", "damaged", "ticket")
            self.replies.append({name: ctx.get(getattr(put, name)) for name in names})
        if ctx.get(d.engine.event.valid):
            self.events.append(Interrupt(ctx.get(d.engine.event.reason)))
        if ctx.get(d.engine.kept):
            self.kept.append((ctx.get(d.engine.kept_number), Status(ctx.get(d.engine.kept_status))))
        if ctx.get(d.engine.lend):
            self.lent.append(ctx.get(d.engine.lend_number))
        if ctx.get(d.matcher.rewind.valid):
            self.rewinds.append(ctx.get(d.matcher.rewind.source))

    async def strobe(self, port, **fields):
        """Offer something at a stream until it is taken."""
        for name, value in fields.items():
            self.ctx.set(getattr(port, name), value)
        self.ctx.set(port.valid, 1)
        for _ in range(200):
            await self.ctx.delay(1e-8)
            taken = self.ctx.get(port.ready)
            await self.step()
            if taken:
                self.ctx.set(port.valid, 0)
                return
        raise AssertionError("it is not taken")

    async def until(self, condition, most=600):
        """Go on until something holds."""
        for _ in range(most):
            if condition():
                return
            await self.step()
        raise AssertionError("it does not happen")

    async def send(self, payload, kind=5, ticket=1, b=0, **marks):
        """Offer a message, and the rest of it when it is wanted; return the replies."""
        start, eager = len(self.replies), self.config.eager
        for k in range(0, len(payload), 4):
            self.sent[DATA // 4 + k // 4] = int.from_bytes(payload[k : k + 4], "little")
        part = {
            "slots": 1,
            "destination": SOURCE if b else OWN,
            "type": kind,
            "length": len(payload),
            "eager": eager,
            "ticket": ticket,
            "buffer": DATA,
            "rest": 0,
            **dict.fromkeys(("behind", "others", "mark"), 0),
            **marks,
        }
        await self.strobe(self.d.cutter.part, **part)
        await self.until(lambda: len(self.replies) > start)
        if self.replies[start]["op"] == Op.ACCEPT:
            packets = part["eager"]
            unasked = self.config.first_bytes + (packets - 1) * self.config.packet_bytes
            await self.strobe(self.d.cutter.part, **part | {"rest": 1, "offset": unasked, "odd": packets % 2})
            await self.until(lambda: len(self.replies) > start + 1)
        await self.step(60)
        assert all(reply["ticket"] == ticket for reply in self.replies[start:])
        return [Op(reply["op"]) for reply in self.replies[start:]]

    async def post(self, block, room, kind=5, source=SOURCE, buffer=None, **more):
        """Post a receive, as the control unit does; return how it was settled."""
        buffer = ROOM + 0x400 * block if buffer is None else buffer
        words = (0, source, kind, room, buffer, 1 << 31)
        for word, value in enumerate(words):
            self.memory[8 * (BLOCK + block) + word] = value
        settled = []
        fields = {
            "block": BLOCK + block,
            "source": source,
            "type": kind,
            "room": room,
            "buffer": buffer,
            **dict.fromkeys(("any_source", "any_type", "only", "pooled", "number"), 0),
            **more,
        }
        await self.strobe(self.d.matcher.post, **fields)
        for _ in range(300):
            await self.ctx.delay(1e-8)
            if self.ctx.get(self.d.matcher.settled):
                settled.append(How(self.ctx.get(self.d.matcher.how)))
                break
            await self.step()
        await self.step()
        assert settled, "it is not settled"
        return settled[0]

    def word(self, block, word):
        """Return a word of a block."""
        return self.memory[8 * (BLOCK + block) + word]

    def stored(self, address, length):
        """Return bytes of the receiver's memory."""
        return bytes(
            self.memory.get(place // 4, 0) >> 8 * (place % 4) & 0xFF for place in range(address, address + length)
        )


def run(scenario, **own):
    """Run a scenario with a node of these parameters."""
    router = own.pop("router", {})
    config = corner({"dim": 2} | router, **own)
    design, ended = Design(config), []

    async def testbench(ctx):
        bench = Bench(ctx, design)
        await bench.step(16)
        await scenario(bench)
        ended.append(True)

    simulator = Simulator(design.module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert ended


def payload(length):
    """Return bytes that differ from place to place."""
    return bytes((17 + 31 * k + 5 * (k // 256)) % 256 for k in range(length))


@pytest.mark.core("16")
@pytest.mark.parametrize("router", [{}, {"width": 32}], ids=["16", "32"])
def test_messages_of_all_lengths_reach_their_receives(router):
    """Bytes, words of the block and FLAG are as they should be; longer messages are cut to their room."""

    async def scenario(bench):
        first, later = bench.config.first_bytes, bench.config.packet_bytes
        lengths = (0, 1, first, first + 1, first + later, first + later + 1, 150)
        for block, length in enumerate(lengths):
            room = 100
            assert await bench.post(block, room) == How.POSTED
            wanted = [Op.ACCEPT] if length > first + later else []
            assert await bench.send(payload(length), ticket=block) == [*wanted, Op.DONE]
            assert bench.word(block, Word.PARTNER) == SOURCE and bench.word(block, Word.TYPE) == 5
            assert bench.word(block, Word.LENGTH) == length
            status = Status.TRUNCATED if length > room else Status.OK
            assert bench.word(block, Word.FLAG) == 3 | status << 8
            size = min(room, length)
            assert bench.stored(ROOM + 0x400 * block, size + 4) == payload(length)[:size] + bytes(4)

    run(scenario, buffers=1, eager=2, router=router)


def test_what_is_not_expected_is_kept_refused_and_offered_again():
    """One buffer, then none: postponed; a receive that is posted asks for it again, and the order is kept."""

    async def scenario(bench):
        assert await bench.send(payload(40), kind=0x8001, ticket=1) == [Op.DONE]
        assert bench.kept == [(0, Status.OK)] and bench.stored(BASE, 40) == payload(40)
        assert bench.events == [Interrupt.SYSTEM_MESSAGE]
        assert await bench.send(payload(3), ticket=2) == [Op.POSTPONE]
        assert bench.replies[-1]["stop"] == 1 and not bench.rewinds
        assert await bench.post(0, 100, kind=6) == How.POSTED
        assert bench.rewinds == [SOURCE]
        # Before the mark comes, nothing of this source is taken.
        assert await bench.send(payload(9), kind=6, ticket=3, behind=1, others=1) == [Op.POSTPONE]
        assert await bench.send(payload(3), ticket=4, mark=1, others=1) == [Op.POSTPONE]
        assert bench.replies[-1]["stop"] == 0
        assert await bench.send(payload(9), kind=6, ticket=5, behind=1, others=1) == [Op.DONE]
        assert bench.stored(ROOM, 9) == payload(9)
        # The oldest is still waiting; the pool gets its buffer back when its message is claimed.
        assert await bench.post(1, 100, kind=0x8001) == How.UNCLAIMED
        bench.ctx.set(bench.d.pool.put_number, 0)
        bench.ctx.set(bench.d.pool.put, 1)
        await bench.step()
        bench.ctx.set(bench.d.pool.put, 0)
        await bench.step(30)
        assert bench.rewinds == [SOURCE, SOURCE]
        assert await bench.send(payload(3), ticket=6, mark=1) == [Op.DONE]
        assert bench.kept == [(0, Status.OK), (0, Status.OK)]
        assert await bench.post(2, 100, source=2, any_source=1) == How.UNCLAIMED

    run(scenario, buffers=1, reserved=0, eager=2)


def test_a_broadcast_that_is_refused_is_stored_in_its_second_round():
    """The node asks for it when a receive is posted, with the ticket of the offer; others drop it."""

    async def scenario(bench):
        assert await bench.send(payload(30), ticket=9, b=1) == [Op.POSTPONE]
        assert await bench.post(0, 100) == How.HELD
        await bench.step(4)
        assert bench.replies[-1] == {"op": Op.REWIND, "b": 1, "stop": 0, "damaged": 0, "ticket": 9}
        assert await bench.send(payload(30), ticket=9, b=1, mark=1) == [Op.DONE]
        assert bench.stored(ROOM, 30) == payload(30) and bench.word(0, Word.FLAG) == 3

    run(scenario, buffers=0, eager=15)


def test_a_damaged_message_is_told_and_the_next_one_is_whole():
    """A later packet that is missing, and one that ended early in the middle of a memory word."""

    async def scenario(bench):
        for block in range(3):
            assert await bench.post(block, 200) == How.POSTED
        envelope = [5, 100, 2 << 4]
        bench.arrive([OWN, SOURCE | Kind.FIRST << 10, *envelope, *range(11)])
        await bench.step(60)
        bench.arrive([OWN, SOURCE | Kind.EVEN << 10, *range(14)])
        await bench.step(60)
        assert [reply["op"] for reply in bench.replies] == [Op.ACCEPT, Op.DONE] and bench.replies[-1]["damaged"]
        bench.arrive([OWN, SOURCE | Kind.FIRST << 10, *envelope, 1, 2, 3, 0], error=1)
        await bench.step(100)
        assert [reply["op"] for reply in bench.replies[2:]] == [Op.ACCEPT, Op.DONE] and bench.replies[-1]["damaged"]
        assert bench.events == [Interrupt.DAMAGED, Interrupt.DAMAGED]
        assert [bench.word(block, Word.FLAG) for block in range(2)] == [3 | Status.DAMAGED << 8] * 2
        assert await bench.send(payload(90)) == [Op.ACCEPT, Op.DONE]
        assert bench.stored(ROOM + 0x800, 90) == payload(90)

    run(scenario, buffers=0, eager=2)
