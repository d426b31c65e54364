"""Testbench of the way down: results for any of the three, who take them at any time, and stops in between."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

TARGETS = ("a", "b", "result")
"""Who gets a result."""


def stimulus(random, config):
    """Let results come and be taken; who gets them changes only while the unit does not run."""
    drawing = moods(
        random,
        60,
        come=(0.1, 0.6, 1.0),
        a=(0.1, 0.6, 1.0),
        b=(0.1, 0.6, 1.0),
        result=(0.1, 0.6, 1.0),
        stop=(0.0, 0.05),
        reset=(0.0, 0.01),
    )
    while True:
        wanted = {name: random.getrandbits(1) for name in ("has_a", "has_b", "deliver")}
        rst, left, ne = 0, -1, 0
        while not rst and left:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if left < 0 and chance(random, mood["stop"]):
                left = random.randint(2, 5)
            left -= left > 0
            ne = ne or chance(random, mood["come"])
            outputs = yield {
                "rst": rst,
                "running": int(left < 0),
                **wanted,
                "d__ne": ne,
                "taken_a": chance(random, mood["a"]),
                "taken_b": chance(random, mood["b"]),
                "result__ready": chance(random, mood["result"]),
            }
            if outputs["d__pop"]:
                ne = 0


def watch(inputs, outputs, twin):
    """Name who gets a result, who waits, and what is dropped."""
    asks = {"a": outputs["ask_a"], "b": outputs["ask_b"], "result": outputs["result__valid"]}
    before = recall(twin, (inputs["d__ne"] and not outputs["d__pop"], dict(asks), any(twin.done)))
    if inputs["rst"]:
        yield "reset"
        return
    if not inputs["running"]:
        if inputs["d__ne"]:
            yield "dropped"
            if before and before[2]:
                yield "dropped when some have it"
        return
    wanted = tuple(name for name in TARGETS if inputs["deliver" if name == "result" else f"has_{name}"])
    if outputs["d__pop"]:
        yield f"{wanted} have it"
    for name in TARGETS:
        if before and before[0] and before[1][name] and not asks[name]:
            yield f"{name} has it, and others wait"


def events(config, extra, options):
    """Return all sets of targets."""
    sets = [tuple(name for place, name in enumerate(TARGETS) if chosen >> place & 1) for chosen in range(8)]
    found = ["reset", "dropped", "dropped when some have it", *(f"{wanted} have it" for wanted in sets)]
    return (*found, *(f"{name} has it, and others wait" for name in TARGETS))


BENCH = Bench(
    unit="reduction.down:Down",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
