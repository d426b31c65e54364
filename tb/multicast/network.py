"""Testbench of the network: all outputs of all routers and all links, and a scoreboard beside the twin."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.parameters import DERIVED
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.control_ports import accesses, check_counters, restart
from cubecast.tb.common.fault_events import FaultEvents
from cubecast.tb.common.patterns import chance, item, moods, pack
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.scoreboard import Scoreboard, fault_set
from cubecast.tb.multicast.traffic import Source, kinds, message, well_formed

__all__ = ["BENCH"]

GIVE_UP = 4000
"""Cycles after the last injection in which everything must be accounted for."""


ROUNDS = ("none", "rule", "broken", "live")
"""Faults of a round: none; nodes, by the rule of one faulty neighbour; nodes, against it; changing all the time."""


def stimulus(random, config, messages=60, rounds=ROUNDS, reset=True, load=1.0, malformed=0.1, steady=False):
    """Run rounds of random traffic: reset, fault vectors written, messages of every kind, drained, books checked.

    ``messages`` per round; ``rounds``: which faults each round has; ``reset``: one more round before, which a reset
    ends in the middle; ``load``: probability that an idle injection port gets a message in a cycle; ``steady``:
    messages are sent and taken as fast as can be, all the time.
    """
    if reset:
        yield from _round(random, config, "none", 1000, load, malformed, steady, cycles=150)
    for faults in rounds:
        kind = faults if config.fault_tolerant else "none"
        yield from _round(random, config, kind, messages, load, malformed, steady)


def _round(random, config, faults, messages, load, malformed, steady, cycles=None):
    """Run one round; with ``cycles``, stop after about so many in the middle of the traffic."""
    n, width, nodes = config.dim, config.width, range(config.nodes)
    faulty = fault_set(random, config, faults == "rule") if faults in ("rule", "broken") else frozenset()
    board = Scoreboard(config, faulty, live=faults == "live")
    assert board.rule == (faults in ("none", "rule")), f"the fault set {sorted(faulty)} is not what was asked for"
    faults = FaultEvents(random, config.dim) if faults == "live" else None
    senders = [node for node in nodes if node not in faulty]
    good = well_formed(config)
    bad = [kind for kind in kinds(config) if kind not in good]
    sources = [Source(random, config) for _ in nodes]
    outputs = yield from restart(board.vectors)
    choices = {"gap": (0.0, 0.3), "ready": (0.1, 0.7, 1.0), "start": (0.0, 0.5), "load": (0.05, 1.0)}
    if steady:
        choices = {"gap": (0.0,), "ready": (1.0,), "start": (0.0,), "load": (1.0,)}
    drawing = moods(random, 100, **choices)
    inject_valid = eject_ready = quiet = cycle = waited = 0
    # A word that waits at an ejection port is still there in the cycle of the reset.
    while quiet < 60 and (cycles is None or cycle < cycles or not outputs["eject_valid"] & ~eject_ready):
        cycle += 1
        mood = next(drawing)
        for node in senders:
            if messages and not sources[node].words and chance(random, load * mood["load"]):
                kind = random.choice(bad if chance(random, malformed) else good)
                made = message(random, config, kind, node, distinct=bool(faulty or faults))
                board.inject(node, made)
                sources[node].send(made.words)
                messages -= 1
        moved = inject_valid & outputs["inject_ready"]
        offers = [source.next(moved >> node & 1, mood["gap"], mood["start"]) for node, source in enumerate(sources)]
        valid, data, last, error = zip(*offers, strict=True)
        inject_valid = pack(valid, 1)
        eject_ready = pack((chance(random, mood["ready"]) for _ in nodes), 1)
        access = accesses(random, len(nodes), faults.next if faults else dict)
        outputs = yield {
            "inject_valid": inject_valid,
            "inject_data": pack(data, width),
            "inject_last": pack(last, 1),
            "inject_error": pack(error, 1),
            "eject_ready": eject_ready,
            **access,
        }
        ejected = outputs["eject_valid"] & eject_ready
        for node in nodes:
            if ejected >> node & 1:
                word = item(outputs["eject_data"], node, width)
                board.eject(node, word, outputs["eject_last"] >> node & 1, outputs["eject_error"] >> node & 1)
            if outputs["report_valid"] >> node & 1:
                destination = item(outputs["report_destination"], node, n)
                board.report(node, item(outputs["report_reason"], node, 4), destination)
        if not messages and not any(source.words for source in sources):
            waited += 1
            quiet = quiet + 1 if board.settled else 0
            assert waited < GIVE_UP, f"not settled {GIVE_UP} cycles after the last injection: {board.balance()}"
    if cycles is None:
        yield from _read_counters(config, board)


def _read_counters(config, board):
    """Compare the routers' own counters with what the scoreboard saw."""
    n, nodes = config.dim, range(config.nodes)
    wanted = {Register.MESSAGES_IN + n: board.injected, Register.MESSAGES_OUT + n: board.delivered}
    for reason in Reason:
        wanted[Register.REPORTS + reason] = {node: board.reported[node, reason] for node in nodes}
    yield from check_counters(config, wanted)


def watch(inputs, outputs, twin):
    """Name how busy the network is, what stalls, what is reported, and which lanes are used."""
    config = twin.config
    if inputs["inject_valid"] & ~outputs["inject_ready"]:
        yield "injection waits"
    ejecting = outputs["eject_valid"]
    if ejecting:
        yield "ejection stalls" if ejecting & ~inputs["eject_ready"] else "ejection"
        if ejecting & outputs["eject_last"] & outputs["eject_error"] & inputs["eject_ready"]:
            yield "poisoned delivery"
        if ejecting & ejecting - 1:
            yield "several deliveries at once"
    busy = sum(outputs[f"link_{dimension}_valid"].bit_count() for dimension in range(config.dim))
    if inputs["rst"] and (busy or ejecting):
        yield "reset in the middle"
    if busy > config.nodes * config.dim // 3:
        yield "a third of the links busy"
    if busy and any(outputs[f"link_{dimension}_lane"] for dimension in range(config.dim)):
        yield "upper lane"
    full = (1 << config.nodes * config.lanes) - 1
    if any(outputs[f"link_{dimension}_ready"] != full for dimension in range(config.dim)):
        yield "a lane is not ready"
    if outputs["multiple_faults"]:
        yield "multiple faults"
    reporting = outputs["report_valid"]
    while reporting:
        node = reporting.bit_length() - 1
        reporting ^= 1 << node
        yield Reason(item(outputs["report_reason"], node, 4)).name
    if any(outputs["control_read_data"] >> 32 * node + 31 & 1 for node in range(config.nodes)):
        yield "log entry read"


def events(config, extra, options):
    """Return what can happen with these parameters and rounds."""
    rounds = options.get("rounds", ROUNDS) if config.fault_tolerant else ()
    happen = ["ejection", "poisoned delivery", "several deliveries at once", "a lane is not ready"]
    if not options.get("steady", False):
        happen.append("ejection stalls")
    if config.log_depth and (options.get("malformed", 0.1) or rounds):
        happen.append("log entry read")
    if options.get("load", 1.0) == 1.0:
        happen += ["injection waits", "a third of the links busy"]
    if options.get("reset", True):
        happen.append("reset in the middle")
    without_faults = config.policy_facts.lanes(config.dim, False, DERIVED)
    if config.lanes > 1 and (without_faults > 1 or {"rule", "broken", "live"} & set(rounds)):
        happen.append("upper lane")
    if "rule" in rounds:
        happen.append("UNDELIVERABLE")
    if "broken" in rounds:
        happen.append("multiple faults")
    # Short messages are rarely in the middle of a link when it is cut.
    if "live" in rounds and config.max_data > 2:
        happen += ["COPY_CUT", "INPUT_CUT"]
    if options.get("malformed", 0.1):
        happen += [kind.upper() for kind in kinds(config) if kind.upper() in Reason.__members__]
    return tuple(happen)


BENCH = Bench(
    unit="multicast.network:Network",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
