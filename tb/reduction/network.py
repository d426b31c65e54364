"""Testbench of the reduction network: operations on trees beside packets, late members, wrong ones, aborts, dead links.

Every result of an operation whose members do as they should is compared with what it has to be. With two contexts all
this is done in one of them, and operations on another tree in the other one beside it, which nothing of it holds up.
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
from cubecast.tb.reduction.operators import Operators, saturated

__all__ = ["BENCH"]

ROUNDS = ("one", "groups", "late", "wrong", "reset", "cut", "mend", "one")
"""What a run does: one tree; two, side by side; a member that is late; one that offers another operation, after which
all is aborted; a reset in the middle; a link of the tree that is cut, after which another one is configured; one that
is cut for a while."""

FAULTS = ("cut", "mend")
"""Rounds that need fault vectors."""

LONG = 10
"""Words of the longest stream."""

SPEAKING = (("own", "valid"), ("reduction", "write"))
"""What makes a unit listen."""


class Members:
    """What the members of one or several trees offer and get.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the network.
    ending : str
        Of the names of the context.
    """

    def __init__(self, random, config, ending=""):
        self.random, self.config, self.ending = random, config, ending
        self.words = [deque() for _ in range(config.nodes)]
        self.expected = [deque() for _ in range(config.nodes)]
        # Nodes that have had a marked result.
        self.marked = 0
        self.valid = 0
        # Nodes that offer nothing.
        self.silent = 0
        # Whether words may be lost, and results marked from then on.
        self.may_mark = 0

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
            self.expected[node].extend(zip(self._results(collective, tree), ends, strict=True))

    def _results(self, collective, tree):
        """Return what has to come; operators of the nodes make a sum that stays at the greatest number."""
        if not self.config.operator_latency:
            return collective.results(self.config.width)
        found = [0] * collective.length
        for node in tree.members:
            pairs = zip(found, collective.offered(node), strict=True)
            found = [saturated(self.config.width, total, word) for total, word in pairs]
        return found

    def offer(self, mood):
        """Return what the nodes drive."""
        for node, words in enumerate(self.words):
            if words and not self.silent >> node & 1 and chance(self.random, mood["own"]):
                self.valid |= 1 << node
        heads = [words[0] if words else (0, 0, 0) for words in self.words]
        ready = sum(chance(self.random, mood["result"]) << node for node in range(self.config.nodes))
        widths = (self.config.width, OPERATION_BITS, 1)
        names = zip(("data", "rop", "last"), zip(*heads, strict=True), widths, strict=True)
        return {
            f"own{self.ending}_valid": self.valid,
            **{f"own{self.ending}_{name}": pack(values, bits_each) for name, values, bits_each in names},
            f"result{self.ending}_ready": ready,
        }

    def see(self, change, outputs, checked):
        """Take note of what has moved; ``checked``: results are what they have to be."""
        own, result = f"own{self.ending}", f"result{self.ending}"
        for node in bits(self.valid & outputs[f"{own}_ready"]):
            self.words[node].popleft()
            self.valid ^= 1 << node
        for node in bits(outputs[f"{result}_valid"] & change[f"{result}_ready"]):
            data = item(outputs[f"{result}_data"], node, self.config.width)
            last, error = (outputs[f"{result}_{name}"] >> node & 1 for name in ("last", "error"))
            if checked:
                assert self.expected[node], f"node {node} gets {data:x}, and nothing was offered"
                wanted = (*self.expected[node].popleft(), 0)
                self.marked |= (error & self.may_mark) << node
                if not self.marked >> node & 1:
                    assert (data, last, error) == wanted, f"node {node} gets {(data, last, error)}, not {wanted}"
                assert error == self.marked >> node & 1, f"node {node} gets {data:x} behind words that were lost"

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
        # The context in which the rounds are.
        self.ending = config.endings[0]
        self.forget()
        # Contexts in which results may be wrong.
        self.unchecked = ()
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

    @property
    def members(self):
        """What the members of the trees in this context offer and get."""
        return self.all_members[self.ending]

    @property
    def beside(self):
        """The other contexts."""
        return [ending for ending in self.config.endings if ending != self.ending]

    def forget(self, *endings):
        """Forget what is under way in these contexts; without any, all there is."""
        random, config = self.random, self.config
        if not endings:
            self.packets, self.all_members, endings = Nodes(random, config.router, whole=False), {}, config.endings
            self.operators = [Operators(config, ending, config.nodes) for ending in endings]
        self.all_members |= {ending: Members(random, config, ending) for ending in endings}

    def cycle(self, address=None, values=None, control=None, ending=None):
        """Let one cycle pass; write these values, by node, to a register, or ``control`` to the fault vectors."""
        config, mood = self.config, next(self.drawing)
        writes = control or {}
        change = self.packets.offer(mood, True)
        for each, members in self.all_members.items():
            mine = (values or {}) if each == (self.ending if ending is None else ending) else {}
            places = [self.random.randrange(1 << ADDRESS_BITS) for _ in range(config.nodes)]
            for node in mine:
                places[node] = int(address)
            change |= members.offer(mood) | {
                f"reduction{each}_address": pack(places, ADDRESS_BITS),
                f"reduction{each}_write": sum(1 << node for node in mine),
                f"reduction{each}_write_data": pack((mine.get(node, 0) for node in range(config.nodes)), DATA_BITS),
            }
        change |= {
            "control_address": pack([int(RouterRegister.FAULT)] * config.nodes, CONTROL_BITS),
            "control_write": sum(1 << node for node in writes),
            "control_write_data": pack((writes.get(node, 0) for node in range(config.nodes)), DATA_BITS),
        }
        for operators in self.operators:
            change |= operators.next()
        outputs = yield change
        self.packets.see(change, outputs)
        for each, members in self.all_members.items():
            members.see(change, outputs, each not in self.unchecked)
        for operators in self.operators:
            operators.saw(outputs)
        for j in range(config.dim):
            words = [outputs[f"link_{j}_push_r{each}"] for each in config.endings]
            assert len(words) == 1 or not words[0] & words[1], "two words are on one link"
        return outputs

    def turn(self, operations):
        """Go on in any context; in the others begin operations on a tree of all nodes."""
        self.ending = self.random.choice(self.config.endings)
        tree = plan_group(self.config.dim, seed=self.random.getrandbits(20))
        for ending in self.beside:
            yield from self.configure(tree, ending=ending)
            for _ in range(operations):
                self.all_members[ending].add(tree)

    def finish(self):
        """Wait until all results have come in the other contexts, too."""
        for ending in self.beside:
            yield from self._until(self.all_members[ending])
            yield from self.rest(ending)
            yield from self.status(7, ending)

    def configure(self, *trees, ending=None):
        """Configure trees; their nodes are enabled in any order, while members offer already."""
        tables = {}
        for tree in trees:
            tables |= tree_tables(self.config, tree)
        # Nodes of no tree have none.
        idle = {"TREE": 0xFFF, "CTRL": 0}
        everyone = {node: tables.get(node, idle) for node in range(self.config.nodes)}
        yield from self.cycle(Register.CTRL, dict.fromkeys(everyone, 0), ending=ending)
        trees_of = {node: table["TREE"] for node, table in everyone.items()}
        yield from self.cycle(Register.TREE, trees_of, ending=ending)
        yield from self.cycle(Register.TIMEOUT, dict.fromkeys(everyone, 1), ending=ending)
        nodes = list(everyone)
        self.random.shuffle(nodes)
        while nodes:
            some = [nodes.pop() for _ in range(min(len(nodes), self.random.randint(1, 3)))]
            yield from self.cycle(Register.CTRL, {node: everyone[node]["CTRL"] for node in some}, ending=ending)

    def operate(self, trees, count):
        """Let the members of each tree do so many operations, and wait until all results have come."""
        for tree in trees:
            for _ in range(count):
                self.members.add(tree)
        yield from self._until(self.members)

    def _until(self, members):
        """Wait until all results of these have come."""
        for _ in range(4000):
            yield from self.cycle()
            if members.over:
                return
        raise AssertionError("the operations do not come to an end")

    def rest(self, ending=None):
        """Read STATUS of all nodes: nothing is in any unit, and nothing was wrong but, in the others, a wait."""
        ending, mask = (self.ending, 15) if ending is None else (ending, 14)
        for _ in range(2):
            yield from self.cycle()
        outputs = yield from self.status(0, ending)
        for node in range(self.config.nodes):
            status = item(outputs[f"reduction{ending}_read_data"], node, DATA_BITS)
            assert status & mask == 8, f"STATUS of node {node} is {status:x}"

    def status(self, clears, ending=None):
        """Write to STATUS of all nodes; return the outputs of the cycle after, which show it."""
        everyone = dict.fromkeys(range(self.config.nodes), clears)
        yield from self.cycle(Register.STATUS, everyone, ending=ending)
        return (yield from self.cycle())

    def abort(self, *endings):
        """Abort everywhere, forget what was offered, and wait until all has been dropped."""
        config = self.config
        for ending in endings:
            yield from self.cycle(Register.CTRL, dict.fromkeys(range(config.nodes), ENABLE | ABORT), ending=ending)
        self.forget(*endings)
        hops = 4 + config.router.forward + config.router.backward
        for _ in range(config.reduce_depth + hops * config.dim + 8):
            yield from self.cycle()
        for ending in endings:
            yield from self.status(7, ending)


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
        if kind not in FAULTS or config.router.fault_tolerant:
            yield from run.turn(operations)
            yield from ROUND[kind](run, operations)
            yield from run.finish()


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
    # More than the queues of the others take.
    while min(len(run.members.words[node]) for node in tree.members) <= run.config.reduce_depth:
        run.members.add(tree)
    alarm = 0
    for _ in range(TICK + 20 * run.config.dim):
        outputs = yield from run.cycle()
        alarm |= outputs[f"alarm{run.ending}"]
    assert alarm, "no node says that a member is late"
    run.members.silent = 0
    yield from run.operate([tree], operations)
    yield from run.status(7)
    yield from run.rest()


def _wrong(run, operations):
    """A member offers another operation than all others; everything is aborted."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    yield from run.operate([tree], 1)
    run.unchecked = (run.ending,)
    for _ in range(operations):
        run.members.add(tree)
    words = run.members.words[run.random.choice(tree.members)]
    place = run.random.randrange(len(words))
    data, rop, last = words[place]
    words[place] = (data, rop ^ 1, last) if run.random.getrandbits(1) else (data, rop, 1 - last)
    alarm = error = 0
    for _ in range(1000):
        outputs = yield from run.cycle()
        alarm |= outputs[f"alarm{run.ending}"]
        error |= outputs[f"result{run.ending}_valid"] & outputs[f"result{run.ending}_error"]
        if alarm and error:
            break
    assert alarm, "nobody sees that the operations differ"
    assert error, "no result is marked"
    yield from run.abort(run.ending)
    run.unchecked = ()


def _reset(run, operations):
    """A reset in the middle of everything."""
    tree = plan_group(run.config.dim, seed=run.random.getrandbits(20))
    yield from run.configure(tree)
    for _ in range(operations):
        run.members.add(tree)
    for _ in range(run.random.randint(5, 40)):
        yield from run.cycle()
    silent = {f"{name}{ending}_{what}": 0 for ending in run.config.endings for name, what in SPEAKING}
    yield {"rst": 1, **silent, "inject_valid": 0, "control_write": 0}
    run.forget()
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
    run.unchecked = config.endings
    yield from run.cycle(control={node: node ^ tree.parents[node]})
    for _ in range(10):
        yield from run.cycle()
    yield from run.abort(*config.endings)
    run.unchecked = ()
    around = plan_group(config.dim, links=[link])
    yield from run.configure(around)
    yield from run.operate([around], operations)
    yield from run.rest()
    yield from run.cycle(control={node: 0})


def _mend(run, operations):
    """A link of the tree is cut for a while: all results are right, or those behind words that were lost are marked."""
    config, random = run.config, run.random
    tree = plan_group(config.dim, seed=random.getrandbits(20))
    yield from run.configure(tree)
    loses = config.router.loses_words
    for members in run.all_members.values():
        members.may_mark = loses
    for _ in range(operations):
        run.members.add(tree)
    for _ in range(random.randint(5, 30)):
        yield from run.cycle()
    node = random.choice(sorted(tree.parents))
    yield from run.cycle(control={node: node ^ tree.parents[node]})
    for _ in range(random.randint(1, 20)):
        yield from run.cycle()
    yield from run.cycle(control={node: 0})
    if loses:
        for _ in range(60):
            yield from run.cycle()
        yield from run.abort(*config.endings)
        yield from run.configure(tree)
        yield from run.operate([tree], operations)
    else:
        yield from run.operate([tree], 1)
    yield from run.rest()


ROUND = {
    "one": _one,
    "groups": _groups,
    "late": _late,
    "wrong": _wrong,
    "reset": _reset,
    "cut": _cut,
    "mend": _mend,
}
"""Name to round."""


def watch(inputs, outputs, twin):
    """Name what is on the links, and what nodes see."""
    config = twin.config
    before = recall(twin, any(outputs[f"result{each}_valid"] or outputs[f"own{each}_ready"] for each in config.endings))
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    for ending in config.endings:
        yield from (f"{name}{ending}" for name in _seen(inputs, outputs, config.dim, ending))
        if outputs[f"alarm{ending}"]:
            yield "alarm"
        if outputs[f"result{ending}_valid"] & outputs[f"result{ending}_error"]:
            yield "error"


def _seen(inputs, outputs, dim, ending):
    """Name how words of a context move."""
    for j in range(dim):
        if outputs[f"link_{j}_push_r{ending}"]:
            yield f"reduced over {j}"
            if outputs[f"link_{j}_push"]:
                yield "packets beside"
    if outputs[f"result{ending}_valid"] & ~inputs[f"result{ending}_ready"]:
        yield "a node stalls"
    if inputs[f"own{ending}_valid"] & ~outputs[f"own{ending}_ready"]:
        yield "a node waits"


def events(config, extra, options):
    """Return what can happen in such a network."""
    found = ["packets beside", "a node stalls", "a node waits", *(f"reduced over {j}" for j in range(config.dim))]
    return ("reset", "alarm", "error", *(f"{name}{ending}" for ending in config.endings for name in found))


BENCH = Bench(
    unit="reduction.network:ReductionNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
