"""Testbench of the reduction router: packets and words of a reduction on the same links, faults at both ends.

Some of the packets have no legal head, or too many words.
"""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.crosspoint.packets import packet, reasons
from cubecast.tb.crosspoint.router import Neighbours as Senders
from cubecast.tb.crosspoint.router import there
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.host import Host
from cubecast.tb.reduction.operators import Operators
from cubecast.tb.reduction.unit import Neighbours
from cubecast.tb.reduction.words import NOTHING

__all__ = ["BENCH"]


class Context:
    """What belongs to one join unit: its host, its neighbours, its node's words and operators.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the node.
    ending : str
        Of the names of its ports.
    """

    def __init__(self, random, config, ending):
        self.random, self.config, self.ending = random, config, ending
        self.host, self.own = Host(random, config), None
        self.neighbours = Neighbours(random, config, config.router.forward)
        self.operators = Operators(config, ending)

    def next(self, mood, taken):
        """Return the ports of the node, and by link the word that comes; ``taken``: links on which something is."""
        random, ending, neighbours = self.random, self.ending, self.neighbours
        access = self.host.next(mood["stop"]).items()
        change = {f"reduction{ending}__{name}": value for name, value in access}
        change[f"result{ending}__ready"] = chance(random, mood["result"])
        words = [{} for _ in range(self.config.dim)]
        for name, value in neighbours.next(mood, self.host, taken).items():
            _, j, field = name.split("__")
            words[int(j)][field] = value
        for j in range(self.config.dim):
            change[f"link_out__{j}__ready_r{ending}"] = chance(random, mood["out"])
        self.own = self.own or neighbours.own(mood, self.host)
        change[f"own{ending}__valid"] = int(self.own is not None)
        change |= {f"own{ending}__{name}": (self.own or NOTHING)[name] for name in ("data", "rop", "last")}
        return change | self.operators.next(), words

    def saw(self, outputs):
        """Take note of the flags, and of what was taken."""
        flags = (outputs[f"link_in__{j}__ready_r{self.ending}"] << j for j in range(self.config.dim))
        self.neighbours.saw(sum(flags))
        self.operators.saw(outputs)
        if self.own and outputs[f"own{self.ending}__ready"]:
            self.own = None


def stimulus(random, config):
    """Let neighbours, node and hosts act, with resets."""
    drawing = moods(
        random,
        100,
        load=(0.0, 0.3, 1.0),
        gap=(0.0, 0.3),
        illegal=(0.0, 0.0, 0.3),
        out=(0.3, 0.7, 1.0),
        eject=(0.3, 1.0),
        fault=(0.0, 0.0, 0.01) if config.router.fault_tolerant else (0.0,),
        own=(0.05, 0.5, 1.0),
        a=(0.05, 0.5, 1.0),
        b=(0.05, 0.5, 1.0),
        parent=(0.05, 0.5, 1.0),
        result=(0.1, 0.7, 1.0),
        wrong=(0.0, 0.0, 0.05),
        error=(0.0, 0.0, 0.1),
        stop=(0.0, 0.01),
        reset=(0.0, 0.005),
    )
    router, number = config.router, 0
    known = there(router)
    while True:
        senders = Senders(random, router)
        contexts = [Context(random, config, ending) for ending in config.endings]
        rst, words, address = 0, [], random.randrange(config.nodes)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                number += 1
                words = packet(random, router, number, mood["illegal"], mood["illegal"] / 4)
            valid = chance(random, mood["load"])
            change = {
                "rst": rst,
                "address": address,
                "inject__valid": valid,
                **{f"inject__{name}": value for name, value in words[0].items()},
                "eject__ready": chance(random, mood["eject"]),
                **_access(random, router, mood["fault"]),
                **senders.next(mood),
            }
            taken = sum(1 << j for j in range(config.dim) if change[f"link_in__{j}__push"] or senders.links[j].left)
            for context in contexts:
                ports, reduced = context.next(mood, taken)
                change |= ports
                for j, fields in enumerate(reduced):
                    push = fields.pop("push_r")
                    change[f"link_in__{j}__push_r{context.ending}"] = push
                    change.setdefault(f"link_in__{j}__rop", 0)
                    if push:
                        taken |= 1 << j
                        change |= {f"link_in__{j}__{field}": value for field, value in fields.items()}
            outputs = yield {name: value for name, value in change.items() if known(name)}
            senders.saw(outputs)
            for context in contexts:
                context.saw(outputs)
            if valid and outputs["inject__ready"]:
                words.pop(0)


def _access(random, router, fault):
    """Return an access to the control port: a fault that comes or goes, or a read."""
    if chance(random, fault):
        data = sparse(random, router.dim) if chance(random, 0.5) else 0
        return {"control__address": int(Register.FAULT), "control__write": 1, "control__write_data": data}
    return {"control__address": random.randrange(1 << ADDRESS_BITS), "control__write": 0, "control__write_data": 0}


def watch(inputs, outputs, twin):
    """Name what shares the links, and what waits."""
    dim = twin.config.dim
    endings = twin.config.endings
    before = recall(twin, outputs["own__ready"] or outputs["result__valid"])
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    for j in range(dim):
        if outputs[f"link_out__{j}__push"]:
            yield f"packet to {j}"
    if outputs["eject__valid"]:
        yield "ejection"
    if outputs["report__valid"]:
        yield CrosspointReason(outputs["report__reason"]).name
    if any(unit.broken for unit in twin.units):
        yield "behind a cut"
    for ending in endings:
        yield from (f"{name}{ending}" for name in _reduced(inputs, outputs, dim, ending))
    for name in ("control", *(f"reduction{ending}" for ending in endings)):
        if outputs[f"{name}__read_data"]:
            yield f"{name} read"


def _reduced(inputs, outputs, dim, ending):
    """Name what a context does."""
    for j in range(dim):
        if outputs[f"link_out__{j}__push_r{ending}"]:
            yield f"reduced to {j}"
        if inputs[f"link_in__{j}__push_r{ending}"]:
            yield f"reduced from {j}"
    if outputs[f"result{ending}__valid"]:
        yield "result" if inputs[f"result{ending}__ready"] else "the node stalls"
    if outputs[f"alarm{ending}"]:
        yield "alarm"
    if outputs.get(f"operator_1{ending}__valid"):
        yield "asked"


def events(config, extra, options):
    """Return what can happen."""
    links = range(config.dim)
    reduced = ["result", "the node stalls", "alarm", *["asked"] * bool(config.operator_latency)]
    reduced += [f"{way} {j}" for way in ("reduced to", "reduced from") for j in links]
    found = ["reset", "ejection", "control read", *(f"packet to {j}" for j in links)]
    found += [reason.name for reason in (*reasons(config.router), CrosspointReason.DATA_TOO_LONG)]
    found += ["behind a cut"] * config.router.loses_words
    found += [f"reduction{ending} read" for ending in config.endings]
    return (*found, *(f"{name}{ending}" for ending in config.endings for name in reduced))


BENCH = Bench(
    unit="reduction.router:ReductionRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
