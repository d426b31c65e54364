"""Testbench of the shared multicaster: whose turn it is, and the choice for the one that has it."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let lanes ask until they have decided, or some moods until they lose interest; words come for any lane."""
    n, m, lanes = config.dim, config.max_dest, config.lanes
    drawing = moods(
        random,
        40,
        ask=(0.01, 0.1, 0.5),
        lapse=(0.0, 0.0, 0.2),
        decide=(0.1, 0.6, 1.0),
        more=(0.0, 0.7),
        word=(0.0, 0.3, 1.0),
        change=(0.0, 0.1, 0.6),
        reset=(0.0, 0.0, 0.05),
    )
    asks, change = 0, {}
    while True:
        mood = next(drawing)
        asks &= ~sum(chance(random, mood["lapse"]) << lane for lane in range(lanes))
        asks |= sum(chance(random, mood["ask"]) << lane for lane in range(lanes))
        for lane in range(lanes):
            if chance(random, mood["change"]):
                change[f"votes__{lane}"] = sparse(random, m * n)
            if chance(random, mood["change"]):
                change[f"blocked__{lane}"] = random.choice((0, 0, 1 << random.randrange(n), sparse(random, n)))
        change |= {"asks": asks, "valid": chance(random, mood["word"]), "lane": random.getrandbits(config.lane_bits)}
        change |= {"decides": chance(random, mood["decide"]), "rst": chance(random, mood["reset"])}
        outputs = yield change
        if change["decides"] and not chance(random, mood["more"]):
            asks &= ~outputs["offered"]
        change = {}


def watch(inputs, outputs, twin):
    """Name where the turn goes, and what keeps the choice from being offered."""
    config, asks, offered, rst = twin.config, inputs["asks"], outputs["offered"], inputs["rst"]
    turn, turn_before, rows_before = recall(twin, None) or (0, None, None)
    rows = inputs[f"votes__{turn}"]
    recall(twin, (twin.turn, None if rst else turn, rows))
    others = asks & ~(1 << turn)
    if offered and others:
        yield "offered while others ask"
    if config.decision_latency > 1:
        if not offered:
            yield "nothing to choose" if turn == turn_before else "offered late"
        elif rows != rows_before:
            yield "rows change after the choice"
    if rst:
        yield "reset while the turn is elsewhere" if turn else "reset"
    elif asks >> turn & 1 and not inputs["decides"]:
        yield "turn kept while others ask" if others else "turn kept"
    elif others:
        yield "turn passed on" if asks >> turn & 1 else "turn passed on by one that does not ask"
        if twin.turn < turn:
            yield "turn wraps around"
    elif asks:
        yield "turn comes back at once"
    elif inputs["valid"]:
        yield "header of no lane" if inputs["lane"] >= config.lanes else "header"
        if twin.turn != turn:
            yield "turn passed by a header"
    else:
        yield "turn stays"


def events(config, extra, options):
    """Return what can happen with so many lanes."""
    happen = ["offered while others ask", "reset", "reset while the turn is elsewhere", "turn kept", "turn stays"]
    happen += ["turn kept while others ask", "turn passed on", "turn passed on by one that does not ask"]
    happen += ["turn wraps around", "turn comes back at once", "header", "turn passed by a header"]
    if config.lanes < 1 << config.lane_bits:
        happen.append("header of no lane")
    if config.decision_latency > 1:
        happen += ["nothing to choose", "offered late", "rows change after the choice"]
    return tuple(happen)


BENCH = Bench(
    unit="multicast.shared_multicaster:SharedMulticaster",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
