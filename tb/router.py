"""Bench of the router: every link, the processor and the control port at once."""

from cubecast.golden.message import Reason

from .lockstep import Bench
from .patterns import chance, moods, sparse
from .traffic import Drain, Link, Source, kinds, message, well_formed

__all__ = ["BENCH"]

WORD = ("valid", "data", "last", "error")


def stimulus(random, config):
    """Send messages of every kind into every link and from the processor; neighbours and processor stall."""
    n, dimensions = config.dim, range(config.dim)
    every = (*kinds(config), "noise")
    drawing = moods(
        random,
        150,
        gap=(0.0, 0.3),
        start=(0.0, 0.5, 0.95),
        again=(0.02, 0.3, 1.0),
        ready=(0.1, 0.7, 1.0),
        malformed=(0.0, 0.2),
        faults=(0.0, 0.01),
        reset=(0.0, 0.0, 0.01),
    )
    while True:
        links, drains = [Link(random, config) for _ in dimensions], [Drain(random, config.lanes) for _ in dimensions]
        source, address, rst = Source(random, config), random.getrandbits(n), 0
        change = {"rst": 0, "address": address}
        outputs = dict.fromkeys([f"link_in__{j}__ready" for j in dimensions], 0) | {"inject__ready": 0}
        outputs |= {f"link_out__{j}__{name}": 0 for j in dimensions for name in ("valid", "last", "lane")}
        while not rst:
            mood = next(drawing)
            for sender in (*links, source):
                if not sender.words:
                    kind = random.choice(every if chance(random, mood["malformed"]) else well_formed(config))
                    control = None if sender is source else sparse(random, n)
                    origin = address if sender is source else random.getrandbits(n)
                    sender.send(message(random, config, kind, origin, control=control).words)
            offer = source.next(outputs["inject__ready"], mood["gap"], mood["start"])
            change |= {f"inject__{name}": value for name, value in zip(WORD, offer, strict=True)}
            for j in dimensions:
                offer = links[j].next(outputs[f"link_in__{j}__ready"], mood["gap"], mood["start"])
                change |= {f"link_in__{j}__{name}": value for name, value in zip((*WORD, "lane"), offer, strict=True)}
                came = [outputs[f"link_out__{j}__{name}"] for name in ("valid", "last", "lane")]
                change[f"link_out__{j}__ready"] = drains[j].next(*came, mood["again"])
            faults = chance(random, mood["faults"])
            change["control__address"] = 0 if faults else random.choice((1, 2, 3, random.randrange(1, 128)))
            change["control__write"] = faults or chance(random, 0.1)
            change["control__write_data"] = sparse(random, n)
            change["eject__ready"] = chance(random, mood["ready"])
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            change = {}


def watch(inputs, outputs, twin):
    """Name how many ports are busy, what stalls, what is reported."""
    config = twin.config
    sending = [j for j in range(config.dim) if outputs[f"link_out__{j}__valid"]]
    if len(sending) == config.dim and outputs["eject__valid"]:
        yield "every port sends"
    if outputs["eject__valid"]:
        yield "local delivery" if inputs["eject__ready"] else "the processor stalls"
    if inputs["inject__valid"] and not outputs["inject__ready"]:
        yield "injection waits"
    if any(not outputs[f"link_in__{j}__ready"] for j in range(config.dim)):
        yield "all lanes of a channel busy"
    if any(outputs[f"link_out__{j}__lane"] for j in sending):
        yield "upper lane"
    if any(outputs[f"link_out__{j}__last"] and outputs[f"link_out__{j}__error"] for j in sending):
        yield "poisoned copy"
    if outputs["report__valid"]:
        yield Reason(outputs["report__reason"]).name
        yield "report of the injection" if outputs["report__port"] == config.dim else "report of a channel"
    if outputs["multiple_faults"]:
        yield "multiple faults"
    if outputs["control__read_data"] >> 31:
        yield "log entry read"
    if inputs["rst"] and sending:
        yield "reset"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["every port sends", "local delivery", "the processor stalls", "injection waits"]
    happen += ["all lanes of a channel busy", "poisoned copy", "report of the injection", "report of a channel"]
    happen += ["log entry read", "reset"]
    happen += [kind.upper() for kind in kinds(config) if kind.upper() in Reason.__members__]
    if config.lanes > 1:
        happen += ["upper lane", "NO_LANE"]
    if config.fault_tolerant:
        happen += ["multiple faults", "UNDELIVERABLE"]
    return tuple(happen)


BENCH = Bench(
    name="router",
    component="cubecast.rtl.router:Router",
    twin="cubecast.golden.router:Router",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
