"""Testbench of the ALU's control: every combination of its inputs."""

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.word import RESERVED, Operation
from cubecast.tb.common.patterns import sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

BITS = {"rop": OPERATION_BITS, **dict.fromkeys(("has_a", "has_b", "carry", "sign_a", "sign_b"), 1)}
"""Inputs, and their bits."""


def stimulus(random, config):
    """Let there be one operand at least."""
    for inputs in sweep(random, BITS):
        yield inputs | {"has_a": inputs["has_a"] | (1 - inputs["has_b"])}


def watch(inputs, outputs, twin):
    """Name operations and what is chosen for them."""
    both = inputs["has_a"] and inputs["has_b"]
    chosen = outputs["left"], outputs["right"]
    yield f"{Operation(inputs['rop'] % RESERVED).name} chooses {chosen}" if both else f"one operand: {chosen}"


def events(config, extra, options):
    """Return all operations."""
    found = ["one operand: (1, 0)", "one operand: (0, 1)", "XOR chooses (1, 1)"]
    found += [f"{name} chooses (0, 0)" for name in ("ADD", "AND", "OR")]
    compares = ("MIN", "MAX", "MIN_UNSIGNED", "MAX_UNSIGNED")
    return (*found, *(f"{name} chooses {chosen}" for name in compares for chosen in ((1, 0), (0, 1))))


BENCH = Bench(
    unit="reduction.alu_control:AluControl",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
