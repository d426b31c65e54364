"""Bench of the message handling unit: whole messages of every kind, well-formed or not."""

from cubecast.golden.message import Reason

from .lockstep import Bench
from .patterns import chance, moods, sparse
from .traffic import Source, kinds, message, well_formed

__all__ = ["BENCH"]


def stimulus(random, config):
    """Send messages of every kind with gaps; the ports stall, the fault vector changes, the reset comes in between."""
    n = config.dim
    good, every = well_formed(config), (*kinds(config), "noise")
    drawing = moods(
        random,
        150,
        gap=(0.0, 0.3, 0.8),
        start=(0.0, 0.2),
        ready=(0.1, 0.6, 1.0),
        report=(0.2, 1.0),
        malformed=(0.0, 0.2, 0.9),
        faults=(0.0, 0.02),
        reset=(0.0, 0.0, 0.02),
    )
    while True:
        source, address = Source(random, config), random.getrandbits(n)
        change = {"rst": 0, "address": address, "fault": 0}
        change |= {"inject": chance(random, 0.3), "no_lane": chance(random, 0.3)}
        outputs, rst = {"i__ready": 0}, 0
        while not rst:
            mood = next(drawing)
            if not source.words and chance(random, 0.5):
                kind = random.choice(every if chance(random, mood["malformed"]) else good)
                control = random.choice((sparse(random, n), config.nodes - 1))
                source.send(message(random, config, kind, random.getrandbits(n), control=control).words)
            if chance(random, mood["faults"]):
                change["fault"] = sparse(random, n)
            offer = source.next(outputs["i__ready"], mood["gap"], mood["start"])
            change |= dict(zip(("i__valid", "i__data", "i__last", "i__error"), offer, strict=True))
            change |= {f"o__{port}__ready": chance(random, mood["ready"]) for port in range(config.ports)}
            change |= {"report__ready": chance(random, mood["report"]), "rst": (rst := chance(random, mood["reset"]))}
            outputs = yield change
            change = {}


def watch(inputs, outputs, twin):
    """Name what leaves, how it stalls, what is reported, and messages that wait behind one another."""
    config = twin.config
    valid = [port for port in range(config.ports) if outputs[f"o__{port}__valid"]]
    if len(valid) > 1:
        yield "several copies"
    for port in valid:
        moved = inputs[f"o__{port}__ready"]
        if not moved:
            yield "stall"
        elif outputs[f"o__{port}__last"]:
            yield "poisoned copy" if outputs[f"o__{port}__error"] else "copy"
            yield "local copy" if port == config.local else "forwarded copy"
    if outputs["start"]:
        yield "start"
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield "next message waits"
    if not outputs["free"] and not valid:
        yield "nothing to send yet"
    if outputs["report__valid"]:
        yield Reason(outputs["report__reason"]).name if inputs["report__ready"] else "report waits"
    if inputs["rst"] and valid:
        yield "reset"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    reasons = [Reason[kind.upper()].name for kind in kinds(config) if kind.upper() in Reason.__members__]
    return (
        *("several copies", "stall", "poisoned copy", "copy", "local copy", "forwarded copy", "start"),
        *("next message waits", "nothing to send yet", "report waits", "reset", "UNDELIVERABLE", "NO_LANE"),
        *reasons,
    )


BENCH = Bench(
    name="mhu",
    component="cubecast.rtl.mhu:Mhu",
    twin="cubecast.golden.mhu:Mhu",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
