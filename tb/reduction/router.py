"""Testbench of the reduction router: packets and words of a reduction on the same links, faults at both ends."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.crosspoint.packets import packet
from cubecast.tb.crosspoint.router import Neighbours as Senders
from cubecast.tb.crosspoint.router import there
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.host import Host
from cubecast.tb.reduction.unit import Neighbours
from cubecast.tb.reduction.words import NOTHING

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let neighbours, node and host act, with resets."""
    drawing = moods(
        random,
        100,
        load=(0.0, 0.3, 1.0),
        gap=(0.0, 0.3),
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
    while True:
        senders, host = Senders(random, router), Host(random, config)
        neighbours = Neighbours(random, config, router.forward)
        rst, own, words, address = 0, None, [], random.randrange(config.nodes)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                number += 1
                words = packet(random, router, number)
            valid = chance(random, mood["load"])
            change = {
                "rst": rst,
                "address": address,
                "inject__valid": valid,
                **{f"inject__{name}": value for name, value in words[0].items()},
                "eject__ready": chance(random, mood["eject"]),
                **_access(random, router, mood["fault"]),
                **{f"reduction__{name}": value for name, value in host.next(mood["stop"]).items()},
                **senders.next(mood),
                "result__ready": chance(random, mood["result"]),
            }
            taken = sum(1 << j for j in range(config.dim) if change[f"link_in__{j}__push"] or senders.links[j].left)
            for name, value in neighbours.next(mood, host, taken).items():
                _, j, field = name.split("__")
                # The other fields are the packet's where there is one.
                if field in ("push_r", "rop") or change[f"link_in__{j}__push"] == 0:
                    change[f"link_in__{j}__{field}"] = value
            for j in range(config.dim):
                change[f"link_out__{j}__ready_r"] = chance(random, mood["out"])
            if own is None and neighbours.operands and chance(random, mood["own"]):
                own = neighbours.operands.next("own", mood["wrong"])
            change["own__valid"] = int(own is not None)
            change |= {f"own__{name}": (own or NOTHING)[name] for name in ("data", "rop", "last")}
            outputs = yield {name: value for name, value in change.items() if there(router, name)}
            senders.saw(outputs)
            neighbours.saw(sum(outputs[f"link_in__{j}__ready_r"] << j for j in range(config.dim)))
            if valid and outputs["inject__ready"]:
                words.pop(0)
            if own and outputs["own__ready"]:
                own = None


def _access(random, router, fault):
    """Return an access to the control port: a fault that comes or goes, or a read."""
    if chance(random, fault):
        data = sparse(random, router.dim) if chance(random, 0.5) else 0
        return {"control__address": int(Register.FAULT), "control__write": 1, "control__write_data": data}
    return {"control__address": random.randrange(1 << ADDRESS_BITS), "control__write": 0, "control__write_data": 0}


def watch(inputs, outputs, twin):
    """Name what shares the links, and what waits."""
    dim = twin.config.dim
    before = recall(twin, outputs["own__ready"] or outputs["result__valid"])
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    for j in range(dim):
        if outputs[f"link_out__{j}__push_r"]:
            yield f"reduced to {j}"
        if outputs[f"link_out__{j}__push"]:
            yield f"packet to {j}"
        if inputs[f"link_in__{j}__push_r"]:
            yield f"reduced from {j}"
    if outputs["eject__valid"]:
        yield "ejection"
    if outputs["result__valid"]:
        yield "result" if inputs["result__ready"] else "the node stalls"
    if outputs["alarm"]:
        yield "alarm"
    for name in ("control", "reduction"):
        if outputs[f"{name}__read_data"]:
            yield f"{name} read"


def events(config, extra, options):
    """Return what can happen."""
    found = ["reset", "ejection", "result", "the node stalls", "alarm", "control read", "reduction read"]
    ways = ("reduced to", "packet to", "reduced from")
    return (*found, *(f"{way} {j}" for way in ways for j in range(config.dim)))


BENCH = Bench(
    unit="reduction.router:ReductionRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
