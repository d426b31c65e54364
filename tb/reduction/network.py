"""Testbench of the reduction network: operations on trees beside packets, late members, wrong ones, aborts, dead links.

Every result of an operation whose members do as they should is compared with what it has to be.
"""

from collections import deque

from cubecast.golden.common.contract.control import Register as RouterRegister
from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.algorithms.operations import KINDS, Collective
from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import plan_group, plan_groups
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, TICK, Register
from cubecast.golden.reduction.contract.word import Operation
from cubecast.tb.common.patterns import chance, item, moods, pack, recall
from cubecast.tb.crosspoint.network import Nodes
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.host import ABORT, ENABLE

__all__ = ["BENCH"]

ROUNDS = ("one", "groups", "late", "wrong", "reset", "cut", "one")
"""What a run does: one tree; two, side by side; a member that is late; one that offers another operation, after which
all is aborted; a reset in the middle; a link of the tree that is cut, after which another one is configured."""

LONG = 10
"""Words of the longest stream."""


class Members:
    """What the members of one or several trees offer and get.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the network.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.words = [deque() for _ in range(config.nodes)]
        self.expected = [deque() for _ in range(config.nodes)]
        self.valid = 0
        # Nodes that offer nothing.
        self.silent = 0

    def add(self, tree):
        """Draw an operation for all members of a tree, with its results."""
        random, width = self.random, self.config.width
        kind, operation = random.choice(KINDS), random.choice(tuple(Operation))
        # The parts of an all-gather make one stream.
        most = max(1, LONG // len(tree.members)) if kind == "all-gather" else LONG
        length = random.choice((1, random.randint(1, most)))
        vectors = {node: tuple(random.getrandbits(width) for _ in range(length)) for node in tree.members}
        collective = Collective(kind, vectors, operation, random.choice(tree.members))
        ends = [0] * (collective.length - 1) + [1]
        for node in tree.members:
            offered = zip(collective.offered(node), ends, strict=True)
            self.words[node].extend((data, int(collective.rop), last) for data, last in offered)
            self.expected[node].extend(zip(collective.results(width), ends, strict=True))

    def offer(self, mood):
        """Return what the nodes drive."""
        for node, words in enumerate(self.words):
            if words and not self.silent >> node & 1 and chance(self.random, mood["own"]):
                self.valid |= 1 << node
        heads = [words[0] if words else (0, 0, 0) for words in self.words]
        ready = sum(chance(self.random, mood["result"]) << node for node in range(self.config.nodes))
        widths = (self.config.width, OPERATION_BITS, 1)
        names = zip(("own_data", "own_rop", "own_last"), zip(*heads, strict=True), widths, strict=True)
        return {
            "own_valid": self.valid,
            **{name: pack(values, bits_each) for name, values, bits_each in names},
            "result_ready": ready,
        }

    def see(self, change, outputs, checked):
        """Take note of what has moved; ``checked``: results are what they have to be."""
        for node in bits(self.valid & outputs["own_ready"]):
            self.words[node].popleft()
            self.valid ^= 1 << node
        for node in bits(outputs["result_valid"] & change["result_ready"]):
            data = item(outputs["result_data"], node, self.config.width)
            last, error = (outputs[f"result_{name}"] >> node & 1 for name in ("last", "error"))
            if checked:
                assert self.expected[node], f"node {node} gets {data:x}, and nothing was offered"
                wanted = (*self.expected[node].popleft(), 0)
                assert (data, last, error) == wanted, f"node {node} gets {(data, last, error)}, not {wanted}"

    @property
    def over(self):
        """Whether everything has been offered and has come."""
        return not any(self.words) and not any(self.expected)


class Run:
    """A network with its host: packets beside everything that is done.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the network.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.everyone = (1 << config.nodes) - 1
        self.packets = Nodes(random, config.router, whole=False)
        self.members = Members(random, config)
        self.checked = True
        self.drawing = moods(
            random,
            30,
            load=(0.0, 0.3, 1.0),
            gap=(0.0,),
            illegal=(0.0,),
            long=(0.0,),
            eject=(0.5, 1.0, 1.0),
            own=(0.1, 0.5, 1.0, 1.0),
            result=(0.3, 0.7, 1.0),
        )

    def cycle(self, address=None, values=None, control=None):
        """Let one cycle pass; write these values, by node, to a register, or ``control`` to the fault vectors."""
        config, mood = self.config, next(self.drawing)
        values = values or {}
        places = [self.random.randrange(1 << ADDRESS_BITS) for _ in range(config.nodes)]
        for node in values:
            places[node] = int(address)
        writes = control or {}
        change = {
            **self.packets.offer(mood, True),
            **self.members.offer(mood),
            "reduction_address": pack(places, ADDRESS_BITS),
            "reduction_write": sum(1 << node for node in values),
            "reduction_write_data": pack((values.get(node, 0) for node in range(config.nodes)), DATA_BITS),
            "control_address": pack([int(RouterRegister.FAULT)] * config.nodes, CONTROL_BITS),
            "control_write": sum(1 << node for node in writes),
            "control_write_data": pack((writes.get(node, 0) for node in range(config.nodes)), DATA_BITS),
        }
        outputs = yield change
        self.packets.see(change, outputs)
        self.members.see(change, outputs, self.checked)
        return outputs

    def configure(self, *trees):
        """Configure trees; their nodes are enabled in any order, while members offer already."""
        tables = {}
        for tree in trees:
            tables |= tree_tables(self.config, tree)
        # Nodes of no tree have none.
        idle = {"TREE": 0xFFF, "CTRL": 0}
        everyone = {node: tables.get(node, idle) for node in range(self.config.nodes)}
        yield from self.cycle(Register.CTRL, dict.fromkeys(everyone, 0))
        yield from self.cycle(Register.TREE, {node: table["TREE"] for node, table in everyone.items()})
        yield from self.cycle(Register.TIMEOUT, dict.fromkeys(everyone, 1))
        nodes = list(everyone)
        self.random.shuffle(nodes)
        while nodes:
            some = [nodes.pop() for _ in range(min(len(nodes), self.random.randint(1, 3)))]
            yield from self.cycle(Register.CTRL, {node: everyone[node]["CTRL"] for node in some})

    def operate(self, trees, count):
        """Let the members of each tree do so many operations, and wait until all results have come."""
        for tree in trees:
            for _ in range(count):
                self.members.add(tree)
        for _ in range(4000):
            yield from self.cycle()
            if self.members.over:
                return
        raise AssertionError("the operations do not come to an end")

    def rest(self):
        """Read STATUS of all nodes: nothing is in any unit, and nothing was wrong."""
        for _ in range(2):
            yield from self.cycle()
        outputs = yield from self._status(0)
        for node in range(self.config.nodes):
            status = item(outputs["reduction_read_data"], node, DATA_BITS)
            assert status == 8, f"STATUS of node {node} is {status:x}"

    def _status(self, clears):
        """Write to STATUS of all nodes; return the outputs of the cycle after, which show it."""
        everyone = dict.fromkeys(range(self.config.nodes), clears)
        yield from self.cycle(Register.STATUS, everyone)
        return (yield from self.cycle())

    def abort(self):
        """Abort everywhere, forget what was offered, and wait until all has been dropped."""
        config = self.config
        yield from self.cycle(Register.CTRL, dict.fromkeys(range(config.nodes), ENABLE | ABORT))
        self.members = Members(self.random, config)
        hops = 4 + config.router.forward + config.router.backward
        for _ in range(config.reduce_depth + hops * config.dim + 8):
            yield from self.cycle()
        yield from self._status(7)


def stimulus(random, config, rounds=ROUNDS, operations=6):
    """Run the rounds.

    Parameters
    ----------
    random : Random
        Draws everything.
    config : ReductionConfig
        Parameters of the network.
    rounds : sequence of str
        Of :data:`ROUNDS`.
    operations : int
        How many each tree does in a round.
    """
    run = Run(random, config)
    for kind in rounds:
        if kind != "cut" or config.router.fault_tolerant:
            yield from ROUND[kind](run, operations)


def _one(run, operations):
    """One tree over all nodes."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    yield from run.operate([tree], operations)
    yield from run.rest()


def _groups(run, operations):
    """Two trees side by side, each over half of the nodes."""
    j = run.random.randrange(run.config.dim)
    halves = [{node for node in range(run.config.nodes) if node >> j & 1 == side} for side in (0, 1)]
    trees = plan_groups(run.config.dim, halves)
    yield from run.configure(*trees)
    yield from run.operate(trees, operations)
    yield from run.rest()


def _late(run, operations):
    """A member offers nothing for longer than TIMEOUT says."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    run.members.silent = 1 << run.random.randrange(run.config.nodes)
    run.members.add(tree)
    alarm = 0
    for _ in range(TICK + 20 * run.config.dim):
        outputs = yield from run.cycle()
        alarm |= outputs["alarm"]
    assert alarm, "no node says that a member is late"
    run.members.silent = 0
    yield from run.operate([tree], operations)
    yield from run._status(7)
    yield from run.rest()


def _wrong(run, operations):
    """A member offers another operation than all others; everything is aborted."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    yield from run.operate([tree], 1)
    run.checked = False
    for _ in range(operations):
        run.members.add(tree)
    words = run.members.words[run.random.choice(tree.members)]
    place = run.random.randrange(len(words))
    data, rop, last = words[place]
    words[place] = (data, rop ^ 1, last) if run.random.getrandbits(1) else (data, rop, 1 - last)
    alarm = error = 0
    for _ in range(1000):
        outputs = yield from run.cycle()
        alarm |= outputs["alarm"]
        error |= outputs["result_valid"] & outputs["result_error"]
        if alarm and error:
            break
    assert alarm, "nobody sees that the operations differ"
    assert error, "no result is marked"
    yield from run.abort()
    run.checked = True


def _reset(run, operations):
    """A reset in the middle of everything."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    for _ in range(operations):
        run.members.add(tree)
    for _ in range(run.random.randint(5, 40)):
        yield from run.cycle()
    yield {"rst": 1, "own_valid": 0, "inject_valid": 0, "reduction_write": 0, "control_write": 0}
    run.packets, run.members = Nodes(run.random, run.config.router, whole=False), Members(run.random, run.config)
    yield {"rst": 0}


def _cut(run, operations):
    """A link of the tree is cut in the middle; then a tree without it is configured."""
    config, random = run.config, run.random
    tree = plan_group(config.dim, seed=random.getrandbits(20))
    yield from run.configure(tree)
    for _ in range(operations):
        run.members.add(tree)
    for _ in range(random.randint(5, 30)):
        yield from run.cycle()
    node = random.choice(sorted(tree.parents))
    link = node, tree.parents[node]
    run.checked = False
    yield from run.cycle(control={node: node ^ tree.parents[node]})
    for _ in range(10):
        yield from run.cycle()
    yield from run.abort()
    run.checked = True
    around = plan_group(config.dim, links=[link])
    yield from run.configure(around)
    yield from run.operate([around], operations)
    yield from run.rest()
    yield from run.cycle(control={node: 0})


ROUND = {"one": _one, "groups": _groups, "late": _late, "wrong": _wrong, "reset": _reset, "cut": _cut}
"""Name to round."""


def watch(inputs, outputs, twin):
    """Name what is on the links, and what nodes see."""
    config = twin.config
    before = recall(twin, outputs["result_valid"] or outputs["own_ready"])
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    for j in range(config.dim):
        if outputs[f"link_{j}_push_r"]:
            yield f"reduced over {j}"
            if outputs[f"link_{j}_push"]:
                yield "packets beside"
    if outputs["alarm"]:
        yield "alarm"
    if outputs["result_valid"] & ~inputs["result_ready"]:
        yield "a node stalls"
    if inputs["own_valid"] & ~outputs["own_ready"]:
        yield "a node waits"
    if outputs["result_valid"] & outputs["result_error"]:
        yield "error"


def events(config, extra, options):
    """Return what can happen in such a network."""
    found = ["reset", "packets beside", "alarm", "a node stalls", "a node waits", "error"]
    return (*found, *(f"reduced over {j}" for j in range(config.dim)))


BENCH = Bench(
    unit="reduction.network:ReductionNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
