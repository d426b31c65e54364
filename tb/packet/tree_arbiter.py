"""Testbench of the tree arbiter; it also counts how long a lasting request waits."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config, count=5):
    """Request at random, from one of ``count`` requesters to all; requests last, or come and go."""
    held = 0
    for mood in moods(random, 40, ask=(0.1, 0.5, 1.0), keep=(0.0, 1.0), open=(0.5, 1.0), advance=(0.2, 1.0)):
        asked = sum(chance(random, mood["ask"]) << place for place in range(count))
        request = held | random.choice((asked, sparse(random, count)))
        # One requester needs no register, so there is no reset.
        reset = {"rst": chance(random, 0.01)} if count > 1 else {}
        outputs = yield reset | {
            "request": request,
            "open": chance(random, mood["open"]),
            "advance": chance(random, mood["advance"]),
        }
        held = request & ~outputs["grant"] if chance(random, mood["keep"]) else 0


def _longest(count):
    """Return the most grants to others that a lasting request sees."""
    return (1 << (count - 1).bit_length()) - 1


def watch(inputs, outputs, twin):
    """Name ties, grants that wait and the longest wait; nobody waits for more grants than a tree allows."""
    count = twin.count
    passed = vars(twin).get("noted") or [0] * count
    request, grant = inputs["request"], outputs["grant"]
    if not request:
        yield "idle"
    elif not inputs["open"]:
        yield "closed"
    else:
        yield "tie" if request & request - 1 else "alone"
        if grant != request & -request:
            yield "not the lowest"
        if not inputs["advance"]:
            yield "grant waits"
    used = inputs["advance"] and grant
    for place in range(count):
        if not request >> place & 1 or inputs.get("rst") or (used and grant >> place & 1):
            passed[place] = 0
        elif used:
            passed[place] += 1
            if passed[place] == _longest(count):
                yield "waited longest"
            assert passed[place] <= _longest(count), f"requester {place} of {count} waits for ever"
    recall(twin, passed)
    if inputs.get("rst"):
        yield "reset"


def events(config, extra, options):
    """Return what can happen with so many requesters."""
    several = ("tie", "not the lowest", "waited longest", "reset") if extra["count"] > 1 else ()
    return ("idle", "closed", "alone", "grant waits", *several)


BENCH = Bench(
    unit="packet.tree_arbiter:TreeArbiter",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"count": 5},
)
