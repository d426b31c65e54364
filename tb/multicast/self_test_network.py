"""Testbench of the self-test network: runs of its own traffic till all has arrived, and what it then says of itself."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.multicast.contract.self_test import CHECKER, Checker, Generator
from cubecast.tb.common.control_ports import write_all
from cubecast.tb.common.patterns import item, pack
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic_generator import settings

__all__ = ["BENCH"]


def stimulus(random, config, runs=3, messages=6, load=(2000, 10_000, 65_536), lost=True):
    """Run a self-test several times; every node sends up to ``messages`` messages.

    ``load``: values of the register LOAD; ``lost``: one more run, in which a node is told of faults all around it, so
    that what it sends is reported, and must be missing in the end.
    """
    outputs = yield {"rst": 1}
    outputs = yield {"rst": 0}
    for run in range(runs + lost):
        failing = run == runs
        if failing and not config.fault_tolerant:
            break
        yield from _prepare(random, config, messages, random.choice(load), failing)
        yield {"start": 1}
        outputs = yield {"start": 0}
        outputs = yield from _wait(config, random, failing)
        yield from _settle(config, outputs, failing)


def _each(config, address, values):
    """Return the inputs that write a register of every node."""
    nodes = config.nodes
    return {
        "test_address": pack([int(address)] * nodes, 6),
        "test_write": (1 << nodes) - 1,
        "test_write_data": pack(values, 32),
    }


def _prepare(random, config, messages, load, failing):
    """Write all registers, in every node other values."""
    nodes = range(config.nodes)
    values = [settings(random, config) for _ in nodes]
    for mine in values:
        # A broadcast loads the network as much as everything else together.
        mine[Generator.MIX] = mine[Generator.MIX] & 0xFFFF | random.choice((0, 30)) << 16
        mine[Generator.LIMIT] = random.randint(1, messages)
        mine[Generator.LOAD] = load
    for register in values[0]:
        yield _each(config, register, [mine[register] for mine in values])
    yield _each(config, CHECKER | Checker.SEED, [random.getrandbits(32) for _ in nodes])
    yield _each(config, CHECKER | Checker.STALL, [random.choice((0, 0, 100, 200)) for _ in nodes])
    victim = random.randrange(config.nodes)
    faults = [config.nodes - 1 if failing and node == victim else 0 for node in nodes]
    yield {"test_write": 0, **write_all(Register.FAULT, faults)}
    yield {"control_write": 0}


def _wait(config, random, failing):
    """Wait until all generators are idle, and until the network says so; return the last outputs."""
    nodes, idle, cycles = config.nodes, 0, 0
    outputs = yield {}
    while idle < 2 * nodes + 300 if failing else not outputs["passed"]:
        cycles += 1
        assert cycles < 30_000, f"not passed after {cycles} cycles, idle {outputs['idle']:#x}"
        address = pack((random.randrange(1, 128) for _ in range(nodes)), 7)
        change = {"control_address": address, "test_address": pack((random.randrange(64) for _ in range(nodes)), 6)}
        outputs = yield change
        idle = idle + 1 if outputs["idle"] == (1 << nodes) - 1 else 0
        assert not outputs["failed"], f"failed: {outputs['failed']:#x}"
    return outputs


def _settle(config, outputs, failing):
    """Read the sums, and compare them with what the network says."""
    nodes, sums = range(config.nodes), {}
    for register in (Generator.EXPECTED, Generator.EXPECTED_WORDS, Generator.SIGNATURE):
        for side in (0, CHECKER):
            yield {"test_address": pack([side | int(register)] * len(nodes), 6)}
            outputs = yield {}
            sums[register, side] = sum(item(outputs["test_read_data"], node, 32) for node in nodes) % 2**32
    equal = [sums[register, 0] == sums[register, CHECKER] for register, side in sums if side == 0]
    assert sums[Generator.EXPECTED, 0], "nothing was sent"
    if failing:
        assert not outputs["passed"], "passed, although a node was cut off"
        assert sums[Generator.EXPECTED, 0] > sums[Generator.EXPECTED, CHECKER]
    else:
        assert all(equal), f"{sums}"


def watch(inputs, outputs, twin):
    """Name the stages of a run, and what happens in the network."""
    config = twin.config
    whole = (1 << config.nodes) - 1
    if outputs["idle"] != whole:
        yield "traffic"
    elif outputs["passed"]:
        yield "passed"
    elif not inputs["rst"]:
        yield "all idle, not passed"
    if inputs["start"]:
        yield "start"
    if outputs["report_valid"]:
        yield "report"
    if any(outputs[f"link_{j}_ready"] != (1 << config.nodes * config.lanes) - 1 for j in range(config.dim)):
        yield "a lane is not ready"


def events(config, extra, options):
    """Return what can happen in these runs."""
    happen = ["traffic", "passed", "all idle, not passed", "start", "a lane is not ready"]
    if config.fault_tolerant and options.get("lost", True):
        happen.append("report")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.self_test_network:SelfTestNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
