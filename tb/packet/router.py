"""Testbench of the packet router: every link, the node and the control port at once."""

from cubecast.golden.common.contract.axi import registers_of
from cubecast.golden.common.contract.control import Register
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.injector import KINDS, Injector, make
from cubecast.tb.packet.neighbour import ParallelNeighbour, SerialNeighbour

__all__ = ["BENCH"]


CALM = {"gap": 0, "polite": 1, "fickle": 0, "truncate": 0, "malformed": 0, "rude": 0, "start": 0, "refuse": 0}
"""A mood in which all that was begun is sent to the end, and nothing new."""


def stimulus(random, config):
    """Send packets of every kind into every link and from the node; neighbours and node stall, refuse and break off.

    The fault vector is written at any time, resets come in the middle. Now and then all is let go, and everything
    has to come out.
    """
    n, serial = config.dim, config.link == "serial"
    known = registers_of(config.control).readable
    kind = SerialNeighbour if serial else ParallelNeighbour
    packet = config.head_bits + config.max_words * (config.width + 2) if serial else config.max_words + 1
    drawing = moods(
        random,
        3 * packet if serial else 100,
        gap=(0.0, 0.3),
        polite=(0.0, 1.0),
        fickle=(0.0, 0.3),
        load=(0.02, 1.0),
        start=(0.02, 0.5, 1.0),
        truncate=(0.0, 0.0, 0.3 if serial else 0.05),
        malformed=(0.0, 0.4),
        rude=(0.0, 0.0, 0.0, 0.1),
        ready=(0.1, 0.7, 1.0),
        refuse=(0.0, 0.3, 1.0),
        eject=(0.05, 0.7, 1.0),
        faults=(0.0, 0.003, 0.01, 0.1),
        reset=(0.0, 0.0, 0.4 / packet if serial else 0.2 / packet),
        drain=(0.0, 0.3 / packet if serial else 0.1 / packet),
    )
    while True:
        address = random.randrange(config.nodes)
        neighbours = [kind(random, config, address, j) for j in range(n)]
        injector, rst, outputs, drain = Injector(random, config), 0, {}, 0
        change = {"rst": 0, "address": address}
        while not rst:
            mood = next(drawing)
            if not drain and outputs and chance(random, mood["drain"]):
                drain = 100 * packet * (config.rows + 4)
            if drain:
                mood = mood | CALM | {"ready": 1.0, "eject": 1.0, "load": 0, "faults": 0, "reset": 0}
                quiet = _quiet(config, outputs, neighbours) and not injector.waiting
                drain = 0 if quiet else drain - 1
                assert quiet or drain, "something remains inside, though everything is taken"
            if injector.waiting < 8 and chance(random, mood["load"]):
                bad = chance(random, mood["malformed"])
                injector.send(make(random, config, address, random.choice(KINDS if bad else KINDS[:3])))
            offer = injector.next(outputs.get("inject__ready", 0), mood)
            names = ("valid", "data", "last", "slots")
            change |= {f"inject__{name}": value for name, value in zip(names, offer, strict=True)}
            for neighbour in neighbours:
                change |= neighbour.next(outputs, mood)
            mark = drain > 0 or chance(random, mood["faults"])
            others = (1, 2, 3, 4, random.choice(known), random.randrange(1, 128))
            register = Register.FAULT if mark else random.choice(others)
            change["control__address"] = int(register)
            change["control__write"] = int(mark or chance(random, 0.1))
            data = random.choice((0, 1 << random.randrange(n), sparse(random, n)))
            change["control__write_data"] = 0 if drain else data
            change["eject__ready"] = chance(random, mood["eject"])
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            change = {}


def _quiet(config, outputs, neighbours):
    """Return whether nothing comes out any more and all is ready, for so many cycles."""
    name, ready = ("line", "hold") if config.link == "serial" else ("valid", "ready")
    moving = outputs["eject__valid"] or outputs["inject__ready"] != (1 << config.dim) - 1
    for j, neighbour in enumerate(neighbours):
        moving = moving or neighbour.inside or outputs[f"link_out__{j}__{name}"]
        moving = moving or outputs[f"link_in__{j}__{ready}"] != (ready == "ready")
    neighbours[0].still = 0 if moving else vars(neighbours[0]).get("still", 0) + 1
    return neighbours[0].still > 40


def watch(inputs, outputs, twin):
    """Name how many ports are busy, what stalls, what is refused, and what is reported."""
    config = twin.config
    n, serial = config.dim, config.link == "serial"
    before = recall(twin, None) or {"fault": 0}
    now = {"fault": before["fault"]}
    if inputs["control__write"] and inputs["control__address"] == Register.FAULT:
        now["fault"] = inputs["control__write_data"] * config.fault_tolerant
    sending = [j for j in range(n) if outputs[f"link_out__{j}__{'line' if serial else 'valid'}"]]
    if inputs["rst"]:
        if sending:
            yield "reset"
        return
    if len(sending) == n and outputs["eject__valid"]:
        yield "every port sends"
    if outputs["eject__valid"]:
        yield "word for the node" if inputs["eject__ready"] else "the node stalls"
        if outputs["eject__error"]:
            yield "early end for the node"
    if inputs["inject__valid"] and (inputs["inject__slots"] or 1) & ~outputs["inject__ready"]:
        yield "injection waits"
    for j in range(n):
        if serial:
            if outputs[f"link_in__{j}__hold"] and inputs[f"link_in__{j}__line"]:
                yield "the router holds"
            if inputs[f"link_out__{j}__hold"] and outputs[f"link_out__{j}__line"]:
                yield "the neighbour holds"
            continue
        if not outputs[f"link_in__{j}__ready"]:
            yield "not ready"
        if outputs[f"link_in__{j}__refusing"]:
            yield "refusing"
        if outputs[f"link_out__{j}__valid"] and outputs[f"link_out__{j}__head"]:
            yield "contrary head" if outputs[f"link_out__{j}__data"] >> config.head_bits - 1 else "head"
            if before.get(f"out {j}"):
                yield "a head after a word"
        now[f"out {j}"] = outputs[f"link_out__{j}__valid"]
        if inputs[f"link_in__{j}__valid"] and before["fault"] >> j & 1:
            yield "word over a cut link"
    if outputs["report__valid"]:
        yield PacketReason(outputs["report__reason"]).name
        yield f"report of lane {outputs['report__lane']}"
    if outputs["multiple_faults"]:
        yield "multiple faults"
    if any(slot.via and slot.busy for slot in twin.node_output.slots):
        yield "a packet of the node goes another way"
    if outputs["control__read_data"] >> 31:
        yield "log entry read"
    recall(twin, now)


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["every port sends", "word for the node", "the node stalls", "early end for the node", "injection waits"]
    happen += ["reset", "BAD_SLOT", "LINK_PROTOCOL", "TRUNCATED", "ADDRESS_BITS", "DATA_TOO_LONG"]
    happen += ["log entry read"] * bool(config.log_depth)
    happen += ["report of lane 0", "report of lane 2"]
    if config.link == "serial":
        happen += ["the router holds", "the neighbour holds"]
    else:
        happen += ["not ready", "head"]
        if config.max_words > 2:
            happen.append("a head after a word")
        if config.contrary:
            happen.append("contrary head")
        if config.contrary and config.rows < 4:
            happen.append("refusing")
    if config.fault_tolerant:
        happen += ["UNDELIVERABLE", "PACKET_CUT", "INPUT_CUT", "multiple faults", "report of lane 1"]
        happen.append("a packet of the node goes another way")
    return tuple(happen)


BENCH = Bench(
    unit="packet.router:PacketRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
