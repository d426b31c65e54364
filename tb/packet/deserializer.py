"""Bench of the deserializer: a line with packets, whole, cut short and garbled, and a node that is not always ready."""

from cubecast.golden.packet.contract.packet import Head
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def _digits(value, bits):
    """Return the bits of a value, the most significant first."""
    return [value >> place & 1 for place in reversed(range(bits))]


def _packet(random, config, mood):
    """Return what a far end puts on its line: pairs of a bit, and whether it is repeated while there is a hold.

    Mood ``broken``: it ends after some word, or the head's length is not the number of the words; ``framing``: a sync
    pattern is 1 1, or a bit is wrong.
    """
    length = 1 if chance(random, mood["short"]) else random.randint(1, config.max_words)
    words = length
    if chance(random, mood["broken"]):
        length = random.getrandbits(config.length_bits)
        words = random.randrange(config.max_words + 1)
    head = Head(
        contrary=chance(random, mood["contrary"]),
        next_port=random.getrandbits(4),
        length=length,
        destination=random.getrandbits(config.width),
    )
    values = [(head.encode(config), config.head_bits)]
    values += [(random.getrandbits(config.width), config.width) for _ in range(words)]
    line = []
    for value, bits in values:
        wrong = chance(random, mood["framing"])
        line += [(1, True), (wrong, False), *((bit, False) for bit in _digits(value, bits))]
    if chance(random, mood["framing"]):
        place = random.randrange(len(line))
        line[place] = (1 - line[place][0], False)
    return line


def stimulus(random, config):
    """Send packets; the far end repeats a 1 that is held and stops when it is refused, or some moods does not."""
    drawing = moods(
        random,
        300,
        start=(0.02, 0.3, 1.0),
        short=(0.0, 0.7, 1.0),
        contrary=(0.0, 0.5, 1.0),
        broken=(0.0, 0.0, 0.4),
        framing=(0.0, 0.0, 0.1),
        ready=(0.1, 0.9, 1.0),
        refusing=(0.0, 0.3, 1.0),
        deaf=(0.0, 0.0, 0.5),
        reset=(0.0, 0.0, 0.002),
    )
    line, ready = [], 1
    for mood in drawing:
        if not line and chance(random, mood["start"]):
            line = _packet(random, config, mood)
        bit, repeats = line[0] if line else (0, False)
        if chance(random, 0.2):
            ready = chance(random, mood["ready"])
        outputs = yield {
            "rst": chance(random, mood["reset"]),
            "line": bit,
            "ready": ready,
            "refusing": chance(random, mood["refusing"]),
        }
        if outputs["hold"] and not chance(random, mood["deaf"]):
            if line and not repeats:
                line = []
        else:
            line = line[1:]


class _Seen:
    """What a receiver makes of the line: the pattern it is in, and how many bits of it there were."""

    def __init__(self):
        self.state, self.bits, self.left, self.first = "idle", [], 0, 1


def watch(inputs, outputs, twin):
    """Name what the line brings, following the pattern on it, and where holds meet it."""
    config = twin.config
    seen = recall(twin, None) or _Seen()
    line, hold = inputs["line"], outputs["hold"]
    if outputs["valid"]:
        yield "head" if outputs["head"] else "word"
    if outputs["cut_short"]:
        yield "cut short"
    if inputs["rst"]:
        if seen.state != "idle":
            yield "reset"
        return
    if seen.state == "idle":
        if line and not hold:
            yield "start"
            seen.state, seen.first = "zero", 1
        else:
            yield ("start held" if line else "held before a start") if hold else "idle"
    elif seen.state == "sync":
        if line:
            yield "sync" if inputs["ready"] else "sync, though not ready"
            seen.state, seen.first = "zero", 0
        else:
            yield "packet ends early"
            seen.state = "idle"
    elif seen.state == "zero":
        if line:
            yield "framing error in a start" if seen.first else "framing error in a sync pattern"
        seen.state, seen.bits = "idle" if line else "bits", []
    else:
        yield from _bits(inputs, hold, config, seen)
    recall(twin, seen)


def _bits(inputs, hold, config, seen):
    """Name what happens in a cycle with a bit on the line, and follow it."""
    after = seen.first and len(seen.bits) == 5 + config.length_bits
    if hold:
        yield "refused"
        seen.state = "idle"
        return
    if after and inputs["refusing"]:
        yield "refusing, but the packet is not contrary"
    if after and seen.bits[0] and not inputs["refusing"]:
        yield "contrary packet"
    seen.bits.append(inputs["line"])
    if len(seen.bits) < (config.head_bits if seen.first else config.width):
        return
    if seen.first:
        seen.left = Head.decode(config, int("".join(map(str, seen.bits)), 2)).length
        if seen.left == 0:
            yield "head of no words"
        elif seen.left > config.max_words:
            yield "head of too many words"
    else:
        seen.left -= 1
        if not seen.left:
            yield "end"
    seen.state = "sync" if seen.left else "idle"


def events(config, extra, options):
    """Return what can happen; a length field may be too short for too many words."""
    happen = ["head", "word", "cut short", "reset", "start", "start held", "held before a start", "idle", "sync"]
    happen += ["sync, though not ready", "packet ends early", "framing error in a start", "refused", "contrary packet"]
    happen += ["framing error in a sync pattern", "refusing, but the packet is not contrary", "head of no words", "end"]
    if config.max_words + 1 < 1 << config.length_bits:
        happen.append("head of too many words")
    return tuple(happen)


BENCH = Bench(
    unit="packet.deserializer:Deserializer",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
