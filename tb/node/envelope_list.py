"""Testbench of the envelope list: messages come, and are searched for with patterns of all kinds."""

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

TYPES = (0, 1, 0x7FFF, 0x8000, 0x8001)
"""Few, so that they meet: of both classes, with the same low bits too."""

LEFT = -1
"""The youngest entry was found, and nothing was appended since: the next one goes where it was."""


def stimulus(random, config, held=False):
    """Append messages with numbers that are free, and search."""
    count = config.nodes if held else max(1, config.buffers)
    drawing = moods(
        random,
        80,
        append=(0.0, 0.5, 0.9),
        search=(0.1, 0.9),
        wide=(0.0, 0.5, 1.0),
        youngest=(0.0, 0.0, 0.7),
        reset=(0.0, 0.004),
    )
    while True:
        rst, idle = 0, 1
        inside = {}
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            free = [index for index in range(count) if index not in inside]
            append = int(bool(free and idle) and chance(random, mood["append"]))
            index = random.choice(free) if append else random.randrange(count)
            size = config.buffer_bytes
            inputs = {
                "rst": rst,
                "append": append,
                "append_index": index,
                "append_type": random.choice(TYPES),
                # Of all sizes: at the last bits of a limit, and beyond it by a high bit alone.
                "append_length": random.choice((0, size, size + 1, random.getrandbits(random.randint(1, LENGTH_BITS)))),
                "search__valid": chance(random, mood["search"]),
                "search__source": random.randrange(config.nodes),
                "search__any_source": chance(random, mood["wide"]),
                # One that no message has, too: a search to the end of a full list.
                "search__type": random.choice((*TYPES, 2)),
                "search__any_type": chance(random, mood["wide"]),
                "search__short": random.getrandbits(1),
            }
            if not held:
                inputs |= {"append_source": random.randrange(config.nodes), "append_broadcast": random.getrandbits(1)}
            if inside and chance(random, mood["youngest"]):
                source, kind = list(inside.values())[-1]
                inputs |= {"search__source": source, "search__any_source": 0, "search__type": kind, "search__short": 0}
            outputs = yield inputs
            if append:
                inside[index] = (index if held else inputs["append_source"], inputs["append_type"])
            if outputs["found"]:
                del inside[outputs["index"]]
            started = inputs["search__valid"] and outputs["search__ready"]
            idle = not started and (outputs["idle"] or outputs["found"] or outputs["missing"])


def watch(inputs, outputs, twin):
    """Name what a search meets."""
    now = [twin.place, list(twin.entries), twin.pattern, None]
    place, entries, pattern, behind = recall(twin, now) or (0, [], None, None)
    if inputs["rst"]:
        if entries:
            yield "reset"
        return
    if inputs["append"] and inputs["search__valid"]:
        yield "a message goes first"
    if inputs["append"] and len(entries) == twin.count - 1:
        yield "full"
    now[3] = inputs["append_index"] if inputs["append"] and entries and behind == LEFT else behind
    if pattern is None:
        return
    if outputs["missing"]:
        yield "missing" if entries else "empty"
    if outputs["found"]:
        yield "oldest" if place == 0 else "youngest" if place == len(entries) - 1 else "from the middle"
        yield f"any {pattern.any_source}{pattern.any_type}"
        if outputs["index"] == behind:
            yield "behind one that had left"
        if place and place == len(entries) - 1:
            now[3] = LEFT
    elif place < len(entries):
        entry = entries[place]
        if pattern.short and twin.fits(pattern._replace(short=0), entry):
            yield "too long"
        if pattern.any_type and twin.fits(pattern._replace(type=pattern.type ^ 0x8000), entry):
            yield "other class"


def events(config, extra, options):
    """Return what can happen in a list of so many entries."""
    count = config.nodes if extra.get("held") else max(1, config.buffers)
    found = ["reset", "a message goes first", "full", "missing", "empty", "oldest", "too long", "other class"]
    found += [f"any {source}{kind}" for source in range(2) for kind in range(2)]
    found += ["youngest", "behind one that had left"] * (count > 1) + ["from the middle"] * (count > 2)
    return tuple(found)


BENCH = Bench(
    unit="node.envelope_list:EnvelopeList",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
