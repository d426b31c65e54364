"""Bench of the CAM: loads, rewrites and frees at any rate and together, grants of what waits and of what does not."""

from dataclasses import dataclass

from cubecast.golden.packet.contract.packet import NONE
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


@dataclass
class _Row:
    """What is noted of an occupied row; ``newest``: its load was the last one."""

    place: int
    next: int
    broadcast: int
    after: int
    newest: bool = True


class _Rows:
    """The occupied rows, oldest first, as far as the inputs and outputs tell of them."""

    def __init__(self):
        self.rows = []

    def at(self, place):
        """Return the row of this number, None if it is free."""
        return next((row for row in self.rows if row.place == place), None)

    def find(self, grant):
        """Return the rows that fit a grant."""
        return [row for row in self.rows if grant >> row.next & 1]

    def freed(self, inputs):
        """Return the row that becomes free in a cycle, None if none does."""
        return self.at(inputs["free_row"]) if inputs["free"] else None

    def edge(self, inputs, outputs, config):
        """Take the edge of a cycle."""
        found, leaves = self.find(inputs["grant"]), self.freed(inputs)
        if inputs["rewrite"] and found:
            row = found[0]
            row.next = row.next + 1 if row.broadcast and row.next != config.local else NONE
            row.after = row.after if row.after == config.local else row.after + 1 & NONE
        if leaves:
            self.rows.remove(leaves)
        if inputs["load"] and outputs["free_rows"]:
            for row in self.rows:
                row.newest = False
            wanted = inputs["load_next"] if inputs["load_next"] <= config.local else NONE
            self.rows.append(_Row(outputs["ram_row"], wanted, inputs["load_broadcast"], inputs["load_after"]))
        if inputs["rst"]:
            self.rows = []


def stimulus(random, config):
    """Load, rewrite and free at random; moods fill the CAM or empty it, hostile ones use ports that no node has.

    Grants are for what was waiting in the cycle before: the port of the oldest, another one, several or all; or for
    anything. Frees are mostly of occupied rows of any age, of those that have nothing more to send or any; or of the
    youngest, of the row that is loaded, or of any number that the port can hold.
    """
    drawing = moods(
        random,
        30,
        load=(0.1, 0.5, 1.0),
        rewrite=(0.0, 0.5, 1.0),
        free=(0.1, 0.5, 1.0),
        sent=(0.0, 1.0),
        plain=(0.1, 0.3, 0.7),
        stray=(0.0, 0.3),
        broadcast=(0.0, 0.5, 1.0),
        contrary=(0.0, 0.5, 0.9, 1.0),
        hostile=(0.0, 0.0, 0.3),
        reset=(0.0, 0.0, 0.02),
    )
    bits = max(1, (config.rows - 1).bit_length())
    known = _Rows()
    for mood in drawing:
        rows = known.rows
        wanted = [row.next for row in rows if row.next != NONE] or [config.local]
        grant = 1 << random.choice((wanted[0], wanted[-1], random.choice(wanted)))
        if not chance(random, mood["plain"]):
            grant = random.choice((0, grant | sparse(random, config.ports), sparse(random, config.ports)))
        loaded = next((place for place in range(config.rows) if known.at(place) is None), 0)
        leave = [row.place for row in rows if row.next == NONE or not chance(random, mood["sent"])]
        free_row = random.choice(leave) if leave else random.getrandbits(bits)
        if chance(random, mood["stray"]):
            free_row = random.choice((rows[-1].place if rows else 0, loaded, random.getrandbits(bits)))
        load_next, load_after = random.randrange(config.ports), random.randrange(config.ports)
        if chance(random, mood["hostile"]):
            load_next = random.choice((NONE, NONE ^ 1 << random.randrange(4), random.getrandbits(4)))
        if chance(random, mood["hostile"]):
            load_after = random.getrandbits(4)
        change = {
            "rst": chance(random, mood["reset"]),
            "load": chance(random, mood["load"]),
            "load_contrary": chance(random, mood["contrary"]) if config.contrary else 0,
            "load_next": load_next,
            "load_length": random.getrandbits(config.length_bits),
            "load_destination": random.getrandbits(config.dim),
            "load_broadcast": chance(random, mood["broadcast"]),
            "load_after": load_after,
            "grant": grant,
            "rewrite": chance(random, mood["rewrite"]),
            "free": chance(random, mood["free"]),
            "free_row": free_row,
        }
        outputs = yield change
        known.edge(change, outputs, config)


def watch(inputs, outputs, twin):
    """Name what happens together, and to which row."""
    known, config = recall(twin, None) or _Rows(), twin.config
    rows, fit, leaves = known.rows, known.find(inputs["grant"]), known.freed(inputs)
    loads, rewrites = inputs["load"] and len(rows) < config.rows, inputs["rewrite"] and fit
    if not rows:
        yield "empty"
    else:
        yield "all contrary" if outputs["all_contrary"] else "not all contrary"
        if all(row.next == NONE for row in rows):
            yield "nothing waits"
        elif rows[0].next == NONE:
            yield "the oldest has nothing to send"
    if len(rows) == config.rows:
        yield "full"
        if inputs["load"]:
            yield "load when full, and free" if leaves else "load when full"
    yield from _found(inputs, rows, fit, config)
    if loads:
        yield from _loads(inputs, outputs, rows, leaves, config)
    if inputs["free"]:
        yield from _frees(inputs, outputs, rows, leaves, loads, config)
    if rewrites and leaves is fit[0]:
        yield "rewrite of the row that leaves"
    if loads and rewrites and leaves:
        yield "load, rewrite and free"
        if leaves is not fit[0]:
            yield "load, rewrite and free of another row"
    if inputs["rst"] and rows:
        yield "reset"
    known.edge(inputs, outputs, config)
    recall(twin, known)


def _found(inputs, rows, fit, config):
    """Name which row the grant finds, and how it is rewritten."""
    if inputs["grant"] == (1 << config.ports) - 1:
        yield "all ports granted"
    if not fit:
        if inputs["grant"] and rows:
            yield "grant of nothing"
        if inputs["rewrite"]:
            yield "rewrite of nothing"
        return
    found, others = fit[0], fit[1:]
    yield "found"
    if found is not rows[0]:
        yield "found is not the oldest"
    if found.newest:
        yield "found is newest"
    elif found is rows[-1]:
        yield "found is the youngest, but not newest"
    if any(row.next == found.next for row in others):
        yield "several fit"
    if any(row.next != found.next for row in others):
        yield "several ports fit"
    if any(row.place < found.place for row in others):
        yield "older in a higher place"
    if any(row.place > found.place for row in others):
        yield "older in a lower place"
    if any(row.next < found.next for row in others):
        yield "older with a higher port"
    if not inputs["rewrite"]:
        return
    if not found.broadcast:
        yield "unicast ends"
    elif found.next == config.local:
        yield "broadcast ends"
    else:
        yield "broadcast goes on"
        yield "after stays local" if found.after == config.local else "after goes on"


def _loads(inputs, outputs, rows, leaves, config):
    """Name where a packet is loaded."""
    if inputs["load_next"] > config.local:
        yield "load without a port"
    place = outputs["ram_row"]
    if len(rows) == config.rows - 1:
        yield "load of the last row"
    if any(row.place > place for row in rows):
        yield "load below others"
    if leaves and leaves.place < place:
        yield "load, and free of a lower row"


def _frees(inputs, outputs, rows, leaves, loads, config):
    """Name which row becomes free."""
    if inputs["free_row"] >= config.rows:
        yield "free of no row"
    elif not leaves:
        if loads and inputs["free_row"] == outputs["ram_row"]:
            yield "free of the row that is loaded"
        else:
            yield "free of a free row"
    else:
        if leaves.newest:
            yield "the newest leaves"
        yield "a row leaves early" if leaves.next != NONE else "a row leaves"
        if leaves is not rows[0]:
            yield "an older row stays"
        if leaves is not rows[-1]:
            yield "a younger row stays"


def events(config, extra, options):
    """Return what can happen with so many rows."""
    happen = ["empty", "not all contrary", "nothing waits", "full", "load when full", "load when full, and free"]
    happen += ["all ports granted", "grant of nothing", "rewrite of nothing", "found", "found is newest"]
    happen += ["unicast ends", "broadcast ends", "broadcast goes on", "after stays local", "after goes on"]
    happen += ["load without a port", "load of the last row", "free of the row that is loaded", "the newest leaves"]
    happen += ["a row leaves", "a row leaves early", "rewrite of the row that leaves", "reset"]
    if config.rows & config.rows - 1 or config.rows == 1:
        happen.append("free of no row")
    if config.contrary:
        happen.append("all contrary")
    if config.rows > 1:
        happen += ["the oldest has nothing to send", "found is not the oldest", "several fit", "several ports fit"]
        happen += ["found is the youngest, but not newest", "older in a higher place", "older in a lower place"]
        happen += ["older with a higher port", "load below others", "load, and free of a lower row"]
        happen += ["an older row stays", "a younger row stays", "load, rewrite and free", "free of a free row"]
    if config.rows > 2:
        happen.append("load, rewrite and free of another row")
    return tuple(happen)


BENCH = Bench(
    unit="packet.cam:Cam",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
