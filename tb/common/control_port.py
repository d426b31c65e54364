"""Testbench of the control port: fault vector, error log, counters."""

import dataclasses

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.tb.common.patterns import LEFT, chance, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END"]

ARRAYS = (Register.MESSAGES_IN, Register.MESSAGES_OUT, Register.WORDS_OUT, Register.WAITED)
"""Counters, one for each port."""


def stimulus(random, config):
    """Read everywhere, write the fault vector and the log, count at random; reports come slowly or in a flood.

    Neighbours take their links down at any moment, for a cycle or longer.
    """
    ports, down = config.ports, 0
    reasons = [reason for reason in range(16) if config.counts(reason)]
    blocks = [Register.FAULT, Register.STATUS, Register.LOG, Register.LOG_LOST, Register.CUT] * 3
    blocks += [Register.REPORTS + reason for reason in range(16)]
    blocks += [base + port for base in ARRAYS for port in range(ports)]
    drawing = moods(
        random,
        60,
        report=(0.02, 0.5, 1.0),
        pop=(0.0, 0.3, 1.0),
        count=(0.0, 0.5),
        rst=(0, 0, 0.01),
        mark=(0.02, 0.2),
        down=(0.0, 0.03, 0.3),
    )
    for mood in drawing:
        address = random.choice(
            (Register.LOG, Register.LOG_LOST, random.choice(blocks), random.randrange(1 << ADDRESS_BITS))
        )
        pop, mark = chance(random, mood["pop"]), chance(random, mood["mark"])
        if chance(random, mood["down"]):
            down = random.choice((0, down ^ 1 << random.randrange(config.dim), sparse(random, config.dim)))
        yield ({"down": down} if config.fault_tolerant else {}) | {
            "rst": chance(random, mood["rst"]),
            "address": int(Register.FAULT if mark else Register.LOG if pop else address),
            "write": int(mark or pop or chance(random, 0.2)),
            "write_data": random.choice((sparse(random, config.dim), random.getrandbits(32), 0, 0)),
            "message_in": sparse(random, ports) if chance(random, mood["count"]) else 0,
            "message_out": sparse(random, ports) if chance(random, mood["count"]) else 0,
            "word_out": sparse(random, ports) if chance(random, mood["count"]) else 0,
            "waited": sparse(random, ports) if chance(random, mood["count"]) else 0,
            "report_valid": chance(random, mood["report"]),
            "report_reason": random.choice(reasons),
            "report_destination": random.getrandbits(config.dim),
            "report_port": random.getrandbits(4),
            "report_lane": random.getrandbits(4),
        }


def watch(inputs, outputs, twin):
    """Name what is read and written, and the states of the log."""
    config, address = twin.config, inputs["address"]
    sizes = {Register.REPORTS: 16, **dict.fromkeys(ARRAYS, config.ports)}
    found = [base.name for base, count in sizes.items() if base <= address < base + count]
    if found:
        yield f"{found[0]} is addressed"
    elif address > Register.CUT:
        yield "nothing is addressed"
    if outputs["read_data"] >> 31:
        yield "log entry"
    fault, cut, down = outputs["fault"], outputs["cut"], inputs.get("down", 0)
    if outputs["multiple_faults"]:
        yield "multiple faults"
        if not fault & fault - 1 and not down & down - 1:
            yield "multiple faults, one on each side"
    elif cut:
        yield "one link cut" if cut & fault else "one link cut by the neighbour"
    if fault & down:
        yield "down on both sides"
    if fault & ~cut:
        yield "fault, not cut yet"
    if cut & ~(fault | down):
        yield "still cut"
    if address == Register.CUT and cut:
        yield "links that are cut are read"
    if inputs["write"]:
        yield {Register.FAULT: "write of the fault vector", Register.LOG: "write of the log"}.get(
            address, "write without effect"
        )
        if address == Register.LOG and inputs["report_valid"]:
            yield "report beside a write of the log"
        if address == Register.FAULT and down:
            yield "write of the fault vector beside a neighbour's"
    if inputs["rst"] and fault and cut:
        yield "reset"
    if address == Register.LOG_LOST and twin.read_data:
        yield "entries were lost"
    if twin.registers[Register.LOG_LOST] > twin.masks[Register.LOG_LOST] > 0:
        yield "a counter wraps"
    if inputs["report_valid"] and twin.full():
        yield "full log"


def events(config, extra, options):
    """Return what can happen in this format."""
    names = ("REPORTS", "MESSAGES_IN", "MESSAGES_OUT", "WORDS_OUT", "WAITED", "nothing")
    happen = [f"{name} is addressed" if name != "nothing" else "nothing is addressed" for name in names]
    happen += ["write of the fault vector", "write of the log", "write without effect"]
    happen += ["report beside a write of the log"]
    if config.log_depth:
        happen += ["log entry", "full log"]
    if config.counts_lost:
        happen += ["entries were lost"] + ["a counter wraps"] * (config.counter_bits < 16)
    if config.fault_tolerant:
        happen += ["multiple faults", "multiple faults, one on each side", "one link cut", "reset"]
        happen += ["one link cut by the neighbour", "down on both sides", "fault, not cut yet", "still cut"]
        happen += ["links that are cut are read", "write of the fault vector beside a neighbour's"]
    return tuple(happen)


BENCH = Bench(
    unit="common.control_port:ControlPort",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.common.contract.units:Control",
)


class NearEnd(ControlPort):
    """The twin, its counters near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        config = self.config
        counters = [base + port for base in ARRAYS for port in range(config.ports)]
        counters += [Register.REPORTS + reason for reason in range(16) if config.counts(reason)]
        for register in counters + [Register.LOG_LOST] * config.counts_lost:
            self.registers[register] = LEFT & self.masks[register]
        self._update()


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.common.control_port:NearEnd",
    presets={".*_count": LEFT},
)
"""The same with counters that come to the end of their range."""
