"""Testbench of the load router: traffic of every kind over links whose far ends open and close."""

from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.crosspoint.load_node import noise, traffic
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send nothing."""
    drawing = moods(random, 50, ready=(0.1, 0.7, 1.0))
    flags = ("ready", "ready_up") if config.runs == 2 else ("ready",)
    while True:
        yield {"rst": 1, "load": 0, "enable": 0} | noise(random, config)
        change = {"rst": 0, "load": 1, "address": random.randrange(config.nodes)} | traffic(random, config)
        for _ in range(random.choice((60, 300))):
            mood = next(drawing)
            change |= {"enable": 1, "control__address": random.getrandbits(ADDRESS_BITS)}
            change["control__write_data"] = random.getrandbits(DATA_BITS)
            for j in range(config.dim):
                change |= {f"link_out__{j}__{name}": chance(random, mood["ready"]) for name in flags}
            yield change
            change = {"load": 0}


def watch(inputs, outputs, twin):
    """Name what is sent, and what is said."""
    before = recall(twin, inputs["rst"])
    if inputs["rst"] or before is None:
        return
    if outputs["sent__valid"]:
        yield "sent"
    for j in range(twin.router.config.dim):
        if outputs[f"link_out__{j}__push"]:
            yield f"link {j}"
    if outputs["control__read_data"]:
        yield "register read"
    if not outputs["idle"] and not outputs["sent__valid"]:
        yield "stalls"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    return ("sent", "register read", "stalls", *(f"link {j}" for j in range(config.dim)))


BENCH = Bench(
    unit="crosspoint.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
