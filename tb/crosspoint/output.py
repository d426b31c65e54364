"""Testbench of an output: requesters compete, the far end opens and closes, the link is cut at any time."""

from cubecast.golden.crosspoint.contract.word import CONTEXTS, OPERATION_BITS, CrosspointReason, inputs_of
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.crosspoint.requester import Requester
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

NOTHING = dict.fromkeys(("request", "data", "rop", "last", "error"), 0)
"""What stands at the port of the reduction while it has no word."""


def stimulus(random, config, reduce=0):
    """Let all requesters offer packets, and words of so many reductions come beside them."""
    router, count = config.router, len(inputs_of(config.router, config.port))
    drawing = moods(
        random,
        60,
        load=(0.02, 0.2, 1.0),
        gap=(0.0, 0.0, 0.5),
        ready=(0.1, 0.7, 1.0),
        up=(0.1, 0.7, 1.0),
        cut=(0.0, 0.0, 0.05, 0.3),
        repair=(0.1, 0.7),
        report=(0.05, 1.0, 1.0),
        reset=(0.0, 0.005),
        **({"reduce": (0.0, 0.3, 1.0)} if reduce else {}),
    )
    while True:
        requesters = [Requester(random, router) for _ in range(count)]
        rst = cut = 0
        words = dict.fromkeys(CONTEXTS[:reduce])
        while not rst:
            mood = next(drawing)
            cut = int(not chance(random, mood["repair"]) if cut else chance(random, mood["cut"]))
            rst = chance(random, mood["reset"])
            change = {
                "rst": rst,
                "cut": cut,
                "address": random.randrange(router.nodes),
                "ready": chance(random, mood["ready"]),
                "report__ready": chance(random, mood["report"]),
            }
            for context in words:
                words[context] = words[context] or (_word(random, router) if chance(random, mood["reduce"]) else None)
                offered = words[context] or NOTHING
                change |= {f"reduce{context}__{name}": value for name, value in offered.items()}
                change[f"ready_r{context}"] = chance(random, mood["ready"])
            if router.runs == 2:
                change["ready_up"] = change["ready"] | chance(random, mood["up"])
            for k, requester in enumerate(requesters):
                change |= {f"i__{k}__{name}": value for name, value in requester.next(mood).items()}
            outputs = yield change
            for k, requester in enumerate(requesters):
                requester.saw(outputs["pop"] >> k & 1)
            for context in words:
                if outputs[f"reduce{context}__taken"]:
                    words[context] = None


def _word(random, router):
    """Return a word of a reduction."""
    fields = {"data": router.width, "rop": OPERATION_BITS, "last": 1, "error": 1}
    return {"request": 1, **{name: random.getrandbits(bits) for name, bits in fields.items()}}


def watch(inputs, outputs, twin):
    """Name how packets begin, go on and end, what keeps heads back, and what a cut meets."""
    count, cut, pop = len(twin.requesters), inputs["cut"], outputs["pop"]
    ne = sum(inputs[f"i__{k}__ne"] << k for k in range(count))
    before = recall(twin, None) or {"over": False, "hold": 0, "busy": False, "report": 0}
    recall(twin, {"over": bool(outputs["push"] and outputs["last"]), "hold": twin.hold, "busy": twin.busy})
    if inputs["rst"]:
        if before["busy"]:
            yield "reset"
        return
    asking = [context for context in CONTEXTS if inputs.get(f"reduce{context}__request")]
    for context in asking:
        yield from (f"{name}{context}" for name in _reduced(inputs, outputs, before, context))
    taken = sum(outputs[f"reduce{context}__taken"] for context in asking)
    if len(asking) > 1 and taken:
        yield "one of two reductions"
    if outputs["head"] and outputs["push"]:
        yield "one word" if outputs["last"] else "a packet begins"
        if before["over"]:
            yield "a head right after a last word"
    if ne & ne - 1:
        yield "contention"
    if ne and not pop:
        if outputs["report__valid"] and not before["busy"]:
            yield "a head waits for the report"
        elif not before["busy"] and not cut:
            yield "a head waits for room"
    if before["busy"] and ne and not pop:
        yield "another waits while busy"
    if before["busy"] and not ne:
        yield "a gap"
    if outputs["word_out"] and not outputs["head"]:
        yield "body"
    if cut and twin.config.router.fault_tolerant:
        if outputs["head"]:
            yield "cut, head swallowed"
        elif pop:
            yield "cut, body swallowed"
        if before["hold"]:
            yield "cut within a packet" if pop else "cut in a gap"
    elif pop and not outputs["push"] and not outputs["head"]:
        yield "repaired before the swallowed packet ends"
    if outputs["report__valid"]:
        yield CrosspointReason(outputs["report__reason"]).name
    if inputs.get("ready_up") and not inputs["ready"] and outputs["head"] and not cut:
        yield "a head on its second run passes"


def _reduced(inputs, outputs, before, context):
    """Name what a word of a reduction meets."""
    if outputs[f"reduce{context}__taken"]:
        yield "reduced"
        if outputs["report__valid"]:
            yield "reduced beside a report"
        if before["over"]:
            yield "reduced right after a last word"
    elif before["busy"]:
        yield "the reduction waits for a packet"
    elif inputs["cut"]:
        yield "the reduction waits for a cut link"
    else:
        room = inputs[f"ready_r{context}"]
        yield "another goes before the reduction" if room else "the reduction waits for room"


def events(config, extra, options):
    """Return what can happen at such an output."""
    router, count = config.router, len(inputs_of(config.router, config.port))
    happen = ["reset", "one word", "a head waits for room", "a head right after a last word"]
    if router.packet_limit > 1:
        happen += ["a packet begins", "body", "a gap"]
    if count > 1:
        happen += ["contention"]
        happen += ["another waits while busy"] * (router.packet_limit > 1)
    if router.fault_tolerant:
        happen += ["cut, head swallowed", "a head waits for the report", "UNDELIVERABLE"]
        if router.packet_limit > 1:
            happen += ["cut, body swallowed", "cut within a packet", "cut in a gap", "PACKET_CUT"]
            happen += ["repaired before the swallowed packet ends"]
    reductions = ["reduced", "reduced right after a last word", "the reduction waits for room"]
    reductions += ["the reduction waits for a packet"] * (router.packet_limit > 1)
    reductions += ["another goes before the reduction"]
    reductions += ["reduced beside a report", "the reduction waits for a cut link"] * router.fault_tolerant
    contexts = CONTEXTS[: options.get("reduce", 0)]
    happen += [f"{name}{context}" for context in contexts for name in reductions]
    happen += ["one of two reductions"] * (len(contexts) > 1)
    if any(i < config.port for i in inputs_of(router, config.port)):
        happen.append("a head on its second run passes")
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.output:Output",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:Port",
)
