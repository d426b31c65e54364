"""Testbench of the arrival tracker: messages arrive in the addresses that a processor reads meanwhile."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

SPAN = 64
"""Bytes in which messages and reads meet."""


def stimulus(random, config):
    """Open, move and close entries, and read around them."""
    drawing = moods(
        random,
        60,
        open=(0.0, 0.3, 1.0),
        move=(0.0, 0.5),
        close=(0.0, 0.2),
        watch=(0.2, 1.0),
        clear=(0.0, 0.2),
        reset=(0.0, 0.01),
    )
    while True:
        rst, entries = 0, {}
        base = random.choice((0, 0x12345678, 0xFFFFFFFF - SPAN + 1))
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            entry = random.choice(sorted(entries)) if entries else random.randrange(config.tracked)
            first = base + random.randrange(SPAN)
            last = min(first + random.choice((0, 1, 3, 20)), 0xFFFFFFFF)
            opening, closing = chance(random, mood["open"]), int(bool(entries) and chance(random, mood["close"]))
            outputs = yield {
                "rst": rst,
                "open": opening,
                "open_next": first,
                "open_last": last,
                "move": chance(random, mood["move"]),
                "move_entry": random.choice((entry, random.randrange(config.tracked))),
                "move_next": base + random.randrange(SPAN),
                "close": closing,
                "close_entry": entry,
                "watch__valid": chance(random, mood["watch"]),
                "watch__address": base + random.randrange(SPAN),
                "watch__size": random.getrandbits(2),
                "clear": chance(random, mood["clear"]),
            }
            if opening and not outputs["full"]:
                entries[outputs["entry"]] = last
            if closing:
                entries.pop(entry, None)


def watch(inputs, outputs, twin):
    """Name what a read meets."""
    told, entries = recall(twin, (twin.told, list(twin.entries))) or (0, [None])
    if inputs["rst"]:
        if any(entries):
            yield "reset"
        return
    address, end = inputs["watch__address"], inputs["watch__address"] + (1 << inputs["watch__size"]) - 1
    if inputs["watch__valid"]:
        for entry in filter(None, entries):
            if address == entry[1]:
                yield "last byte"
            if address == entry[1] + 1:
                yield "behind the last byte"
            if end == entry[0]:
                yield "next byte"
            if end == entry[0] - 1:
                yield "before the next byte"
        if end > 0xFFFFFFFF:
            yield "beyond the memory"
    if twin.event is not None:
        yield "told again, just cleared" if told else "told"
    if told and twin.early and twin.event is None:
        yield "not told again"
    if outputs["full"] and inputs["open"]:
        yield "full"
    if inputs["close"] and inputs["move"] and inputs["close_entry"] == inputs["move_entry"]:
        yield "close wins"


BENCH = Bench(
    unit="node.arrival_tracker:ArrivalTracker",
    stimulus=stimulus,
    events=(
        "reset",
        "last byte",
        "behind the last byte",
        "next byte",
        "before the next byte",
        "beyond the memory",
        "told again, just cleared",
        "told",
        "not told again",
        "full",
        "close wins",
    ),
    watch=watch,
)
