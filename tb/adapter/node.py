"""Testbench of the crosspoint node: neighbours that heed its flags, messages of every kind, and faults at both ends."""

from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.common.contract.control import Register as RouterRegister
from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.tb.adapter.adapter import Accesses
from cubecast.tb.adapter.messages import message
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.crosspoint.router import Neighbours, there
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let neighbours and node send, with resets."""
    router = config.router
    drawing = moods(
        random,
        80,
        load=(0.05, 0.5, 1.0),
        gap=(0.0, 0.3),
        send=(0.05, 0.5, 1.0),
        receive=(0.1, 0.7, 1.0),
        # Closed for a while, so that what is to be sent on fills its store.
        out=(0.0, 0.1, 0.7, 1.0),
        illegal=(0.0, 0.1, 0.5),
        fault=(0.0, 0.0, 0.02),
        change=(0.0, 0.02, 0.1),
        known=(0.0, 0.5),
        reset=(0.0, 0.002),
    )
    known = there(router)
    while True:
        links, words, rst = Neighbours(random, router), [], 0
        address, accesses = random.randrange(config.nodes), Accesses(random, config, "adapter")
        while not rst:
            mood = next(drawing)
            links_mood = mood if router.fault_tolerant else mood | {"fault": 0.0}
            rst = chance(random, mood["reset"])
            words = words or message(random, config, address, mood["illegal"])
            send = chance(random, mood["send"])
            change = {
                "rst": rst,
                "address": address,
                "send__valid": send,
                **{f"send__{name}": value for name, value in words[0].items()},
                "receive__ready": chance(random, mood["receive"]),
                **_access(random, config, mood["fault"]),
                **accesses.next(mood["change"], mood["known"]),
            }
            change |= links.next(links_mood)
            outputs = yield {name: value for name, value in change.items() if known(name)}
            links.saw(outputs)
            if send and outputs["send__ready"]:
                words.pop(0)


def _access(random, config, fault):
    """Return reads of all registers of the router, and writes of faults of own links, the bits above any."""
    address, write, data = random.randrange(1 << CONTROL_BITS), 0, random.getrandbits(DATA_BITS)
    if chance(random, fault):
        # Not for long: what is sent meanwhile goes hop by hop.
        address, write, mask = int(RouterRegister.FAULT), 1, (1 << config.dim) - 1
        data = data & ~mask | sparse(random, config.dim) * chance(random, 0.5)
    return {"control__address": address, "control__write": write, "control__write_data": data}


def watch(inputs, outputs, twin):
    """Name which ways words go, and what is reported."""
    n = twin.config.dim
    busy = recall(twin, not twin.quiet())
    if inputs["rst"]:
        if busy:
            yield "reset"
        return
    for j in range(n):
        if outputs[f"link_out__{j}__push"]:
            yield f"out {j}"
    if outputs["receive__valid"]:
        yield "received" if inputs["receive__ready"] else "the node stalls"
    if inputs["send__valid"] and not outputs["send__ready"]:
        yield "a message waits"
    if outputs["report__valid"]:
        assert (outputs["report__port"], outputs["report__lane"]) != (n, 0), "the adapter's packets are legal"
        yield f"port {'n' if outputs['report__port'] == n else 'j'}, lane {outputs['report__lane']}"
        if (outputs["report__port"], outputs["report__lane"]) == (n, 1):
            yield AdapterReason(outputs["report__reason"]).name
    order = twin.adapter.planner.order
    if order is not None and order.relay and order.send:
        yield "sent on"
    for name in ("control", "adapter"):
        if outputs[f"{name}__read_data"]:
            yield f"{name} read"


def events(config, extra, options):
    """Return what can happen at such a node."""
    happen = ["reset", "received", "the node stalls", "a message waits", "control read", "port n, lane 1"]
    happen += [f"out {j}" for j in range(config.dim)] + ["SHORT_MESSAGE", "EMPTY"]
    if config.router.fault_tolerant:
        happen += ["port j, lane 1", "NO_ROUTE"]
    if config.knows_faults:
        happen += ["sent on"]
        # A longer store is rarely full.
        happen += ["RELAY_FULL"] * (config.router.depth <= 16)
    if config.draws or config.fault_entries:
        happen += ["adapter read"]
    return tuple(happen)


BENCH = Bench(
    unit="adapter.node:AdapterNode",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
