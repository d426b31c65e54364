"""Testbench of the serializer: packets, whole and broken, to a far end that holds and refuses."""

from cubecast.golden.packet.contract.packet import Head
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

FLIT = ("i__valid", "i__head", "i__last", "i__bad", "i__data")


def _packet(random, config, mood):
    """Return the flits of a packet, a bad one in the middle of some; heads that are too many or lack in others."""
    length = 1 if chance(random, mood["short"]) else random.randint(1, config.max_words)
    head = Head(
        contrary=chance(random, mood["contrary"]),
        next_port=random.getrandbits(4),
        length=length,
        destination=random.getrandbits(config.dim),
    )
    words = [(1, 0, int(place == length - 1), 0, random.getrandbits(config.width)) for place in range(length)]
    if chance(random, mood["broken"]):
        # It ends early with a bad flit, or without one; or there are more words than the head says.
        kept = random.randrange(length)
        words = random.choice(([*words[:kept], (1, 0, 1, 1, 0)], words[:kept], words + words))
    flits = [(1, 1, 0, 0, head.encode(config)), *words]
    return flits[1:] if chance(random, mood["broken"]) and chance(random, 0.3) else flits


def stimulus(random, config):
    """Send packets, mostly without a gap; hold is at random, or falls where it matters."""
    drawing = moods(
        random,
        150,
        start=(0.02, 1.0, 1.0),
        short=(0.0, 0.7, 1.0),
        contrary=(0.0, 0.5, 1.0),
        broken=(0.0, 0.3, 0.7),
        gap=(0.0, 0.0, 0.02, 0.3),
        hold=(0.0, 0.1, 0.5),
        random_hold=(0.0, 1.0, 1.0),
        reset=(0.0, 0.0, 0.002),
    )
    flits, offered, ready, hold = [], False, 0, 0
    for mood in drawing:
        if offered and ready:
            flits.pop(0)
            offered = False
        if not flits and chance(random, mood["start"]):
            flits = _packet(random, config, mood)
        if flits and not offered:
            offered = bool(flits[0][1]) or not chance(random, mood["gap"])
        flit = flits[0] if offered else (0, *(random.getrandbits(1) for _ in range(3)), 0)
        # A hold that lasts, or one drawn anew in every cycle.
        if chance(random, mood["random_hold"]) or chance(random, 0.05):
            hold = chance(random, mood["hold"])
        rst = chance(random, mood["reset"])
        outputs = yield {"rst": rst, "hold": hold} | dict(zip(FLIT, flit, strict=True))
        ready = outputs["i__ready"]


class _Line:
    """Where the pattern on the line stands, read from the line itself."""

    def __init__(self):
        self.state, self.bits, self.left, self.contrary, self.head = "idle", 0, 0, 0, 0


def watch(inputs, outputs, twin):
    """Name what the line shows, following the pattern on it, and where holds and flits meet it."""
    config = twin.config
    line = recall(twin, None) or _Line()
    hold, taken = inputs["hold"], inputs["i__valid"] and outputs["i__ready"]
    head, bad = inputs["i__head"], inputs["i__bad"]
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield "flit waits"
    if inputs["rst"]:
        yield "reset within a head" if line.state == "bits" and line.head else "reset"
        return
    if line.state == "idle":
        if outputs["idle"]:
            yield "idle"
        if taken:
            yield "head taken" if head else "flit that is no head forgotten"
        if taken and head:
            line = _Line()
            line.state, line.head = "one", 1
            decoded = Head.decode(config, inputs["i__data"])
            line.left, line.contrary = decoded.length, decoded.contrary
    elif line.state == "one":
        assert outputs["line"], "the line is 0 in a start or sync pattern's 1"
        yield ("start held" if line.head else "sync held") if hold else "start" if line.head else "sync"
        line.state = "one" if hold else "zero"
    elif line.state == "zero":
        if hold:
            yield "hold without effect"
        line.state, line.bits = "bits", 0
    else:
        yield from _bits(inputs, outputs, config, line, taken and not head and not bad)
    recall(twin, line)


def _bits(inputs, outputs, config, line, word):
    """Name what happens in a cycle with a bit on the line, and follow it; ``word``: the next word is taken."""
    last = line.bits == (config.head_bits if line.head else config.width) - 1
    if outputs["refused"]:
        yield "refused"
        line.state = "idle"
        return
    if line.head and inputs["hold"] and line.bits == 5 + config.length_bits:
        yield "hold after the preheader of a packet that is not contrary"
    elif inputs["hold"]:
        yield "hold without effect"
    line.bits += 1
    if not last:
        return
    line.state = "idle"
    if word:
        line.state, line.head, line.left = "one", 0, line.left - 1
        yield "word taken"
    elif line.left:
        if not inputs["i__valid"]:
            yield "gap"
        else:
            yield "head within a packet waits" if inputs["i__head"] else "bad flit"
    else:
        yield "end, and a flit waits" if inputs["i__valid"] else "end"


BENCH = Bench(
    unit="packet.serializer:Serializer",
    stimulus=stimulus,
    events=(
        *("idle", "head taken", "flit that is no head forgotten", "start", "start held", "sync", "sync held"),
        *("hold without effect", "refused", "hold after the preheader of a packet that is not contrary", "word taken"),
        *("gap", "head within a packet waits", "bad flit", "end", "end, and a flit waits", "flit waits"),
        *("reset", "reset within a head"),
    ),
    watch=watch,
)
