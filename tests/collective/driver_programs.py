"""Programs of the four nodes of a square over the C driver of the collective unit; they call every function of it."""

from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables
from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.registers import addresses, entries
from cubecast.tb.harness.bench import Bench
from tests.common.driver_run import cycles

__all__ = ["BENCH"]

STREAM, NO_DATA, REFUSED, BUSY = -1, -4, -5, -6

LENGTH = 7
"""Words of a vector."""


def together(cpu, step):
    """Wait until all nodes are as far."""
    cpu.reached = step
    while min(peer.reached for peer in cpu.peers) < step:
        cpu.pause()


def vector(node):
    """Return the vector of a node."""
    return [100 * node + word for word in range(LENGTH)]


def program(cpu):
    """Merge the vectors of all nodes, everybody getting the result; begin again, and end in the middle."""
    total = [sum(words) for words in zip(*map(vector, range(cpu.config.nodes)), strict=True)]
    tables = merge_tables(plan_merge(cpu.config.dim), cpu.config, LENGTH, "broadcast", "sum")
    table, where = dict(tables[cpu.number]), addresses(cpu.config)
    command = table.pop("COMMAND") & ~1
    pairs = [part for name, value in table.items() for part in (where[name], value)]
    for step in (1, 4):
        assert cpu.enable(1) == 0 and cpu.load(pairs, len(pairs) // 2) == 0 and cpu.busy() == 0
        together(cpu, step)
        assert cpu.start(command) == 0
        if step == 1:
            assert cpu.send(vector(cpu.number), LENGTH) == 0
            assert cpu.taken() == (0, total)
            assert cpu.wait() == cpu.wait_for(1) == 0
            assert cpu.get_finished() == 1 and cpu.get_strange() == 0 and cpu.get_clocks() > LENGTH
            together(cpu, 2)
    assert cpu.busy() == 1 and cpu.wait_for(0) == cpu.wait_for(3) == BUSY
    assert cpu.start(command) == cpu.load(pairs, 1) == cpu.enable(0) == REFUSED
    together(cpu, 5)
    cpu.abort()
    assert cpu.wait() == 0 and cpu.enable(0) == 0 and cpu.enable(1) == 0
    each_register(cpu)
    assert cpu.send([], 0) == NO_DATA
    cpu.deaf = True
    assert cpu.send([1], 1) == STREAM and cpu.taken() == (STREAM, [])


def each_register(cpu):
    """Write every table of the idle node, and read it back."""
    for name, entry in entries(cpu.config).items():
        places = [(place,) for place in range(entry.count)] if entry.index else [()]
        for place in places:
            low, ones = name.lower(), sum(1 << field.low for field in entry.fields)
            if name != "COMMAND" and entry.access == "RW":
                getattr(cpu, f"set_{low}")(*place, ones)
                assert getattr(cpu, f"get_{low}")(*place) == ones, name
                getattr(cpu, f"set_{low}")(*place, 0)
            elif entry.access == "RW":
                cpu.set_command(0)
            getattr(cpu, f"get_{low}")(*place)


def stimulus(random, config, **options):
    """Run the programs."""
    ports = {"device": "collective", "slave": "s_axi_collective", "streams": "axis_vector"}
    yield from cycles(random, config, axi, [program] * config.nodes, **ports, **options)


BENCH = Bench(unit="collective.axi_network:AxiCollectiveNetwork", stimulus=stimulus)
