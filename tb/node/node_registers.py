"""Testbench of the node registers: reads and writes of all addresses while everything is counted."""

import dataclasses

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.registers import ADDRESS_BITS, Counter, Interrupt, Register
from cubecast.golden.node.twins.node_registers import NodeRegisters
from cubecast.tb.common.patterns import LEFT, chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END"]

ARRAYS = {Register.PLACES: len(Instruction), Register.COUNTER: len(Counter)}
"""Registers that there are several of."""

THERE = [register + place for register in Register for place in range(ARRAYS.get(register, 1))]

SETTINGS = (Register.MEMORY_FIRST, Register.MEMORY_LAST, Register.BUFFERS, Register.TIMEOUT)
"""Registers that can be written until the interface is enabled."""


def stimulus(random, config):
    """Access registers that are there, and some that are not, many of them next to one but for a bit."""
    drawing = moods(random, 50, write=(0.05, 0.5), enable=(0.0, 0.5), reset=(0.0, 0.0, 0.02))
    while True:
        mood = next(drawing)
        address = random.choice(THERE)
        if chance(random, 0.15):
            near = address ^ 1 << random.randrange(ADDRESS_BITS)
            address = random.choice((near, near, near, random.randrange(1 << ADDRESS_BITS)))
        write = chance(random, mood["write"])
        if write and address == Register.ENABLE:
            write = chance(random, mood["enable"])
        yield {
            "rst": chance(random, mood["reset"]),
            "control__address": int(address),
            "control__write": write,
            "control__write_data": random.choice((0, 1, random.getrandbits(32), sparse(random, 32))),
            "places": random.randint(0, config.instructions),
            "free": random.randint(0, config.buffers),
            "least": random.randint(0, config.buffers),
            "pending": sparse(random, len(Interrupt)),
            "lost": random.getrandbits(32),
            "event__valid": random.getrandbits(1),
            "event__reason": random.getrandbits(4),
            "event__status": random.getrandbits(8),
            "event__source": random.getrandbits(16),
            "event__value": random.getrandbits(32),
            "count": sparse(random, len(Counter)),
            "visit": random.getrandbits(1),
            "visited": random.getrandbits(5),
        }


def watch(inputs, outputs, twin):
    """Name what is read and written."""
    enabled = recall(twin, twin.enable)
    if inputs["rst"]:
        yield "reset"
        return
    address, write = inputs["control__address"], inputs["control__write"]
    if address not in THERE:
        yield "not there, written" if write else "not there"
    elif write:
        yield f"{address:#x} written" + " while enabled" * bool(enabled and address in SETTINGS)
    elif twin.read_data:
        yield f"{address:#x} reads"
    if address == Register.EVENT and not inputs["event__valid"]:
        yield "no event"


def events(config, extra, options):
    """Return what must happen: all registers are read, and written before and after the interface is enabled."""
    found = ["reset", "not there", "not there, written", "no event"]
    zero = (Register.FREE, Register.LEAST_FREE) if not config.buffers else ()
    for address in THERE:
        found += [f"{address:#x} written"]
        found += [f"{address:#x} written while enabled"] * (address in SETTINGS)
        found += [f"{address:#x} reads"] * (address not in zero)
    return tuple(found)


BENCH = Bench(
    unit="node.node_registers:NodeRegisters",
    stimulus=stimulus,
    events=events,
    watch=watch,
)


class NearEnd(NodeRegisters):
    """The twin, its counters near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        self.visited = LEFT % (1 << DATA_BITS)
        self.counters = [self.visited] * len(self.counters)


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.node.node_registers:NearEnd",
    presets={"count_.*|visited": LEFT},
)
"""The same with counters that come to the end of their range."""
