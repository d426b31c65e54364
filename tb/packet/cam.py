"""Bench of the CAM: loads, rewrites and frees at any rate and together, searches for what is there and what is not."""

from cubecast.golden.packet.contract.packet import NONE
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Load, rewrite and free at random; moods fill the CAM or empty it, hostile ones use ports that no node has.

    Searches are mostly for what was waiting in the cycle before, the longest waiting or any, or for NONE.
    """
    drawing = moods(
        random,
        30,
        load=(0.1, 0.5, 1.0),
        rewrite=(0.0, 0.5, 1.0),
        free=(0.1, 1.0),
        none=(0.3, 1.0),
        contrary=(0.0, 0.5, 0.9, 1.0),
        hostile=(0.0, 0.0, 0.3),
        reset=(0.0, 0.0, 0.02),
    )
    waiting, oldest = 0, NONE
    for mood in drawing:
        ports = [port for port in range(config.ports) if waiting >> port & 1] or [config.local]
        search = random.choice((oldest, random.choice(ports), random.randrange(config.ports)))
        load_next = random.randrange(config.ports)
        rewrite_next = NONE if chance(random, mood["none"]) else random.randrange(config.ports)
        if chance(random, mood["hostile"]):
            search = random.choice((NONE, random.getrandbits(4)))
        if chance(random, mood["hostile"]):
            load_next = random.choice((NONE, NONE ^ 1 << random.randrange(4), random.getrandbits(4)))
        if chance(random, mood["hostile"]):
            rewrite_next = random.choice((NONE ^ 1 << random.randrange(4), random.getrandbits(4)))
        outputs = yield {
            "rst": chance(random, mood["reset"]),
            "load": chance(random, mood["load"]),
            "load_contrary": chance(random, mood["contrary"]) if config.contrary else 0,
            "load_next": load_next,
            "load_length": random.getrandbits(config.length_bits),
            "load_destination": random.getrandbits(config.dim),
            "search": search,
            "rewrite": chance(random, mood["rewrite"]),
            "rewrite_next": rewrite_next,
            "free": chance(random, mood["free"]),
        }
        waiting, oldest = outputs["waiting"], outputs["oldest"]


def watch(inputs, outputs, twin):
    """Name what happens together, and to which row, keeping the list of the next ports."""
    rows = vars(twin).get("noted") or []
    most = twin.config.rows
    found = rows.index(inputs["search"]) if inputs["search"] in rows else None
    leaves = rows.index(NONE) if inputs["free"] and NONE in rows else None
    loads = inputs["load"] and len(rows) < most
    rewrites = inputs["rewrite"] and found is not None
    if not rows:
        yield "empty"
    if len(rows) == most:
        yield "full"
        if inputs["load"]:
            yield "load when full, and free" if leaves is not None else "load when full"
    if rows:
        yield "all contrary" if outputs["all_contrary"] else "not all contrary"
        if outputs["oldest"] == NONE:
            yield "nothing waits"
        elif rows[0] == NONE:
            yield "the oldest is not the head"
    if found is not None:
        yield "found"
        if found:
            yield "found above the head"
        if rows.count(inputs["search"]) > 1:
            yield "several fit"
    if inputs["free"] and leaves is None:
        yield "free, but nothing leaves"
    if leaves is not None:
        yield "the head leaves" if leaves == 0 else "a row above the head leaves"
        if leaves < len(rows) - 1:
            yield "a row below others leaves"
        if rewrites and found == leaves:
            yield "rewrite of the row that leaves"
        if rewrites and loads:
            yield "load, rewrite and free"
            if found > leaves:
                yield "rewrite above the row that leaves, and load"
    if inputs["rst"] and rows:
        yield "reset"
    rows = list(rows)
    if rewrites:
        rows[found] = inputs["rewrite_next"]
    if leaves is not None:
        del rows[leaves]
    if loads:
        rows.append(inputs["load_next"])
    recall(twin, [] if inputs["rst"] else rows)


def events(config, extra, options):
    """Return what can happen with so many rows."""
    happen = ["empty", "full", "load when full", "load when full, and free", "not all contrary", "nothing waits"]
    happen += ["found", "free, but nothing leaves", "the head leaves", "rewrite of the row that leaves", "reset"]
    if config.contrary:
        happen.append("all contrary")
    if config.rows > 1:
        happen += ["the oldest is not the head", "found above the head", "several fit", "a row above the head leaves"]
        happen += ["a row below others leaves", "load, rewrite and free"]
    if config.rows > 2:
        happen.append("rewrite above the row that leaves, and load")
    return tuple(happen)


BENCH = Bench(
    unit="packet.cam:Cam",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
