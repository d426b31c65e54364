"""Testbench of the load network with join units: packets and operations on one tree, until all has come, as it must."""

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import plan_group
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, Register
from cubecast.tb.common.patterns import moods, pack
from cubecast.tb.crosspoint.load_network import events as of_packets
from cubecast.tb.crosspoint.load_network import stimulus as packets
from cubecast.tb.crosspoint.load_network import watch as seen
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.network import Members

__all__ = ["BENCH"]

OPERATIONS = 4
"""Operations of a round."""


def stimulus(random, config, rounds=2, cycles=150):
    """Run the packets' rounds; in each all nodes are configured, and do some operations."""
    steps, tree = packets(random, config.router, rounds, cycles), plan_group(config.dim)
    tables, drawing = tree_tables(config, tree), moods(random, 30, own=(0.5, 1.0), result=(0.5, 1.0))
    change, members, written = next(steps), None, 0
    while True:
        if change.get("rst"):
            assert members is None or members.over, "not all results have come"
            members, written = None, 0
        elif members is None:
            members = Members(random, config)
            for _ in range(OPERATIONS):
                members.add(tree)
        register = ("TREE", "CTRL")[written] if members and written < 2 else None
        mine = (members or Members(random, config)).offer(next(drawing))
        values = [tables[node][register or "TREE"] for node in range(config.nodes)]
        mine |= {
            "reduction_write": ((1 << config.nodes) - 1) * (register is not None),
            "reduction_address": pack([int(Register[register or "CTRL"])] * config.nodes, ADDRESS_BITS),
            "reduction_write_data": pack(values, DATA_BITS),
        }
        written += register is not None
        outputs = yield change | mine
        if members:
            members.see(mine, outputs, True)
        try:
            change = steps.send(outputs)
        except StopIteration:
            assert members.over, "not all results have come"
            return


def watch(inputs, outputs, twin):
    """Name what the load nodes do, and what the join units do."""
    yield from seen(inputs, outputs, twin)
    if inputs["rst"]:
        return
    for name in ("own_ready", "result_valid", "reduction_read_data", "link_0_push_r"):
        if outputs[name]:
            yield name


def events(config, extra, options):
    """Return what must happen with these parameters."""
    found = ("own_ready", "result_valid", "reduction_read_data", "link_0_push_r")
    return (*of_packets(config.router, extra, options), *found)


BENCH = Bench(
    unit="reduction.load_network:LoadNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
