"""Bench of the channel: one link's receiving side, a message handling unit per lane."""

from .lockstep import Bench
from .patterns import chance, moods, sparse
from .traffic import Link, kinds, message, well_formed

__all__ = ["BENCH"]


def stimulus(random, config):
    """Send messages of every kind down the link, as its lanes are ready; the ports stall, faults change."""
    n = config.dim
    outs = [f"o__{lane}__{port}__ready" for lane in range(config.lanes) for port in range(config.ports)]
    reports = [f"report__{lane}__ready" for lane in range(config.lanes)]
    drawing = moods(
        random,
        150,
        gap=(0.0, 0.3),
        start=(0.0, 0.2, 0.8),
        ready=(0.05, 0.6, 1.0),
        malformed=(0.0, 0.2),
        faults=(0.0, 0.02),
        reset=(0.0, 0.0, 0.01),
    )
    every = (*kinds(config), "noise")
    while True:
        link, rst, outputs = Link(random, config), 0, {"link__ready": 0}
        change = {"rst": 0, "address": random.getrandbits(n), "fault": 0}
        while not rst:
            mood = next(drawing)
            if not link.words:
                kind = random.choice(every if chance(random, mood["malformed"]) else well_formed(config))
                control = sparse(random, n)
                link.send(message(random, config, kind, random.getrandbits(n), control=control).words)
            if chance(random, mood["faults"]):
                change["fault"] = sparse(random, n)
            offer = link.next(outputs["link__ready"], mood["gap"], mood["start"])
            names = ("link__valid", "link__data", "link__last", "link__error", "link__lane")
            change |= dict(zip(names, offer, strict=True))
            change |= {name: chance(random, mood["ready"]) for name in (*outs, *reports)}
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            change = {}


def watch(inputs, outputs, twin):
    """Name how many lanes work at a time, and how they report."""
    config = twin.config
    ready = outputs["link__ready"]
    busy = config.lanes - ready.bit_count()
    if busy:
        yield "all lanes busy" if not ready else "some lanes busy"
        if inputs["rst"]:
            yield "reset"
    if outputs["start"]:
        yield "start in the highest lane" if inputs["link__lane"] == config.lanes - 1 else "start"
    sending = [
        lane
        for lane in range(config.lanes)
        if any(outputs[f"o__{lane}__{port}__valid"] for port in range(config.ports))
    ]
    if len(sending) > 1:
        yield "several lanes send"
    for lane in range(config.lanes):
        if outputs[f"report__{lane}__valid"]:
            yield f"report {outputs[f'report__{lane}__reason']}"


def events(config, extra, options):
    """Return what can happen with so many lanes."""
    happen = ["all lanes busy", "reset", "start in the highest lane", "report 6"]
    if config.lanes > 1:
        happen += ["some lanes busy", "start", "several lanes send", "report 7"]
    return tuple(happen)


BENCH = Bench(
    name="channel",
    component="cubecast.rtl.channel:Channel",
    twin="cubecast.golden.channel:Channel",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
