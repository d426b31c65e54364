"""Testbench of the adapter's registers: reads and writes of all addresses."""

from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, SEED_BITS, Register
from cubecast.golden.adapter.contract.word import only_policy
from cubecast.tb.common.patterns import chance, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Access registers that are there, and some that are not."""
    there = [
        Register.POLICY,
        Register.SEED,
        Register.SEED,
        *range(Register.FAULT, Register.FAULT + config.fault_entries),
    ]
    while True:
        address = random.choice(there) if chance(random, 0.8) else random.randrange(1 << ADDRESS_BITS)
        single = 1 << random.randrange(SEED_BITS + 1)
        yield {
            "rst": chance(random, 0.01),
            "address": random.randrange(config.nodes),
            "control__address": int(address),
            "control__write": chance(random, 0.3),
            "control__write_data": random.choice((0, single, single, random.getrandbits(32), sparse(random, 32))),
        }


def watch(inputs, outputs, twin):
    """Name what is written and what is read."""
    if inputs["rst"]:
        yield "reset"
        return
    if outputs["control__read_data"]:
        yield "read"
    yield f"policy {outputs['policy']}"
    if inputs["control__write"]:
        address, data = inputs["control__address"], inputs["control__write_data"]
        if address == Register.SEED:
            yield "seed" if data & 0xFFFF else "seed 0"
        if Register.FAULT <= address < Register.FAULT + twin.config.fault_entries:
            yield f"entry {address - Register.FAULT}"


def events(config, extra, options):
    """Return what can happen with these registers."""
    happen = ["reset", "seed", "seed 0", *(f"entry {i}" for i in range(config.fault_entries))]
    only = only_policy(config)
    happen += [f"policy {policy}" for policy in ([int(only)] if only is not None else range(4))]
    return (*happen, *(("read",) if config.draws or config.fault_entries else ()))


BENCH = Bench(
    unit="adapter.registers:AdapterRegisters",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
