"""Testbench of the crossbar: packet buffer units, slots and detour compete for all outputs at once."""

from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.requester import Requester

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let all requesters ask for random outputs, also for those they are not connected to.

    Outputs open, stall, are cut, and refuse what slots and the detour send.
    """
    n, ports = config.dim, range(config.ports)
    names = {f"pbu__{i}": config.ports for i in range(n)} | {f"slot__{j}": 1 for j in range(n)}
    if config.fault_tolerant:
        names["detour"] = n
    drawing = moods(
        random,
        60,
        load=(0.02, 0.1, 0.8),
        withdraw=(0.0, 0.0, 0.1),
        gap=(0.0, 0.3),
        eager=(0.0, 0.5, 1.0),
        lie=(0.0, 0.0, 0.1),
        open=(0.1, 0.5, 1.0),
        ready=(0.2, 1.0, 1.0),
        refuse=(0.0, 0.1),
        cut=(0.0, 0.0, 0.02, 0.1),
        repair=(0.1, 0.5),
        report=(0.02, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    while True:
        requesters = {name: Requester(random, config, ports, repeats=name[0] != "p") for name, ports in names.items()}
        rst, cut = 0, [0] * n
        while not rst:
            mood = next(drawing)
            ready = [chance(random, mood["ready"]) for _ in ports]
            opened = [chance(random, mood["open"]) for _ in ports]
            cut = [not chance(random, mood["repair"]) if now else chance(random, mood["cut"]) for now in cut]
            refused = 0
            for name, requester in requesters.items():
                if requester.refusable and chance(random, mood["refuse"]):
                    port = int(name[-1]) if name[0] == "s" else requester.port
                    refused |= 1 << port
                    ready[port] = 0
            rst = chance(random, mood["reset"])
            change = {"open": _mask(opened), "cut": _mask(cut), "refused": refused, "rst": rst}
            change |= {f"o__{p}__ready": ready[p] for p in ports}
            change |= {f"report__{j}__ready": chance(random, mood["report"]) for j in range(n)}
            for name, requester in requesters.items():
                sure = ready[int(name[-1])] if name[0] == "s" else _mask(ready)
                values = requester.next(mood, sure)
                change |= {f"{name}__{field}": value for field, value in values.items()}
            outputs = yield change
            for name, requester in requesters.items():
                sent_back = outputs.get(f"{name}__refused", 0)
                requester.saw(outputs[f"{name}__grant"], outputs[f"{name}__flit__ready"], sent_back)


def _mask(values):
    """Return the mask of these bits."""
    return sum(int(value) << place for place, value in enumerate(values))


def watch(inputs, outputs, twin):
    """Name which way packets go, and what happens at several outputs in one cycle."""
    config = twin.config
    n = config.dim
    sending = [p for p in range(config.ports) if outputs[f"o__{p}__valid"] and inputs[f"o__{p}__ready"]]
    if inputs["rst"]:
        if sending:
            yield "reset"
        return
    if len(sending) == config.ports:
        yield "every output sends"
    if outputs["waited"].bit_count() > 1:
        yield "waiting for several outputs"
    granted = 0
    for i in range(n):
        granted += outputs[f"pbu__{i}__grant"].bit_count() > 1
        if inputs[f"pbu__{i}__request"] & ~_connected(config, i):
            yield "request without connection"
        taken = outputs[f"pbu__{i}__grant"] & inputs[f"pbu__{i}__accept"]
        if taken:
            port = taken.bit_length() - 1
            if port == n:
                yield f"{i} to the node"
            else:
                yield f"{i} up" if port > i else f"{i} down"
    if granted:
        yield "two grants to one unit"
    for j in range(n):
        if outputs[f"slot__{j}__grant"] & inputs[f"slot__{j}__accept"]:
            yield "slot"
        if outputs[f"slot__{j}__refused"]:
            yield "slot refused"
        if outputs[f"report__{j}__valid"]:
            yield PacketReason(outputs[f"report__{j}__reason"]).name
    if config.fault_tolerant:
        if outputs["detour__grant"] & inputs["detour__accept"]:
            yield "detour"
        if outputs["detour__refused"]:
            yield "detour refused"


def _connected(config, i):
    """Return the mask of the outputs that packet buffer unit i is connected to."""
    every = (1 << config.ports) - 1
    return every & ~(1 << i) if config.contrary else every >> i + 1 << i + 1


def events(config, extra, options):
    """Return what can happen with these parameters."""
    n = config.dim
    happen = ["every output sends", "waiting for several outputs", "request without connection", "slot", "slot refused"]
    happen += ["two grants to one unit", "reset", "UNDELIVERABLE", "PACKET_CUT"]
    happen += [f"{i} to the node" for i in range(n)] + [f"{i} up" for i in range(n - 1)]
    if config.contrary:
        happen += [f"{i} down" for i in range(1, n)]
    if config.fault_tolerant:
        happen += ["detour", "detour refused"]
    return tuple(happen)


BENCH = Bench(
    unit="packet.crossbar:Crossbar",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
