"""Testbench of the receiver: messages of every kind, whole, short and with an error, and rings that must wait."""

from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.collective.messages import noise
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH"]

PHASES = tuple(phase.name for phase in Reading)
WORD = ("i__valid", "i__data", "i__last", "i__error")


@by_bundles("arrival", "offer")
def stimulus(random, config):
    """Send messages with gaps, some as they must be and some that end anywhere; rings wait or are cut at random."""
    drawing = moods(
        random,
        60,
        gap=(0.0, 0.5),
        ring=(0.3, 0.9),
        ready=(0.1, 0.7, 1.0),
        cut=(0.0, 0.0, 0.1),
        wrong=(0.0, 0.2),
        reset=(0.0, 0.0, 0.02),
    )
    source, moved = Source(random, config.router), 0
    for mood in drawing:
        if not source.words:
            kind = Kind.RING if chance(random, mood["ring"]) else random.randrange(8)
            wrong = mood["wrong"]
            source.send(
                (word, last, error | chance(random, wrong)) for word, last, error in noise(random, config, kind)
            )
        change = dict(zip(WORD, source.next(moved, mood["gap"], mood["gap"]), strict=True))
        rst = chance(random, mood["reset"])
        cut, ready = chance(random, mood["cut"]), chance(random, mood["ready"])
        outputs = yield change | {"ring_ready": ready, "cut_short": cut, "rst": rst}
        moved = change["i__valid"] and outputs["i__ready"]
        if rst:
            source = Source(random, config.router)


@without_bundles
def watch(inputs, outputs, twin):
    """Name the phases, in which a message ends, and what waits."""
    phase, kind = PHASES[outputs["phase"]], outputs["kind"]
    if inputs["rst"]:
        if outputs["phase"]:
            yield "reset"
        return
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield f"a ring waits in {phase}"
        if inputs["cut_short"]:
            yield f"cut while a ring waits in {phase}"
    elif inputs["i__valid"] and not inputs["ring_ready"]:
        yield f"{phase} does not wait"
        if kind == Kind.RING and phase in ("KIND", "CONTROL"):
            yield "after a ring, the next message comes in"
        if kind == Kind.RING and phase in ("ARGUMENT", "BODY"):
            yield f"the rest of a ring is dropped in {phase}"
            if inputs["i__last"]:
                yield f"the end of a ring is dropped in {phase}"
    if inputs["i__valid"] and not outputs["offered"] and kind != Kind.RING:
        yield f"{phase} of another message is dropped"
    if inputs["cut_short"]:
        yield f"cut in {phase}"
    if inputs["i__valid"] and outputs["i__ready"]:
        if inputs["i__last"]:
            yield f"{'bad' if outputs['bad'] else 'good'} end in {phase}"
        elif inputs["i__error"]:
            yield "error without last"
        if outputs["head"]:
            yield f"head of kind {kind}"


def events(config, extra, options):
    """Return what can happen in this format."""
    phases = [phase for phase in PHASES if phase != "SOURCE" or config.router.source_field]
    happen = ["reset", "a ring waits in ARGUMENT", "a ring waits in BODY", "error without last"]
    happen += ["after a ring, the next message comes in"]
    for phase in ("ARGUMENT", "BODY"):
        happen += [f"the {part} of a ring is dropped in {phase}" for part in ("rest", "end")]
        happen.append(f"{phase} of another message is dropped")
    happen += [f"cut while a ring waits in {phase}" for phase in ("ARGUMENT", "BODY")]
    happen += [f"cut in {phase}" for phase in phases]
    happen += [f"{phase} does not wait" for phase in phases] + [f"head of kind {kind}" for kind in range(8)]
    happen += [f"bad end in {phase}" for phase in phases] + [f"good end in {phase}" for phase in ("ARGUMENT", "BODY")]
    return tuple(happen)


BENCH = Bench(
    unit="collective.receiver:CollectiveReceiver",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
