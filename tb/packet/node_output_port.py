"""Testbench of the node output port: all slots and the detour, with a node and a crossbar that do as they like."""

from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.injector import KINDS, Injector, make

__all__ = ["BENCH"]


def stimulus(random, config):
    """Load packets of every kind, mixed, and some moods noise; grants, stalls, refusals and faults at any time."""
    n, live = config.dim, config.fault_tolerant
    streams = [f"slot__{j}" for j in range(n)] + (["detour"] if live else [])
    drawing = moods(
        random,
        80,
        load=(0.2, 1.0),
        malformed=(0.0, 0.3),
        noise=(0.0, 0.0, 0.0, 1.0),
        gap=(0.0, 0.3),
        polite=(0.0, 1.0),
        fickle=(0.0, 0.5),
        grant=(0.0, 0.0, 0.5),
        ready=(0.2, 1.0),
        refuse=(0.0, 0.2),
        refusing=(0.0, 0.5, 1.0),
        way=(0.02, 0.3, 1.0),
        fault=(0.0, 0.02, 0.02, 0.3),
        report=(0.1, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    while True:
        address = random.randrange(config.nodes)
        injector, begun = Injector(random, config), dict.fromkeys(streams, False)
        rst = fault = ready = 0
        change = {"address": address}
        while not rst:
            mood = next(drawing)
            if injector.waiting < 12 and chance(random, mood["load"]):
                kind = random.choice(KINDS) if chance(random, mood["malformed"]) else "unicast"
                if chance(random, 0.1):
                    kind = "broadcast"
                injector.send(make(random, config, address, kind))
            if mood["noise"]:
                word = random.choice((address, random.randrange(config.nodes), random.getrandbits(config.width)))
                offer = chance(random, 0.7), word, chance(random, 0.4), sparse(random, n)
                injector = Injector(random, config)
            else:
                offer = injector.next(ready, mood)
            names = ("valid", "data", "last", "slots")
            change |= {f"inject__{name}": value for name, value in zip(names, offer, strict=True)}
            change["refusing"] = sum(chance(random, mood["refusing"]) << j for j in range(n))
            for j in range(n):
                change[f"slot__{j}__grant"] = chance(random, mood["grant"])
                change[f"report__{j}__ready"] = chance(random, mood["report"])
            if live:
                if chance(random, mood["fault"]):
                    one = 1 << random.randrange(n)
                    # All but one link, so that several slots want a detour.
                    fault = random.choice((0, one, (1 << n) - 1 ^ one, (1 << n) - 1 ^ one, sparse(random, n)))
                change |= {"fault": fault, "detour__grant": sum(chance(random, mood["way"]) << j for j in range(n))}
            for stream in streams:
                refused = begun[stream] and chance(random, mood["refuse"])
                change[f"{stream}__refused"] = int(refused)
                change[f"{stream}__flit__ready"] = int(not refused and chance(random, mood["ready"]))
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            ready = outputs["inject__ready"]
            for stream in streams:
                if change[f"{stream}__refused"]:
                    begun[stream] = False
                elif outputs[f"{stream}__flit__valid"] and change[f"{stream}__flit__ready"]:
                    begun[stream] = not outputs[f"{stream}__flit__last"]
            change = {}


def watch(inputs, outputs, twin):
    """Name what is loaded together, and what the slots and the detour do."""
    config = twin.config
    n = config.dim
    before = recall(twin, None) or {"detours": 0}
    if inputs["rst"]:
        if any(outputs[f"slot__{j}__flit__valid"] for j in range(n)):
            yield "reset"
        return
    slots = inputs["inject__slots"] or 1
    if inputs["inject__valid"]:
        if slots & ~outputs["inject__ready"]:
            yield "one slot of several is not ready" if slots & outputs["inject__ready"] else "not ready"
        elif slots & slots - 1:
            yield "word for several slots"
        else:
            yield "word"
    if outputs["committed"]:
        yield "committed"
    sending = [j for j in range(n) if outputs[f"slot__{j}__flit__valid"] and inputs[f"slot__{j}__flit__ready"]]
    if len(sending) == n:
        yield "all slots send"
    for j in range(n):
        if outputs[f"slot__{j}__accept"] and outputs[f"slot__{j}__flit__valid"]:
            yield "prefetched"
        if inputs[f"slot__{j}__refused"]:
            yield "slot refused"
        if outputs[f"report__{j}__valid"]:
            yield PacketReason(outputs[f"report__{j}__reason"]).name
    now = {"detours": 0}
    if config.fault_tolerant:
        asked = outputs["detour__request"]
        if outputs["detour__accept"]:
            yield "detour"
            assert not inputs["fault"] & outputs["detour__accept"], "a detour over a faulty link"
        if asked & ~inputs["detour__grant"]:
            yield "detour waits"
        if inputs["detour__grant"] & ~asked:
            yield "grant for no detour"
        if before["detours"] and not asked and not outputs["detour__flit__valid"]:
            yield "detour given up, or held back"
        if inputs["detour__refused"]:
            yield "detour refused"
        if outputs["detour__flit__valid"]:
            yield "detour sends" if inputs["detour__flit__ready"] else "detour stalls"
            if sending:
                yield "detour and slot send"
        now["detours"] = asked
    recall(twin, now)


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["word", "word for several slots", "not ready", "one slot of several is not ready", "committed"]
    happen += ["all slots send", "prefetched", "reset", "slot refused", "BAD_SLOT", "ADDRESS_BITS", "DATA_TOO_LONG"]
    if config.fault_tolerant:
        happen += ["detour", "detour waits", "grant for no detour", "detour given up, or held back", "detour refused"]
        happen += ["detour sends", "detour stalls", "detour and slot send", "UNDELIVERABLE"]
    return tuple(happen)


BENCH = Bench(
    unit="packet.node_output_port:NodeOutputPort",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
