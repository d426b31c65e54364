"""Testbench of the operation unit: every operation on words that are equal, next to each other, sparse or random."""

from cubecast.tb.common.patterns import sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

NAMES = ("sum", "minimum", "maximum", "and", "or", "exclusive or", "custom", "other")


def stimulus(random, config, count=1500):
    """Draw an operation and its words; all inputs are 0 at the end."""
    width = config.width
    for _ in range(count):
        own = sparse(random, width)
        near = own + random.choice((-1, 1)) & (1 << width) - 1
        other = random.choice((own, near, own ^ 1 << random.randrange(width), sparse(random, width)))
        yield {
            "operation": random.randrange(8),
            "own": own,
            "other": other,
            "custom": sparse(random, width),
        }
    yield {"operation": 0, "own": 0, "other": 0, "custom": 0}


def watch(inputs, outputs, twin):
    """Name the operation and how the words compare."""
    name, own, other = NAMES[inputs["operation"]], inputs["own"], inputs["other"]
    order = "equal" if own == other else "own is smaller" if own < other else "other is smaller"
    yield f"{name}, {order}"
    if name == "sum" and own + other != outputs["result"]:
        yield "the sum wraps"


BENCH = Bench(
    unit="collective.operation_unit:OperationUnit",
    stimulus=stimulus,
    events=(
        *(f"{name}, {order}" for name in NAMES for order in ("equal", "own is smaller", "other is smaller")),
        "the sum wraps",
    ),
    watch=watch,
)
