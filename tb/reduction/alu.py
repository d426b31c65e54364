"""Testbench of the ALU: every operation, with operands on both sides of what can go over."""

from cubecast.golden.reduction.contract.word import Operation
from cubecast.tb.common.patterns import sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

CODES = 16
"""Codes that the field of the operation has."""


def stimulus(random, config):
    """Draw operands that are far apart, near each other, equal, or at the ends of their ranges."""
    ones, sign = (1 << config.width) - 1, 1 << config.width - 1
    while True:
        a = random.choice((random.getrandbits(config.width), sparse(random, config.width), 0, ones, sign, sign - 1))
        near = (a + random.randrange(-1, 2)) & ones
        b = random.choice((random.getrandbits(config.width), sparse(random, config.width), near, a, a ^ sign, sign))
        has_a, has_b = random.choice(((1, 1), (1, 1), (1, 1), (1, 0), (0, 1)))
        yield {"a": a, "b": b, "has_a": has_a, "has_b": has_b, "rop": random.randrange(CODES)}


def watch(inputs, outputs, twin):
    """Name the operation, and how the operands lie to each other."""
    a, b, w = inputs["a"], inputs["b"], twin.config.width
    if not (inputs["has_a"] and inputs["has_b"]):
        yield "left alone" if inputs["has_a"] else "right alone"
        return
    name = Operation(inputs["rop"] % 8).name
    signs = a >> w - 1, b >> w - 1
    yield f"{name} of equal" if a == b else f"{name}, {'less' if a < b else 'greater'}, signs {signs}"
    if a + b >> w and name == "ADD":
        yield "a sum goes over"
    if inputs["rop"] >= len(Operation):
        yield "bit 3"


def events(config, extra, options):
    """Return all combinations."""
    found = ["a sum goes over", "bit 3", "left alone", "right alone", *(f"{each.name} of equal" for each in Operation)]
    for each in Operation:
        found += [f"{each.name}, {order}, signs {signs}" for order in ("less", "greater") for signs in ((0, 0), (1, 1))]
        found += [f"{each.name}, less, signs (0, 1)", f"{each.name}, greater, signs (1, 0)"]
    return tuple(found)


BENCH = Bench(
    unit="reduction.alu:Alu",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
