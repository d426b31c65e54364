"""Testbench of the link pipe: words or flags of any value in every cycle, and resets."""

from cubecast.golden.crosspoint.twins.link_pipe import link_fields
from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config, forward=True, reduce=0):
    """Offer anything."""
    fields = link_fields(config, forward, reduce)
    while True:
        item = {f"i__{name}": random.getrandbits(width) for name, width in fields.items()}
        yield {"rst": chance(random, 0.02), **item}


def watch(inputs, outputs, twin):
    """Name a reset with something under way, and a field that is shown later than it came."""
    held = twin.pipe.items
    if inputs["rst"]:
        yield "reset"
    elif held and any(outputs[f"o__{name}"] != inputs[f"i__{name}"] for name in twin.fields):
        yield "later"


BENCH = Bench(
    unit="crosspoint.link_pipe:LinkPipe",
    stimulus=stimulus,
    events=("reset", "later"),
    watch=watch,
    extra={"forward": True},
    config="cubecast.golden.crosspoint.contract.units:Port",
)
