"""Programs of the four nodes of a square over the C library; together they call every function of it."""

import ctypes

from cubecast.golden.node.contract.block import ANY_BIT, SYSTEM_BIT, Status, Word
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.tb.node.layout import FIRST

__all__ = ["PROGRAMS", "content"]

ANY = 1 << ANY_BIT
SYSTEM = 1 << SYSTEM_BIT

LONG, SHORT, CUT, LENT, TOLD, ALL, BOTH, NEAR = range(5, 13)
"""Types of messages."""

SIZE = 200
"""Bytes of the long message."""


def content(size, fill=1):
    """Return bytes that differ."""
    return bytes((fill + 7 * place + place // 64) & 0xFF for place in range(size))


def beyond(pointer):
    """Return the pointer to what is 4 GiB further, where the address has the same 32 bits."""
    return ctypes.c_void_p(pointer.value + (1 << 32))


def set_up(cpu):
    """Enable the interface, and return where the system buffers lie."""
    size = cpu.config.buffers * cpu.config.buffer_bytes
    buffers = cpu.place(size)
    memory, memory_bytes = cpu.pointer(FIRST), len(cpu.memory.content)
    assert cpu.init(memory, memory_bytes, buffers, 0) == Status.OK
    assert cpu.ask("get", Register.MEMORY_FIRST) == FIRST
    assert cpu.ask("get", Register.MEMORY_LAST) == FIRST + memory_bytes - 1
    assert cpu.pending() == 0 and cpu.places() == cpu.config.instructions
    return buffers


def receive(cpu, source, kind, size, *, fill=1, came=None):
    """Receive what has this content, and nothing beside it."""
    buffer = cpu.place(size + 4, b"\x5a" * (size + 4))
    block = cpu.block()
    assert cpu.recv(block, source, kind, buffer, size) == Status.OK
    assert cpu.bytes_at(buffer, size + 4) == content(size, fill) + b"\x5a" * 4
    assert (cpu.source(block), cpu.type(block), cpu.length(block)) == (source if came is None else came, kind, size)
    return block


def events(cpu):
    """Return all events, and see that the interrupts are cleared."""
    found, event = [], (ctypes.c_uint32 * 4)()
    cpu.acknowledge(0xFFFFFFFF)
    while cpu.next_event(event):
        found.append(tuple(event))
    assert cpu.pending() == 0
    return found


def first(cpu):
    """Send what node 1 receives; and what is refused."""
    block, data = cpu.block(), cpu.place(SIZE, content(SIZE))
    memory, memory_bytes = cpu.pointer(FIRST), len(cpu.memory.content)
    assert cpu.isend(block, 1, LONG, data, SIZE) == Status.BAD_BLOCK
    assert cpu.init(memory, 0, memory, 0) == Status.BAD_BLOCK
    assert cpu.init(memory, memory_bytes, cpu.pointer(FIRST + 2), 0) == Status.BAD_BUFFER
    assert cpu.init(memory, memory_bytes, cpu.pointer(FIRST + memory_bytes - 32), 0) == Status.BAD_BUFFER
    buffers = set_up(cpu)
    assert cpu.init(memory, memory_bytes, buffers, 0) == Status.OK
    assert cpu.init(memory, memory_bytes, buffers, 1) == Status.BUSY
    assert cpu.init(memory, memory_bytes - 4, buffers, 0) == Status.BUSY
    assert cpu.isend(cpu.pointer(FIRST + memory_bytes), 1, LONG, data, SIZE) == Status.BAD_BLOCK
    assert cpu.isend(cpu.pointer(FIRST + 4), 1, LONG, data, SIZE) == Status.BAD_BLOCK

    far = beyond(data)
    assert cpu.isend(block, 1, LONG, far, SIZE) == cpu.isend(block, 1, LONG, far, 0) == Status.BAD_BUFFER
    assert cpu.isend(block, 1, LONG, cpu.pointer(-4), SIZE) == cpu.isend(block, 1, LONG, None, 4) == Status.BAD_BUFFER
    assert cpu.ibroadcast(block, LONG, far, SIZE) == cpu.irecv(block, 1, LONG, far, 0) == Status.BAD_BUFFER
    assert cpu.irecv(block, 1, LONG, cpu.pointer(0), SIZE) == Status.BAD_BUFFER

    assert cpu.isend(block, 1, LONG, data, SIZE) == Status.OK
    assert cpu.isend(block, 1, LONG, data, SIZE) == Status.BUSY
    assert cpu.test(block) == 0
    while not cpu.started(block):
        assert cpu.test(block) == 0
    assert cpu.test(block) == 0 and cpu.irecv(block, 1, LONG, data, SIZE) == Status.BUSY
    assert cpu.wait(block) == Status.OK and cpu.test(block) == 1 and cpu.started(block) == 1
    assert cpu.send(block, 1, SHORT, data, 22) == Status.OK
    assert cpu.send(block, 1, CUT, data, 20) == Status.OK
    assert cpu.send(block, 1, LENT, data, 60) == Status.OK
    assert cpu.send(block, 1, SYSTEM | TOLD, data, 4) == Status.OK
    receive(cpu, 2, ALL, 30)
    receive(cpu, 2, BOTH, 2)

    cpu.enable(1 << Interrupt.BAD_OPERAND)
    assert cpu.irq == 0
    assert cpu.send(block, cpu.number, SHORT, data, 4) == Status.BAD_DESTINATION
    cpu.pause()
    assert cpu.irq == 1 and cpu.pending() == 1 << Interrupt.BAD_OPERAND
    assert events(cpu) == [(Interrupt.BAD_OPERAND, Status.BAD_DESTINATION, 0, cpu.address(block))]
    assert cpu.irq == 0


def second(cpu):
    """Receive in all ways."""
    set_up(cpu)
    block, buffer, pooled = cpu.block(), cpu.place(300, b"\x5a" * 300), cpu.block()
    assert cpu.irecv(pooled, 0, LENT, None, 7) == Status.OK
    assert cpu.irecv(block, ANY, LONG, buffer, 300) == Status.OK
    while not cpu.started(block):
        pass
    tail = ctypes.c_void_p(buffer.value + SIZE - 4)
    assert cpu.read(tail) == 1 and cpu.test(block) == 0
    assert cpu.wait(block) == Status.OK
    assert (cpu.source(block), cpu.type(block), cpu.length(block), cpu.data(block)) == (0, LONG, SIZE, buffer.value)
    assert cpu.bytes_at(buffer, 300) == content(SIZE) + b"\x5a" * (300 - SIZE)
    assert cpu.read(tail) == 0
    assert events(cpu) == [(Interrupt.EARLY_READ, 0, 0, cpu.address(tail))]
    receive(cpu, 0, SHORT, 22)

    cut = cpu.place(16, b"\x5a" * 16)
    assert cpu.recv(block, 0, CUT, cut, 10) == Status.TRUNCATED
    assert cpu.length(block) == 20 and cpu.bytes_at(cut, 16) == content(10) + b"\x5a" * 6

    assert cpu.wait(pooled) == Status.OK
    lent = cpu.data(pooled)
    assert (cpu.source(pooled), cpu.type(pooled), cpu.length(pooled)) == (0, LENT, 60)
    assert cpu.bytes_at(lent, 60) == content(60)
    assert cpu.release(beyond(ctypes.c_void_p(lent))) == Status.BAD_RELEASE
    assert cpu.release(ctypes.c_void_p(lent)) == cpu.release(ctypes.c_void_p(lent)) == Status.OK

    cpu.enable(1 << Interrupt.SYSTEM_MESSAGE)
    assert cpu.irecv(block, ANY, ANY | SYSTEM, buffer, 4) == Status.OK
    while not cpu.irq:
        cpu.pause()
    assert cpu.pending() == 1 << Interrupt.BAD_OPERAND | 1 << Interrupt.SYSTEM_MESSAGE
    refused = (Interrupt.BAD_OPERAND, Status.BAD_RELEASE, 0, cpu.address(lent))
    assert events(cpu) == [refused, (Interrupt.SYSTEM_MESSAGE, 0, 0, SYSTEM | TOLD)]
    assert cpu.wait(block) == Status.OK
    assert cpu.type(block) == SYSTEM | TOLD and cpu.bytes_at(buffer, 4) == content(4)
    receive(cpu, 2, ALL, 30)
    receive(cpu, 2, BOTH, 2)
    receive(cpu, 3, NEAR, 40, fill=9)
    receive(cpu, 3, NEAR, 3)
    assert cpu.events_lost() == 0


def third(cpu):
    """Broadcast, and receive from a neighbour."""
    set_up(cpu)
    block, data = cpu.block(), cpu.place(30, content(30))
    assert cpu.broadcast(block, ALL, data, 30) == Status.OK
    assert cpu.ibroadcast(block, BOTH, data, 2) == Status.OK
    assert cpu.ibroadcast(block, BOTH, data, 2) == Status.BUSY
    assert cpu.wait(block) == Status.OK
    assert cpu.bytes_at(block, 4 * Word.FLAG)[4 * Word.LENGTH] == 2
    receive(cpu, 3, NEAR, 40, fill=9)


def fourth(cpu):
    """Send to neighbours; then overflow the event log."""
    set_up(cpu)
    receive(cpu, 2, ALL, 30)
    receive(cpu, 2, BOTH, 2)
    block, data, other = cpu.block(8 + 2 * cpu.config.dim), cpu.place(40, content(40, 9)), cpu.place(3, content(3))
    to = (ctypes.c_uint32 * 3)(1, 2, 0)
    assert cpu.neighbours(block, to, 2, NEAR, data, 40) == Status.OK
    assert cpu.ineighbours(block, to, 1, NEAR, other, 3) == Status.OK
    assert cpu.ineighbours(block, to, 1, NEAR, other, 3) == Status.BUSY
    assert cpu.wait(block) == Status.OK
    assert cpu.ineighbours(block, to, 3, NEAR, data, 40) == Status.BAD_LIST
    assert cpu.ineighbours(block, to, 2, NEAR, beyond(data), 40) == Status.BAD_BUFFER
    assert events(cpu) == []
    for refused in range(1, cpu.config.events + 2):
        assert cpu.neighbours(block, to, 0, NEAR, data, 40) == Status.BAD_LIST
        cpu.pause(4)
        assert cpu.events_lost() == (refused > cpu.config.events)
    assert cpu.pending() == 1 << Interrupt.BAD_OPERAND | 1 << Interrupt.EVENT_LOST
    assert events(cpu) == [(Interrupt.BAD_OPERAND, Status.BAD_LIST, 0, cpu.address(block))] * cpu.config.events


PROGRAMS = (first, second, third, fourth)
"""The program of each node."""
