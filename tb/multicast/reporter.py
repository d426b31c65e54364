"""Testbench of the reporter: what went wrong with a message, one report per cycle."""

from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.patterns import chance, item, moods, pack, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

WAIT, INPUT, PROCESSING, OUTPUT = range(4)
AT_ONCE = tuple(range(Reason.K_ZERO, Reason.ADDRESS_BITS + 1))
TRUNCATED = (int(Reason.DATA_TOO_LONG), int(Reason.INPUT_CUT))


def stimulus(random, config):
    """Take the reporter through one message after the other, as controller and input module would.

    Copies are lost and broken at any moment, even where a message handling unit has none; faults change; a second
    trouble comes while the first is reported.
    """
    n, m = config.dim, config.max_dest
    types = ["multicast", "broadcast"] + ["listed"] * config.carries_lists
    drawing = moods(
        random,
        60,
        ready=(0.1, 0.6, 1.0),
        idle=(0.1, 1.0),
        trouble=(0.1, 0.6),
        faults=(0.3, 0.9),
        change=(0.0, 0.3),
        drop=(0.0, 0.02, 0.2),
        committed=(0.0, 0.1, 1.0),
    )
    while True:
        mood = next(drawing)
        address, kind = random.getrandbits(n), random.choice(types)
        k = {"multicast": random.randint(1, m), "broadcast": config.broadcast_k, "listed": config.max_list}[kind]
        bad_at, long_at = (chance(random, mood["trouble"]) and random.randrange(4) for _ in range(2))
        outputs = yield _any_cycle(random, config, mood, kind) | {
            "rst": 0,
            "address": address,
            "fault": sparse(random, n) if chance(random, mood["faults"]) else 0,
            "no_lane": sparse(random, n) if chance(random, 0.3) else 0,
            "state": WAIT,
            "clear": 1,
            "bad": int(bad_at == 1),
            "truncated": 0,
            "reason": random.choice(AT_ONCE),
        }
        kinds = {name: int(name == kind) for name in ("multicast", "broadcast", "listed")} | {"k": k}
        rows = [random.getrandbits(n) if kind == "multicast" else 0 for _ in range(m)]
        control = 0
        if bad_at != 1:
            for _ in range(random.randint(0, 2)):
                early = {"state": INPUT, "clear": 0, "bad": 0, "a": pack(rows, n)}
                yield _any_cycle(random, config, mood, kind) | kinds | early
            control = random.choice((sparse(random, n), config.nodes - 1))
            cut_off = int(bad_at == 0 and long_at == 1)
            outputs = (
                yield _any_cycle(random, config, mood, kind)
                | kinds
                | {
                    "state": INPUT,
                    "a": pack(rows, n),
                    "control": control,
                    "clear": int(bad_at == 2),
                    "bad": int(bad_at == 2),
                    "header_end": int(bad_at == 0),
                    "truncated": cut_off,
                    "reason": random.choice(TRUNCATED if cut_off else AT_ONCE),
                }
            )
        states = [PROCESSING] * random.randint(0, 3) if kind == "multicast" and not bad_at else []
        quiet = cycles = rst = 0
        while not rst and (not quiet or cycles < 6) and cycles < 150:
            mood = next(drawing)
            cut_off = int(not bad_at and long_at == 2 and chance(random, 0.2))
            rows = [0 if outputs["reset_rows"] >> row & 1 else rows[row] for row in range(m)]
            if kind == "multicast":
                rows = [row if chance(random, 0.5 if states else 0.95) else 0 for row in rows]
                if chance(random, max(mood["drop"], cut_off / 2)):
                    rows[random.randrange(m)] = random.getrandbits(n)
            state = states.pop() if states else OUTPUT
            near = random.getrandbits(n) & random.choice((control, config.nodes - 1, random.getrandbits(n)))
            rst = chance(random, 0.003)
            change = {"fault": sparse(random, n)} if chance(random, mood["change"]) else {}
            if cut_off and chance(random, 0.5):
                change["broken"] = sparse(random, n)
            outputs = (
                yield _any_cycle(random, config, mood, kind)
                | kinds
                | change
                | {
                    "rst": rst,
                    "clear": 0,
                    "bad": 0,
                    "header_end": 0,
                    "truncated": cut_off,
                    "reason": random.choice(TRUNCATED),
                    "state": state,
                    "a": pack(rows, n),
                    "copies_idle": chance(random, mood["idle"]),
                    "list_word": random.choice((address, address ^ near, random.getrandbits(n))),
                }
            )
            quiet = outputs["idle"] and state == OUTPUT
            cycles += 1


def _any_cycle(random, config, mood, kind):
    """Return the inputs that have nothing to do with the place in the message; nothing is lost of a multicast."""
    n = config.dim
    return {
        "lost": _some(random, n) if kind != "multicast" and chance(random, mood["drop"]) else 0,
        "broken": sparse(random, n) if chance(random, mood["drop"]) else 0,
        "committed": chance(random, mood["committed"]),
        "source": random.choice((sparse(random, n), config.nodes - 1)),
        "kept": sparse(random, n),
        "controls": random.getrandbits(n * n),
        "terminate": chance(random, 0.8),
        "o__ready": chance(random, mood["ready"]),
    }


def _some(random, n):
    """Return a few ports, or any one of them."""
    return random.choice((sparse(random, n), 1 << random.randrange(n)))


def watch(inputs, outputs, twin):
    """Name every reason reported for every kind of message, stalls, what is passed over, and how scans begin."""
    kind = next((name for name in ("multicast", "listed", "broadcast") if inputs[name]), "")
    noted = recall(twin, (twin.scanning, twin.lost_copies, twin.cut_copies, twin.base))
    scanning, lost_copies, cut_copies, base = noted or (0, 0, 0, 0)
    reason = Reason(outputs["o__reason"] or 0)
    if outputs["o__valid"]:
        if reason not in (*AT_ONCE, *TRUNCATED) and scanning and base and reason != Reason.COPY_CUT:
            yield f"behind a lost copy, {kind}"
        else:
            yield reason.name if reason in (*AT_ONCE, *TRUNCATED) else f"{reason.name} {kind}"
        if not inputs["o__ready"]:
            yield "stall"
        if reason in TRUNCATED and inputs["a"] and inputs["state"] == OUTPUT:
            yield "two troubles"
        if reason in TRUNCATED and cut_copies:
            yield "broken copy waits for a malformed message"
        if reason == Reason.COPY_CUT:
            if cut_copies & cut_copies - 1:
                yield "several broken copies"
            if scanning:
                yield "scan waits for a broken copy"
            if cut_copies & -cut_copies & inputs["broken"] and inputs["o__ready"]:
                yield "broken again as it is reported"
    elif not outputs["idle"] and inputs["state"] == OUTPUT:
        if kind == "multicast":
            yield "rows are decided again"
        elif scanning and kind == "listed":
            yield "list word passed over" if inputs["copies_idle"] else "waits for the copies"
    if not outputs["idle"] and inputs["state"] == PROCESSING:
        yield "waits for the decisions"
    if lost_copies and not inputs["header_end"] and not inputs["clear"]:
        if scanning:
            yield "lost copy waits for a scan"
        else:
            yield "begin before a control vector" if outputs["keep"] else "begin after a control vector"
    if inputs["clear"]:
        yield "bad k word" if inputs["bad"] and inputs["state"] == WAIT else "clear"
        if scanning or lost_copies or cut_copies:
            yield "clear in the middle"
    if inputs["rst"] and not outputs["idle"]:
        yield "reset"
    if outputs["reset_rows"] and item(outputs["reset_rows"], 0, 1) == 0:
        yield "row above the first"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = [Reason(reason).name for reason in (*AT_ONCE, *TRUNCATED)]
    kinds = ["multicast", "broadcast"] + ["listed"] * config.carries_lists
    happen += [f"{reason} {kind}" for reason in ("UNDELIVERABLE", "NO_LANE", "COPY_CUT") for kind in kinds]
    happen += [f"behind a lost copy, {kind}" for kind in kinds[1:]]
    happen += ["stall", "two troubles", "waits for the decisions", "rows are decided again"]
    happen += ["broken copy waits for a malformed message", "several broken copies", "scan waits for a broken copy"]
    happen += ["broken again as it is reported", "lost copy waits for a scan"]
    happen += ["begin before a control vector", "begin after a control vector"]
    happen += ["bad k word", "clear", "clear in the middle", "reset"]
    if config.carries_lists:
        happen += ["list word passed over", "waits for the copies"]
    if config.max_dest > 1:
        happen.append("row above the first")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.reporter:Reporter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
