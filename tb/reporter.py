"""Bench of the reporter: what went wrong with a message, one report per clock."""

from cubecast.golden.message import Reason

from .lockstep import Bench
from .patterns import chance, item, moods, sparse

__all__ = ["BENCH"]

WAIT, INPUT, PROCESSING, OUTPUT = range(4)
AT_ONCE = tuple(range(Reason.K_ZERO, Reason.ADDRESS_BITS + 1))
LONG = int(Reason.DATA_TOO_LONG)


def stimulus(random, config):
    """Take the reporter through one message after the other, as controller and input module would."""
    n, m = config.dim, config.max_dest
    types = ["multicast", "broadcast"] + ["listed"] * config.carries_lists
    drawing = moods(random, 60, ready=(0.1, 0.6, 1.0), idle=(0.1, 1.0), trouble=(0.0, 0.3), faults=(0.3, 0.9))
    while True:
        mood = next(drawing)
        address, kind = random.getrandbits(n), random.choice(types)
        fault = sparse(random, n) if chance(random, mood["faults"]) else 0
        k = {"multicast": random.randint(1, m), "broadcast": config.broadcast_k, "listed": config.max_list}[kind]
        bad_at, long_at = (chance(random, mood["trouble"]) and random.randrange(4) for _ in range(2))
        outputs = yield {
            "rst": 0,
            "address": address,
            "fault": fault,
            "no_lane": chance(random, 0.2),
            "state": WAIT,
            "clear": 1,
            "bad": int(bad_at == 1),
            "reason": random.choice(AT_ONCE),
            "o__ready": chance(random, mood["ready"]),
        }
        change = {name: int(name == kind) for name in ("multicast", "broadcast", "listed")} | {"clear": 0, "k": k}
        rows = [random.getrandbits(n) if kind == "multicast" else 0 for _ in range(m)]
        lost = 0
        if bad_at != 1:
            for _ in range(random.randint(0, 2)):
                yield change | {"state": INPUT, "a": _packed(rows, n), "o__ready": chance(random, mood["ready"])}
            control = random.choice((sparse(random, n), config.nodes - 1))
            lost = control & (config.nodes - 1 if chance(random, 0.2) else fault)
            change |= {"state": INPUT, "a": _packed(rows, n), "control": control, "bad": int(bad_at == 2)}
            change |= {"header_end": int(bad_at == 0), "overlong": int(bad_at == 0 and long_at == 1)}
            change["reason"] = LONG if change["overlong"] else random.choice(AT_ONCE)
            outputs = yield change
        states = [PROCESSING] * random.randint(0, 3) if kind == "multicast" and not bad_at else []
        quiet = clocks = rst = 0
        while not rst and (not quiet or clocks < 6):
            mood = next(drawing)
            rows = [0 if outputs["reset_rows"] >> row & 1 else rows[row] for row in range(m)]
            if states and kind == "multicast":
                rows = [row if chance(random, 0.5) else 0 for row in rows]
            state = states.pop() if states else OUTPUT
            subset = random.getrandbits(n) & lost
            rst = chance(random, 0.003)
            outputs = yield change | {
                "rst": rst,
                "bad": 0,
                "header_end": 0,
                "overlong": int(not bad_at and long_at == 2 and clocks == 2),
                "reason": LONG,
                "state": state,
                "a": _packed(rows, n),
                "copies_idle": chance(random, mood["idle"]),
                "list_word": random.choice((address, address ^ subset, random.getrandbits(n))),
                "o__ready": chance(random, mood["ready"]),
            }
            quiet = outputs["idle"] and state == OUTPUT
            clocks += 1


def _packed(rows, n):
    """Return the reference array as one number."""
    return sum(row << n * place for place, row in enumerate(rows))


def watch(inputs, outputs, twin):
    """Name every reason reported for every kind of message, stalls, and what is passed over."""
    kind = next((name for name in ("multicast", "listed", "broadcast") if inputs[name]), "")
    if outputs["o__valid"]:
        name = Reason(outputs["o__reason"]).name
        yield name if outputs["o__reason"] < Reason.UNDELIVERABLE else f"{name} {kind}"
        if not inputs["o__ready"]:
            yield "stall"
        if outputs["o__reason"] == Reason.DATA_TOO_LONG and inputs["a"] and inputs["state"] == OUTPUT:
            yield "two troubles"
    elif not outputs["idle"] and inputs["state"] == OUTPUT and kind != "multicast":
        if kind == "broadcast":
            yield "dead neighbour passed over"
        elif inputs["copies_idle"]:
            yield "list word passed over"
        else:
            yield "waits for the copies"
    if not outputs["idle"] and inputs["state"] == PROCESSING:
        yield "waits for the decisions"
    if inputs["clear"]:
        yield "bad k word" if inputs["bad"] else "clear"
    if inputs["rst"] and not outputs["idle"]:
        yield "reset"
    if outputs["reset_rows"] and item(outputs["reset_rows"], 0, 1) == 0:
        yield "row above the first"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = [Reason(reason).name for reason in (*AT_ONCE, LONG)]
    kinds = ["multicast", "broadcast"] + ["listed"] * config.carries_lists
    happen += [f"{reason} {kind}" for reason in ("UNDELIVERABLE", "NO_LANE") for kind in kinds]
    happen += ["stall", "two troubles", "dead neighbour passed over", "waits for the decisions"]
    happen += ["bad k word", "clear", "reset"]
    if config.carries_lists:
        happen += ["list word passed over", "waits for the copies"]
    if config.max_dest > 1:
        happen.append("row above the first")
    return tuple(happen)


BENCH = Bench(
    name="reporter",
    component="cubecast.rtl.reporter:Reporter",
    twin="cubecast.golden.reporter:Reporter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
