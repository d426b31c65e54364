"""Testbench of the sender: messages to lists of neighbours, far away and to all, from both sources, many cut short."""

from cubecast.golden.collective.contract.segment import Kind
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Start a message whenever that may be, with anything in it; cut messages short at any moment."""
    n, words, most = config.dim, 1 << config.width, config.max_vector
    drawing = moods(
        random,
        50,
        start=(0.05, 0.5, 1.0),
        ready=(0.1, 0.7, 1.0),
        passing=(0.1, 0.7, 1.0),
        cut=(0.0, 0.02, 0.1, 0.2),
        end=(0.0, 0.3),
        last=(0.05, 0.3),
        reset=(0.0, 0.0, 0.01),
        nobody=(0.0, 0.0, 0.2),
    )
    ending = 0
    for mood in drawing:
        length = random.choice((1, random.randint(1, most), random.randint(1, min(most, config.segment))))
        body = random.getrandbits(1)
        outputs = yield {
            "rst": chance(random, mood["reset"]),
            "address": random.getrandbits(n),
            "start": chance(random, mood["start"]),
            "broadcast": chance(random, 0.2),
            "distant": chance(random, 0.2),
            "targets": 0 if chance(random, mood["nobody"]) else sparse(random, n) or 1 << random.randrange(n),
            "destination": random.getrandbits(n),
            "kind": int(random.choice(tuple(Kind))),
            "is_final": random.getrandbits(1),
            "stage": random.getrandbits(4),
            "hops": random.getrandbits(8),
            "argument": random.getrandbits(16),
            "body": body,
            "from_pass": random.getrandbits(1),
            "offset": random.randint(0, most - length),
            "length": length if body else random.choice((0, length)),
            "cut_short": chance(random, mood["end"] if ending else mood["cut"]),
            "memory_data": random.randrange(words),
            "pass_valid": chance(random, mood["passing"]),
            "pass_data": random.randrange(words),
            "pass_last": chance(random, mood["last"]),
            "pass_error": chance(random, 0.3),
            "o__ready": chance(random, mood["ready"]),
        }
        ending = outputs["o__valid"] and outputs["o__last"]


def watch(inputs, outputs, twin):
    """Name what is sent, and where it is cut short, keeping how many words of a message have moved."""
    before = recall(twin, None)
    now = None
    moves = outputs["o__valid"] and inputs["o__ready"]
    cut, last = inputs["cut_short"], outputs["o__last"]
    if inputs["rst"]:
        if before:
            yield "reset"
    elif not before:
        if inputs["start"]:
            yield "start and cut" if cut else "start"
            now = None if cut else _message(twin.config, inputs)
        elif cut:
            yield "cut while idle"
    else:
        place = _place(before)
        if not outputs["o__valid"]:
            yield "waits for a word to pass on"
        elif not inputs["o__ready"]:
            yield "waits for the port"
        now = None if moves and last else before | {"moved": before["moved"] + bool(moves)}
        if place == "cut":
            yield "cut again" if cut else "the end of what was cut"
        elif cut:
            how = "beside the last word" if moves and last else "beside a word" if moves else "while it waits"
            yield f"cut in {place}, {how}"
            if now and (before["moved"] or moves):
                now["cut"] = 1
            else:
                now = None
        elif inputs["start"]:
            yield "start while busy"
        if outputs["done"]:
            if outputs["o__error"]:
                yield f"an error is passed on in {place}"
            yield f"{before['to']}, {before['from']}"
            if before["to"] == "a list":
                yield f"{before['targets'].bit_count()} targets"
    recall(twin, now)


def _message(config, inputs):
    """Return what there is to know of a message that is started."""
    targets = inputs["targets"]
    to = "broadcast" if inputs["broadcast"] else "far" if inputs["distant"] else "a list"
    source = "no body" if not inputs["body"] else "from the buffer" if inputs["from_pass"] else "from the memory"
    list_words = {"broadcast": 0, "far": 1}.get(to, max(1, targets.bit_count()))
    head = ["COUNT", *["LIST"] * list_words, "CONTROL", *["SOURCE"] * config.router.source_field, "KIND", "ARGUMENT"]
    return {"to": to, "from": source, "targets": targets, "head": head, "moved": 0, "cut": 0}


def _place(message):
    """Return which word of a message is next."""
    head, moved = message["head"], message["moved"]
    return "cut" if message["cut"] else head[moved] if moved < len(head) else "BODY"


def events(config, extra, options):
    """Return what can happen in this format."""
    happen = ["start", "start and cut", "cut while idle", "start while busy", "reset", "cut again"]
    happen += ["the end of what was cut", "waits for the port", "waits for a word to pass on"]
    for place in ("COUNT", "LIST", "CONTROL", "KIND", "ARGUMENT", "BODY"):
        happen += [f"cut in {place}, {how}" for how in ("beside a word", "while it waits")]
    happen += [f"cut in {place}, beside the last word" for place in ("ARGUMENT", "BODY")]
    for to in ("broadcast", "far", "a list"):
        happen += [f"{to}, {source}" for source in ("no body", "from the buffer", "from the memory")]
    happen += [f"an error is passed on in {place}" for place in ("ARGUMENT", "BODY")]
    happen += [f"{count} targets" for count in range(config.dim + 1)]
    return tuple(happen)


BENCH = Bench(
    unit="collective.sender:CollectiveSender",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
