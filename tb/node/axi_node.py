"""Testbench of the packet node with AXI: masters of registers and doorbells, an AXI memory, neighbours at the links."""

from collections import deque

from cubecast.golden.common.contract.control import Register as Control
from cubecast.golden.node.contract.axi import registers
from cubecast.golden.node.contract.block import SYSTEM_BIT, Instruction, Word
from cubecast.golden.node.contract.registers import Register
from cubecast.tb.common import axi_control
from cubecast.tb.common.patterns import chance, moods, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.neighbour import ParallelNeighbour

__all__ = ["BENCH"]

BLOCKS, BUFFERS, DATA, LAST = 0x4000, 0x8000, 0x20FC0, 0x3FFFF
"""Bytes of node memory: where blocks are, the system buffers, buffers of the user near the end of 4 KB, the end."""

NOTHING = 0x7F
"""A number below those of the interface that no register has."""

SLOTS = 24
"""Blocks that programs use in turns."""

LINKS = {"truncate": 0.01, "malformed": 0.02, "rude": 0, "start": 0.1, "ready": 0.7, "refuse": 0.1}


class Memory:
    """An AXI4 slave that answers each kind of request in order, as soon as it likes.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    words : dict
        Content by word address.
    """

    def __init__(self, random, words):
        self.random, self.words = random, words
        self.beats, self.lasts = deque(), deque()
        self.places, self.given, self.answers = deque(), deque(), 0
        self.shown = {}

    def next(self, outputs, mood):
        """Return the node's inputs of the next cycle; ``outputs`` are those of the last one, if any."""
        random, shown = self.random, self.shown
        if outputs:
            if shown.get("m_axi_rvalid"):
                self.beats.popleft()
                self.lasts.popleft()
            self.answers -= shown.get("m_axi_bvalid", 0)
            if outputs["m_axi_arvalid"] and shown.get("m_axi_arready"):
                first, beats = outputs["m_axi_araddr"] // 4, outputs["m_axi_arlen"] + 1
                assert first // 1024 == (first + beats - 1) // 1024, "a burst crosses 4 KB"
                self.beats.extend(first + beat for beat in range(beats))
                self.lasts.extend([0] * (beats - 1) + [1])
            if outputs["m_axi_awvalid"] and shown.get("m_axi_awready"):
                self.places.append(outputs["m_axi_awaddr"] // 4)
            if outputs["m_axi_wvalid"] and shown.get("m_axi_wready"):
                self.given.append((outputs["m_axi_wdata"], outputs["m_axi_wstrb"]))
            while self.places and self.given:
                place, (data, strobe) = self.places.popleft(), self.given.popleft()
                mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
                self.words[place] = self.words.get(place, 0) & ~mask | data & mask
                self.answers += 1
        comes = int(bool(self.beats) and chance(random, mood["memory"]))
        bad = 2 * chance(random, mood["error"])
        self.shown = {
            "m_axi_rvalid": comes,
            "m_axi_rdata": self.words.get(self.beats[0], 0) if comes else random.getrandbits(32),
            "m_axi_rresp": bad,
            "m_axi_rlast": self.lasts[0] if comes else random.getrandbits(1),
            "m_axi_rid": random.getrandbits(1),
            "m_axi_bid": random.getrandbits(1),
            "m_axi_bvalid": int(self.answers > 0 and chance(random, mood["memory"])),
            "m_axi_bresp": bad,
            **{f"m_axi_{channel}ready": chance(random, mood["memory"]) for channel in ("ar", "aw", "w")},
        }
        return self.shown


def stimulus(random, config):
    """Set the node up, then ring doorbells of all kinds while registers are read and packets come."""
    drawing = moods(random, 200, **axi_control.MOODS, memory=(0.1, 0.6, 1.0), error=(0.0, 0.02, 0.3), reset=(0, 0.001))
    while True:
        n, own, words = config.dim, random.randrange(config.nodes), {}
        master, memory = axi_control.Writer(random, registers(config), noise=random), Memory(random, words)
        links = [ParallelNeighbour(random, config.router, own, j) for j in range(n)]
        for number, value in (
            (Register.MEMORY_LAST, LAST),
            (Register.BUFFERS, BUFFERS),
            (Register.IRQ_ENABLE, 0x7F),
            (Register.ENABLE, 1),
            (NOTHING, 0),
        ):
            master.write(number, value)
        outputs, change, turn = None, {"rst": 0, "address": own}, 0
        while not change["rst"]:
            mood = next(drawing)
            change = {"rst": chance(random, mood["reset"]), "address": own}
            change |= master.next(outputs, mood) | memory.next(outputs, mood)
            for link in links:
                change |= link.next(outputs or {}, LINKS)
            change |= {
                "watch__valid": chance(random, 0.2),
                "watch__address": DATA + 4 * random.randrange(64),
                "watch__size": random.randrange(3),
            }
            if not master.busy and chance(random, 0.2):
                for _ in range(random.choice((1, 1, 2 * config.instructions))):
                    ring(random, config, own, words, master, turn)
                    turn += 1
                whole = random.choice((Register.IRQ_STATUS, Register.EVENT)), random.getrandbits(7)
                doorbell = Register.PLACES + random.randrange(len(Instruction))
                some = random.choice((Register.IRQ_STATUS, Register.IRQ_ENABLE, doorbell, doorbell))
                # Before what was told is cleared.
                master.write(some, random.getrandbits(32), random.randrange(1, 15))
                master.write(*whole)
                if chance(random, 0.2):
                    master.write(Control.FAULT, random.choice((0, 0, sparse(random, n), (1 << n) - 1)))
            outputs = yield change


def ring(random, config, own, words, master, turn):
    """Prepare a block, unless it is in use, and ring its doorbell."""
    instruction = random.choice(list(Instruction))
    if instruction == Instruction.RELEASE:
        master.write(
            Register.PLACES + instruction, BUFFERS + config.buffer_bytes * random.randrange(config.buffers + 1)
        )
        return
    if chance(random, 0.2):
        # No block is there, or none may be.
        master.write(Register.PLACES + instruction, random.getrandbits(32))
        return
    block = BLOCKS + 128 * (turn % SLOTS)
    flag = words.get(block // 4 + Word.FLAG, 0)
    if not flag or flag & 3 == 3:
        partner = {
            Instruction.NEIGHBOURS: random.choice((1, config.dim, 0)),
            Instruction.RECEIVE: random.choice((random.randrange(config.nodes), 1 << 16)),
        }.get(instruction, random.randrange(config.nodes))
        kind = (
            random.choice((0, 1, 1 << SYSTEM_BIT)) | (instruction == Instruction.RECEIVE and chance(random, 0.2)) << 16
        )
        buffer = 0 if instruction == Instruction.RECEIVE and chance(random, 0.3) else DATA + 4 * random.randrange(32)
        fields = (0, partner, kind, random.choice((0, 1, 4, 22, 60, 301)), buffer, 0, 0, 0)
        for word, value in enumerate(fields):
            words[block // 4 + word] = value
        for place, j in enumerate(random.sample(range(config.dim), config.dim)):
            words[block // 4 + Word.NEIGHBOUR + 2 * place] = own ^ 1 << j
    master.write(Register.PLACES + instruction, block)


def watch(inputs, outputs, twin):
    """Name what AXI channels do, doorbells that wait, and what the processor is told."""
    if inputs["rst"]:
        yield "reset"
        return
    yield from axi_control.accesses(inputs, outputs, twin.slave)
    slave = twin.slave
    if slave.fetching and slave.zeroes and not slave.w.strobe & 1 and outputs["irq"]:
        yield "zeros for reasons that interrupt"
    if twin.bell is not None and not twin.node.interface.queue.show({})["doorbell__ready"]:
        yield "doorbell waits"
    for name in ("m_axi_arvalid", "m_axi_awvalid", "irq", "multiple_faults"):
        if outputs[name]:
            yield name
    if outputs["report__valid"]:
        yield "report"
    if inputs["m_axi_bvalid"] and inputs["m_axi_bresp"] and outputs["m_axi_bready"]:
        yield "error of a write"


BENCH = Bench(
    unit="node.axi_node:AxiNode",
    stimulus=stimulus,
    events=(
        "reset",
        "write done",
        "partial write",
        "partial write with zeros",
        "partial write that is refused",
        "zeros for reasons that interrupt",
        "read done",
        "read refused",
        "doorbell waits",
        "m_axi_arvalid",
        "m_axi_awvalid",
        "irq",
        "multiple_faults",
        "report",
        "error of a write",
    ),
    watch=watch,
)
