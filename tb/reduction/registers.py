"""Testbench of the join unit's registers: reads and writes of all addresses, and events of all rates."""

import dataclasses

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, TICK, Register, register_map
from cubecast.golden.reduction.twins.registers import Registers
from cubecast.tb.common.patterns import LEFT, chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END"]

EVENTS = ("down_wait", "mismatch", "bad_result", "up", "down", "link_wait", "idle")

ALARMS = ("mismatch", "bad_result")
"""Those that set bits 1 and 2 of STATUS; bit 0 is that of a wait that is too long."""

COMMON = ((Register.CTRL, 15), *[(Register.TREE, 0xFFF)] * 2, (Register.TIMEOUT, 1), (Register.STATUS, 7))
"""Registers that are written often, TREE most, and the greatest value that is written then."""

BETWEEN = (
    *((late, Register.TIMEOUT, 1) for late in (0, 1, 1)),
    *((late, Register.STATUS, 7) for late in (0, 1, 1)),
)
"""What is written between two waits, or, with 1, amid one."""


def stimulus(random, config):
    """Access registers that are there, and some that are not; let operands be late for as long as TIMEOUT says."""
    drawing = moods(random, 2 * TICK, late=(0.0, 0.5, 1.0), event=(0.02, 0.5), write=(0.02, 0.2), reset=(0, 0.001))
    waits = iter(())
    (limit,) = next(entry.fields for entry in register_map(config) if entry.address == Register.TIMEOUT)
    there = [entry.address for entry in register_map(config)]
    for mood in drawing:
        write = chance(random, mood["write"])
        address = random.choice((random.randrange(1 << ADDRESS_BITS), random.choice(there)))
        data = sparse(random, DATA_BITS)
        if write and chance(random, 0.8):
            address, most = random.choice(COMMON)
            data = random.randrange(most + 1)
        late = random.randrange(1, 8) if chance(random, mood["late"]) else 0
        step = next(waits, None)
        if step is None and chance(random, 0.02):
            waits = _waits(random, limit.width)
        happen = {name: chance(random, mood["event"]) for name in EVENTS}
        if step is not None:
            # Nothing else sets a limit now, or STATUS, but in the cycle in which that is cleared.
            happen |= dict.fromkeys(ALARMS, 0)
            if step[1] == Register.STATUS:
                happen[random.choice(ALARMS)] = random.getrandbits(1)
            late, write = step[0] and random.randrange(1, 8), write and address != Register.TIMEOUT
            if step[1] is not None:
                write, address, data = 1, *step[1:]
        yield {
            "rst": chance(random, mood["reset"]),
            "address": int(address),
            "write": int(write),
            "write_data": data,
            "late_wait": late,
            **happen,
        }


def _waits(random, bits):
    """Yield whether an operand is late, and the register that is written, or None, with its value.

    TIMEOUT amid a wait, or between two; or STATUS, so that it shows when a wait is too long once more, or the next one.
    """
    late, address, value = random.choice(BETWEEN)
    # STATUS amid a wait says nothing before that has been too long.
    yield from [(1, None, 0)] * random.randrange(TICK if late and address == Register.STATUS else 0, 2 * TICK)
    yield late, address, value
    yield from [(1, None, 0)] * (TICK + 8)
    # A long one, which the next wait does not come to.
    yield from ((0, Register.TIMEOUT, limit) for limit in (random.getrandbits(bits), 1))


def watch(inputs, outputs, twin):
    """Name what is read, and what the registers say."""
    limits = bool(inputs["write"] and inputs["address"] == Register.TIMEOUT)
    before, limited, lates, told = recall(twin, None) or (None, False, 0, False)
    waits = bool(inputs["late_wait"])
    late = waits and not limits and not twin.timer
    # A limit was written during the wait; how often it has been too long; whether STATUS says so.
    recall(twin, (inputs["address"], waits and (limits or limited), waits and lates + late, twin.alarms & 1))
    if inputs["rst"]:
        yield "reset"
        return
    there = {entry.address: entry.name for entry in register_map(twin.config)}
    if inputs["write"]:
        yield f"write {there.get(inputs['address'], 'elsewhere')}"
    if limited and late:
        yield "late after a new limit"
    clears = inputs["write_data"] if inputs["write"] and inputs["address"] == Register.STATUS else 0
    if any(inputs[name] and clears >> bit & 1 for bit, name in enumerate(ALARMS, 1)):
        yield "set as it is cleared"
    if late and not twin.alarms & ~1:
        yield "late alone"
    if lates and late and not told:
        yield "late once more in a wait"
    if outputs["read_data"]:
        yield "read"
    for name in ("parent", "a", "b"):
        yield f"{name} {outputs[name]}"
    if outputs["alarm"]:
        yield "alarm"
    yield f"running {outputs['running']}, abort {outputs['abort']}"
    if before == Register.STATUS:
        yield from (f"status {bit}" for bit in range(4) if outputs["read_data"] >> bit & 1)


def events(config, extra, options):
    """Return the registers, and all links."""
    found = [
        "reset",
        "read",
        "alarm",
        "write elsewhere",
        "late after a new limit",
        "late once more in a wait",
        "late alone",
        "set as it is cleared",
        *(f"status {bit}" for bit in range(4)),
    ]
    found += ["running 0, abort 0", "running 1, abort 0", "running 0, abort 1"]
    found += [f"write {entry.name}" for entry in register_map(config)]
    return (*found, *(f"{name} {1 << j}" for name in ("parent", "a", "b") for j in range(config.dim)))


BENCH = Bench(
    unit="reduction.registers:Registers",
    stimulus=stimulus,
    events=events,
    watch=watch,
)


class NearEnd(Registers):
    """The twin, its counters near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        counters = [each.address for each in register_map(self.config) if each.address >= Register.COUNT_UP]
        self.values |= {Register(address): LEFT % (1 << self.config.router.counters) for address in counters}


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.reduction.registers:NearEnd",
    presets={"count_.*|stall_.*": LEFT},
)
"""The same with counters that come to the end of their range."""
