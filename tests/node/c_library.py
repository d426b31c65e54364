"""Testbench of the network of nodes with a processor in each that runs a program over the C library.

The library is compiled for the machine that runs the tests; each of its accesses to registers and header blocks is an
access of the processor that takes a cycle or more. A program is a Python function in a thread of its own, which stands
still between its accesses: what happens depends on nothing but the seed.
"""

import ctypes
from pathlib import Path

from cubecast.golden.common.twins.ports import split
from cubecast.golden.node.contract.config import BLOCK_BYTES
from cubecast.golden.node.contract.registers import Register
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.layout import FIRST
from cubecast.tb.node.node_memory import NodeMemory
from cubecast.tb.node.program_run import INPUTS, OUTPUTS
from tests.common.program import Program
from tests.node.c_programs import PROGRAMS

__all__ = ["BENCH", "HOST", "cycles"]

HOST = Path(__file__).with_name("c_library_host.h")
"""The accesses that the library is compiled with."""

MEMORY_BYTES = 0x2000
"""Bytes of the memory of a node."""

DOORBELLS = range(Register.PLACES, Register.PLACES + 5)
"""Registers that a write to is a doorbell."""

SPARE_CYCLES = 50
"""Cycles after the last program has ended."""


class Node(ctypes.Structure):
    """``cubecast_node``."""

    _fields_ = (
        ("registers", ctypes.c_void_p),
        ("origin", ctypes.c_size_t),
        ("first", ctypes.c_uint32),
        ("last", ctypes.c_uint32),
    )


GET = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
PUT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
LOAD = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
STORE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)


class Host(ctypes.Structure):
    """``struct host``: the accesses."""

    _fields_ = (("get", GET), ("put", PUT), ("load", LOAD), ("store", STORE))


class Library:
    """The compiled library, whose functions are called by their names without ``cubecast_node_``.

    Parameters
    ----------
    path : str
        The shared object.
    processors : list of Processor
        By the number that is a node's pointer to its registers, less 1.
    """

    def __init__(self, path, processors):
        self.loaded = ctypes.CDLL(path)
        self.used = set()

        def access(kind):
            return lambda registers, *given: processors[registers - 1].ask(kind, *given)

        self.host = Host(GET(access("get")), PUT(access("put")), LOAD(access("load")), STORE(access("store")))
        place = ctypes.addressof(Host.in_dll(self.loaded, "host"))
        ctypes.memmove(place, ctypes.addressof(self.host), ctypes.sizeof(Host))

    def call(self, name, *given):
        """Return what a function returns."""
        self.used.add(name)
        function = getattr(self.loaded, f"cubecast_node_{name}")
        function.restype = ctypes.c_void_p if name == "data" else ctypes.c_uint32
        return function(*given)


class Processor(Program):
    """A processor, its memory, and its program.

    Parameters
    ----------
    number : int
        The node.
    memory : NodeMemory
        Its memory.
    """

    def __init__(self, number, memory):
        super().__init__(number)
        self.memory = memory
        self.arena = (ctypes.c_ubyte * len(memory.content)).from_buffer(memory.content)
        self.start = ctypes.addressof(self.arena)
        self.node = Node(registers=number + 1, origin=self.start - FIRST)
        self.irq = 0
        self.free = FIRST + BLOCK_BYTES

    # What a program calls, in its thread.

    def begin(self, library, config, program):
        """Start the program, up to its first access."""
        self.library, self.config = library, config
        super().begin(program)

    def __getattr__(self, name):
        """Return a function of the library with this node as its first argument."""
        return lambda *given: self.library.call(name, ctypes.byref(self.node), *given)

    def pointer(self, address):
        """Return the pointer to an address of node memory."""
        return ctypes.c_void_p(self.start + address - FIRST)

    def place(self, size, data=b""):
        """Return a pointer to bytes that nobody else has, aligned as a block, that begin with these."""
        address = self.free
        self.free += -(-max(size, len(data)) // BLOCK_BYTES) * BLOCK_BYTES
        assert self.free <= FIRST + len(self.memory.content)
        self.memory.store(address, data)
        return self.pointer(address)

    def block(self, words=8):
        """Return a pointer to a block that is free."""
        block = self.place(4 * words)
        self.clear(block)
        return block

    def address(self, pointer):
        """Return the address in node memory of what a pointer points to."""
        return (pointer if isinstance(pointer, int) else pointer.value) - self.start + FIRST

    def bytes_at(self, pointer, size):
        """Return what is in memory."""
        return self.memory.load(self.address(pointer), size)

    def read(self, pointer):
        """Read a word of data; return whether it was early."""
        return self.ask("read", self.address(pointer))

    # What a cycle does, in the thread of the testbench.

    def drive(self):
        """Return what the processor drives in this cycle."""
        if self.access is None:
            return {}
        kind, *given = self.access
        if kind == "get":
            return {"control_address": given[0]}
        if kind == "put" and given[0] in DOORBELLS:
            names = ("doorbell_valid", "doorbell_instruction", "doorbell_address")
            return dict(zip(names, (1, given[0] - Register.PLACES, given[1]), strict=True))
        if kind == "put":
            return {"control_address": given[0], "control_write": 1, "control_write_data": given[1]}
        if kind == "read":
            return {"watch_valid": 1, "watch_address": given[0], "watch_size": 2}
        return {}

    def take(self, outputs):
        """Take the outputs of this cycle; end an access that is through."""
        self.irq = outputs["irq"]
        if self.access is None:
            return
        kind, *given = self.access
        if kind == "get":
            self.access = ("got", None)
        elif kind == "read":
            self.access = ("seen", None)
        elif kind == "got":
            self._answer(outputs["control_read_data"])
        elif kind == "seen":
            self._answer(outputs["early"])
        elif kind == "put" and given[0] in DOORBELLS and not outputs["doorbell_ready"]:
            return
        elif kind == "load":
            self._answer(self.memory.word(given[0] - self.start + FIRST))
        elif kind == "store":
            self.memory.store(given[0] - self.start + FIRST, given[1].to_bytes(4, "little"))
            self._answer(0)
        else:
            self._answer(0)


def cycles(random, config, path, latency=1, stall=0.0):
    """Yield the inputs of each cycle, and take the outputs; return the names of the functions that were called.

    Parameters
    ----------
    random : Random
        Decides when memories stall.
    config : NodeConfig
        Parameters of the nodes.
    path : str
        The compiled library.
    latency : int
        Cycles of the memories.
    stall : float
        Part of the cycles in which they stall.
    """
    last = FIRST + MEMORY_BYTES - 1
    processors = [Processor(node, NodeMemory(last, latency, stall, random)) for node in range(config.nodes)]
    library = Library(path, processors)
    for processor, program in zip(processors, PROGRAMS, strict=True):
        processor.begin(library, config, program)
    left = SPARE_CYCLES
    while left:
        found = dict.fromkeys(INPUTS, 0)
        for node, processor in enumerate(processors):
            answers, _ = processor.memory.drive()
            for name, value in (*processor.drive().items(), *answers.items()):
                found[name] |= value << INPUTS[name] * node
        outputs = yield found
        given = {name: split(outputs[name], width, config.nodes) for name, width in OUTPUTS.items()}
        for node, processor in enumerate(processors):
            own = {name: values[node] for name, values in given.items()}
            processor.take(own)
            processor.memory.take(own)
        failed = "".join(processor.failed for processor in processors)
        assert not failed, failed
        left -= all(processor.access is None for processor in processors)
    return library.used


def stimulus(random, config, functions, **options):
    """Run the programs, see :func:`cycles`, which call these functions and no others."""
    called = yield from cycles(random, config, **options)
    assert called == set(functions), called.symmetric_difference(functions)


BENCH = Bench(
    unit="node.node_network:NodeNetwork",
    stimulus=stimulus,
    extra={"probe": True},
)
