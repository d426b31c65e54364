"""Testbench of the load router with a join unit: packets of the load node, and words of a tree of one node."""

from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, Register
from cubecast.tb.common.patterns import chance
from cubecast.tb.crosspoint.load_router import events as of_packets
from cubecast.tb.crosspoint.load_router import stimulus as packets
from cubecast.tb.crosspoint.load_router import watch as seen
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.host import DELIVER, ENABLE, MEMBER
from cubecast.tb.reduction.words import word

__all__ = ["BENCH"]


def stimulus(random, config):
    """Run the packets' rounds; in each the unit runs, and the node offers words and takes results."""
    steps = packets(random, config.router)
    change, offered, enabled = next(steps), None, False
    while True:
        if change.get("rst"):
            offered, enabled = None, False
        elif offered is None and chance(random, 0.5):
            offered = word(random, config)
        writes = not enabled and not change.get("rst")
        outputs = yield change | {
            "reduction__address": int(Register.CTRL) if writes else random.randrange(1 << ADDRESS_BITS),
            "reduction__write": int(writes),
            "reduction__write_data": ENABLE | MEMBER | DELIVER,
            "own__valid": int(offered is not None),
            **{f"own__{name}": offered[name] for name in ("data", "rop", "last") if offered},
            "result__ready": chance(random, 0.7),
        }
        enabled = enabled or writes
        if outputs["own__ready"]:
            offered = None
        change = steps.send(outputs)


def watch(inputs, outputs, twin):
    """Name what the load node does, and what the join unit does."""
    yield from seen(inputs, outputs, twin)
    if inputs["rst"]:
        return
    if outputs["result__valid"]:
        yield "result" if inputs["result__ready"] else "the node stalls"
    if outputs["own__ready"] and inputs["own__valid"]:
        yield "own word"
    if outputs["reduction__read_data"]:
        yield "read of the unit"
    if outputs["alarm"]:
        yield "alarm"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    found = ("result", "the node stalls", "own word", "read of the unit", "alarm")
    return (*of_packets(config.router, extra, options), *found)


BENCH = Bench(
    unit="reduction.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
