"""Testbench of the local port: host and collectives send and take messages while the owner changes at any time."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH"]

FIELDS = ("valid", "data", "last", "error")
STREAMS = ("host_inject", "unit_inject", "eject")


def stimulus(random, config):
    """Offer messages of 1 to 6 words on all three streams, with gaps, and stall at random."""
    drawing = moods(
        random,
        40,
        gap=(0.0, 0.5),
        start=(0.0, 0.5, 0.95),
        turn=(0.0, 0.05, 0.3),
        ready=(0.1, 0.7, 1.0),
        reset=(0.0, 0.0, 0.02),
    )
    sources, moved, enable = [Source(random, config.router) for _ in STREAMS], [0] * len(STREAMS), 0
    for mood in drawing:
        change = {}
        for name, source, took in zip(STREAMS, sources, moved, strict=True):
            if not source.words:
                count = random.choice((1, 2, random.randint(1, 6)))
                words = [random.getrandbits(config.width) for _ in range(count)]
                source.send((word, int(place == count - 1), chance(random, 0.3)) for place, word in enumerate(words))
            offer = source.next(took, mood["gap"], mood["start"])
            change |= {f"{name}__{field}": value for field, value in zip(FIELDS, offer, strict=True)}
        enable ^= chance(random, mood["turn"])
        rst = chance(random, mood["reset"])
        names = ("inject__ready", "host_eject__ready", "unit_eject__ready")
        change |= {name: chance(random, mood["ready"]) for name in names} | {"enable": enable, "rst": rst}
        outputs = yield change
        moved = [change[f"{name}__valid"] and outputs[f"{name}__ready"] for name in STREAMS]
        if rst:
            sources, moved = [Source(random, config.router) for _ in STREAMS], [0] * len(STREAMS)


def watch(inputs, outputs, twin):
    """Name who sends and takes, who waits for the other, and when the owner changes."""
    before = recall(twin, None) or {"inject": "host", "eject": "host", "open": (0, 0)}
    now = dict(before)
    opened = list(before["open"])
    if inputs["rst"]:
        if any(opened):
            yield "reset in a message"
        return
    moved = [name for name in ("host_inject", "unit_inject") if inputs[f"{name}__valid"] and outputs[f"{name}__ready"]]
    for name in moved:
        owner = name.partition("_")[0]
        yield f"{owner} sends"
        if owner != before["inject"]:
            yield f"{owner} has the injection port now"
            if not opened[0] and before.get("last"):
                yield "the owner changes right behind a message"
        now["inject"], now["last"] = owner, inputs[f"{name}__last"]
        opened[0] = not inputs[f"{name}__last"]
    if not moved:
        now["last"] = 0
    for side in ("host", "unit"):
        if outputs[f"{side}_eject__valid"]:
            yield f"{side} takes" if outputs["eject__ready"] else f"{side} stalls"
            if outputs["eject__ready"]:
                if side != before["eject"]:
                    yield f"{side} has the ejection port now"
                now["eject"] = side
                opened[1] = not inputs["eject__last"]
    for side, other in (("host", "unit"), ("unit", "host")):
        waits = inputs[f"{side}_inject__valid"] and not outputs[f"{side}_inject__ready"] and inputs["inject__ready"]
        if waits and outputs[f"{other}_inject__ready"]:
            yield f"{side} waits for the other"
        if inputs["eject__valid"] and inputs[f"{side}_eject__ready"] and not outputs[f"{side}_eject__valid"]:
            yield f"{side} would take, and is not asked"
    for place, way in enumerate(("inject", "eject")):
        if opened[place] and before["open"][place] and inputs["enable"] != (before[way] == "unit"):
            yield f"enable differs within a message ({way})"
    now["open"] = tuple(opened)
    recall(twin, now)


BENCH = Bench(
    unit="collective.local_port:LocalPort",
    stimulus=stimulus,
    events=(
        *("reset in a message", "the owner changes right behind a message"),
        *(f"{side} {what}" for side in ("host", "unit") for what in ("sends", "takes", "stalls")),
        *(f"{side} has the {way} port now" for side in ("host", "unit") for way in ("injection", "ejection")),
        *(f"{side} waits for the other" for side in ("host", "unit")),
        *(f"{side} would take, and is not asked" for side in ("host", "unit")),
        *(f"enable differs within a message ({way})" for way in ("inject", "eject")),
    ),
    watch=watch,
)
