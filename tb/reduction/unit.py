"""Testbench of the join unit: a host, neighbours that heed its flags, a node, and links that stall."""

from collections import deque

from cubecast.golden.reduction.contract.registers import TICK, Register
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.host import Host
from cubecast.tb.reduction.operators import Operators
from cubecast.tb.reduction.words import NOTHING, Operands, shown, word

__all__ = ["BENCH", "Neighbours"]

OPERANDS = ("own", "a", "b")
"""What a word may wait for."""

QUICK = dict.fromkeys((*OPERANDS, "parent", "taken", "result"), 0.7)
"""A mood in which nothing is waited for but what is absent."""


class Neighbours:
    """Words of the neighbours that the tree has, which they send while the unit has room.

    A flag is known here a cycle late. Where a link has registers it is late by as many cycles as there, which is all
    that the flags allow; where it has none a word does not follow another right away.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the node.
    late : int
        Registers between a flag and the words that it lets go.
    """

    def __init__(self, random, config, late):
        self.random, self.config, self.late = random, config, late
        self.flags = deque([0] * max(1, self.late), maxlen=max(1, self.late))
        self.sent = [False] * config.dim
        self.operands = None

    def next(self, mood, host, busy=0):
        """Return what comes over the links.

        Parameters
        ----------
        mood : dict
            How probably each neighbour sends.
        host : Host
            Says which neighbours the tree has, and whether they send.
        busy : int
            Mask of the links that packets take.
        """
        random, flag = self.random, self.flags[0]
        links = host.links if host.running else None
        if links is None:
            self.operands = None
        elif self.operands is None:
            # What the node and its children offer belongs together; results are of an operation of their own.
            self.operands = Operands(random, self.config, OPERANDS)
            self.results = Operands(random, self.config, ("parent",))
        change = {}
        places = {link: name for name, link in (links or {}).items() if link is not None}
        for j in range(self.config.dim):
            sent = NOTHING
            name = "a" if host.dropping else places.get(j)
            free = not busy >> j & 1 and not (self.sent[j] and not self.late)
            # What comes during an abort is dropped, whatever the flags say.
            send = name and free and (host.dropping or flag >> j & 1) and chance(random, mood[name])
            if send:
                sent = self._word(name, mood)
            self.sent[j] = bool(send)
            change |= shown(f"link__{j}", {"push_r": int(bool(send)), **sent})
        return change

    def own(self, mood, host):
        """Return the next word of the node, any word while the unit drops them all; None: it has none now."""
        if not (self.operands or host.dropping) or not chance(self.random, mood["own"]):
            return None
        return self.operands.next("own", mood["wrong"]) if self.operands else word(self.random, self.config)

    def _word(self, name, mood):
        """Return the next word of a neighbour, any word while the unit drops them all."""
        if self.operands is None:
            return word(self.random, self.config)
        operands = self.results if name == "parent" else self.operands
        return operands.next(name, mood["wrong"]) | {"error": chance(self.random, mood["error"])}

    def saw(self, ready):
        """Take note of the flags."""
        self.flags.append(ready)


def stimulus(random, config):
    """Let host, node and neighbours act, with stops and resets."""
    drawing = moods(
        random,
        100,
        own=(0.05, 0.5, 1.0),
        a=(0.05, 0.5, 1.0),
        b=(0.05, 0.5, 1.0),
        parent=(0.05, 0.5, 1.0),
        taken=(0.1, 0.7, 1.0),
        result=(0.1, 0.7, 1.0),
        wrong=(0.0, 0.0, 0.05),
        error=(0.0, 0.0, 0.1),
        stop=(0.0, 0.01),
        cut=(0.0, 0.0, 0.02),
        reset=(0.0, 0.002),
    )
    late = config.router.forward + config.router.backward
    while True:
        host, neighbours = Host(random, config), Neighbours(random, config, late)
        operators = Operators(config)
        rst, own, away, left = 0, None, None, 0
        while not rst:
            mood = next(drawing)
            if host.running and not left and chance(random, 0.004):
                children = [name for name in ("a", "b") if host.links[name] is not None]
                away, left = random.choice(("own", *children)), TICK + random.randrange(80)
            if left:
                # One operand does not come for longer than TIMEOUT allows, if it is set; all others do.
                mood, left = mood | QUICK | {away: 0.0, "stop": 0.0, "reset": 0.0}, left - 1
            rst = chance(random, mood["reset"])
            access = host.next(mood["stop"])
            cut = 0
            if config.router.loses_words:
                cut = sum(chance(random, mood["cut"]) << j for j in range(config.dim))
            change = neighbours.next(mood, host)
            change |= {f"link__{j}__push_r": 0 for j in range(config.dim) if cut >> j & 1}
            own = own or neighbours.own(mood, host)
            offered = own or NOTHING
            outputs = yield {
                "rst": rst,
                **change,
                **({"cut": cut} if config.router.loses_words else {}),
                **{f"output__{j}__taken": chance(random, mood["taken"]) for j in range(config.dim)},
                "own__valid": int(own is not None),
                **{f"own__{name}": offered[name] for name in ("data", "rop", "last")},
                "result__ready": chance(random, mood["result"]),
                **{f"control__{name}": value for name, value in access.items()},
                **operators.next(),
            }
            operators.saw(outputs)
            neighbours.saw(outputs["ready_r"])
            if own and outputs["own__ready"]:
                own = None


def watch(inputs, outputs, twin):
    """Name what comes, what leaves, and what waits."""
    dim = twin.config.dim
    before = recall(twin, outputs["ready_r"])
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    for j in range(dim):
        if inputs[f"link__{j}__push_r"]:
            yield f"from {j}"
        if outputs[f"output__{j}__request"]:
            yield f"to {j}" if inputs[f"output__{j}__taken"] else "a link stalls"
            if outputs[f"output__{j}__error"]:
                yield "marked"
    if twin.broken:
        yield "behind a cut"
    if before and before & ~outputs["ready_r"] and outputs["ready_r"]:
        yield "a link closes"
    if inputs["own__valid"]:
        yield "own" if outputs["own__ready"] else "the node waits"
    if outputs["result__valid"]:
        yield "result" if inputs["result__ready"] else "the node stalls"
    if twin.registers.abort:
        yield "abort"
        if any(inputs[f"link__{j}__push_r"] for j in range(dim)):
            yield "dropped"
    if outputs["alarm"]:
        yield "alarm"
    # In the next cycle it is late, and waited for by itself.
    ends = twin.registers.timer == TICK - 1 and twin.registers.values[Register.TIMEOUT] == 1
    if ends and (twin.read(Register.WAIT) & 7).bit_count() == 1:
        yield "late"
    if outputs["control__read_data"]:
        yield "register read"


def events(config, extra, options):
    """Return what can happen."""
    found = ["reset", "a link stalls", "marked", "a link closes", "own", "the node waits", "result", "the node stalls"]
    found += ["abort", "dropped", "alarm", "late", "register read", *["behind a cut"] * config.router.loses_words]
    return (*found, *(f"{way} {j}" for way in ("from", "to") for j in range(config.dim)))


BENCH = Bench(
    unit="reduction.unit:ReductionUnit",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
