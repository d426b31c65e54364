"""Bench of the merge collector: messages as the receiver tells of them, in every state, with credits used and cuts."""

from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import State
from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.collective.messages import STRANGE
from cubecast.tb.common.patterns import chance, item, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

MERGE, RESULT, OTHER = 1, 2, 3


MERGING = (State.CREDIT, State.ENDS, State.GATHER)
"""States in which words to be merged are taken."""

STAGES = (0, 0, 0, 1, 2, 4, 8)
"""Stages of the node and of messages: any bit alone makes a difference, and often none does."""


@by_bundles("command", "awaited", "arrival", "gathered", "passed")
def stimulus(random, config):
    """Tell of messages word by word; what the node does meanwhile changes with the moods, and so do the limits."""
    n = config.dim
    drawing = moods(
        random,
        30,
        word=(0.3, 1.0),
        steady=(0.0, 1.0, 1.0),
        wanted=(0.3, 0.9),
        short=(0.0, 0.0, 0.3),
        wrong=(0.0, 0.0, 0.5),
        use=(0.0, 0.1, 0.6),
        start=(0.0, 0.03, 0.1),
        cut=(0.0, 0.0, 0.02, 0.2),
        ring=(0.0, 0.0, 1.0),
        relay=(0.0, 1.0),
        hops=(1, 8),
        reset=(0.0, 0.0, 0.02),
    )
    address, message, mood, outputs, quiet = random.getrandbits(n), None, None, None, False
    here = _here(random, config, random.randrange(10), 0)
    for fresh in drawing:
        if fresh is not mood or not chance(random, fresh["steady"]):
            mood = fresh
            state = random.choice((State.GATHER, State.GATHER, State.AWAIT, random.randrange(10)))
            here = _here(random, config, state, chance(random, mood["ring"]))
            here["relay_open"] = chance(random, mood["relay"])
        rst = chance(random, mood["reset"])
        start, cut = chance(random, mood["start"]), chance(random, mood["cut"])
        change = here | {"rst": rst, "address": address, "start": start, "cut_short": cut}
        change |= dict.fromkeys(("head", "word", "message_end", "bad"), 0)
        change |= {"argument": random.getrandbits(16), "use_credit": 0, "use_relay": 0, "use_end": 0}
        if message is None:
            message = _message(random, config, address, here["length"], mood)
        change |= message["fields"]
        if chance(random, mood["word"]):
            message = _tell(random, message, change)
        if quiet and chance(random, mood["use"]):
            some = sparse(random, n)
            change["use_credit"] = some & outputs["credit"]
            change["use_relay"] = sparse(random, n) & outputs["relay_credit"]
            change["use_end"] = sparse(random, n) & _some(config, outputs["end_credits"])
        if quiet and change["head"] and change["kind"] <= Kind.END_CREDIT and chance(random, 0.3):
            j = (change["argument"] ^ address).bit_length() - 1
            have = (outputs["credit"], outputs["relay_credit"], _some(config, outputs["end_credits"]))[change["kind"]]
            name = ("use_credit", "use_relay", "use_end")[change["kind"]]
            change[name] |= have & 1 << max(j, 0)
        # A credit that is used up is seen a cycle later.
        quiet = not (rst or cut or change["use_credit"] or change["use_relay"] or change["use_end"])
        if rst:
            message, address = None, random.getrandbits(n)
        outputs = yield change


def _some(config, credits):
    """Return the mask of the dimensions that have end credits."""
    return sum((item(credits, j, 4) > 0) << j for j in range(config.dim))


def _here(random, config, state, ring):
    """Return what the unit around is at."""
    most = config.max_vector
    return {
        "state": int(state),
        "ring": ring,
        "expected": random.choice((0, 1, 4, 1 << random.randrange(16), 0xFFFF)),
        "stage_here": random.choice(STAGES),
        "length": random.choice((0, most - 1, most, random.randint(0, most))),
        "relay_open": 0,
    }


def _message(random, config, address, length, mood):
    """Return a message: the receiver's fields, and what it tells of it; many are about the end of the vector."""
    wanted = chance(random, mood["wanted"])
    kinds = (Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT, Kind.DATA, Kind.DATA, Kind.RELAY, Kind.RESULT, Kind.RING)
    kind = random.choice(kinds) if wanted else random.randrange(8)
    argument = random.choice((0, random.randrange(config.max_vector), max(0, length - 1), length))
    if chance(random, 0.05):
        argument = 0xFFFE + random.randrange(2)
    if kind in (Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT):
        argument = address ^ 1 << random.randrange(config.dim)
        if chance(random, mood["wrong"]):
            beyond = argument ^ 1 << random.randrange(config.dim, 16)
            argument = random.choice((address, address ^ 3, address ^ 1 << random.randrange(16), beyond, beyond))
    words = random.choice((0, 0, 1, random.randint(0, min(config.segment, 4))))
    told = [("head", argument), *[("word", 0)] * words]
    if chance(random, mood["short"]) and chance(random, 0.5):
        told = []
    fields = {"kind": int(kind), "is_final": chance(random, 0.7), "stage": random.choice(STAGES)}
    fields["hops"] = random.getrandbits(mood["hops"])
    return {"fields": fields, "told": told, "bad": not told or chance(random, mood["short"])}


def _tell(random, message, change):
    """Add what the receiver tells in a cycle with a word; return the rest of the message, or None."""
    if not message["told"]:
        change["bad"] = 1
        return None
    (what, argument), *told = message["told"]
    change[what] = 1
    if what == "head":
        change["argument"] = argument
    if told:
        return message | {"told": told}
    change["message_end"], change["bad"] = 1, int(message["bad"])
    return None


@without_bundles
def watch(inputs, outputs, twin):
    """Name what is accepted and what is not, and what meets in one cycle."""
    config = twin.config
    kind = Kind(inputs["kind"]).name if inputs["kind"] != STRANGE else "STRANGE"
    before = recall(twin, outputs)
    head, cut = inputs["head"], inputs["cut_short"]
    if inputs["rst"]:
        if outputs["credit"] and outputs["accepted"]:
            yield "reset"
        recall(twin, None)
        return
    accepted = outputs["accept"] if head else outputs["accepted"]
    if head:
        yield f"{kind} is {'accepted' if outputs['accept'] else 'strange'}"
        yield from _head(config, inputs, outputs)
    if cut:
        yield "cut"
        if head:
            yield "cut beside a head"
        if outputs["accepted"] and not head:
            yield "cut in a message"
        if outputs["credit"] and outputs["relay_credit"] and outputs["end_credits"]:
            yield "cut with all kinds of credits"
    if inputs["word"]:
        if outputs["write"]:
            yield "a word of the result" if outputs["replace"] else "a word is merged"
        elif accepted in (MERGE, RESULT):
            yield "a word beyond the vector"
        elif not accepted:
            yield "a word of a message that is strange"
    if inputs["message_end"] and not cut:
        yield f"{'final' if inputs['is_final'] else 'not final'} end of {kind if accepted else 'what is strange'}"
        if head and accepted:
            yield "a message without words"
        if inputs["is_final"] and accepted in (MERGE, RESULT) and twin.torn:
            yield "a final end that does not count" if inputs["bad"] else "a whole end that does not count"
    if inputs["bad"]:
        yield "bad at its end" if inputs["message_end"] else "bad, and short"
        if head and not outputs["accept"]:
            yield "counted twice"
    if inputs["start"]:
        for name in ("head", "word", "message_end", "bad"):
            if inputs[name]:
                yield f"start beside {name}"
        if outputs["failed"] and outputs["highest"] and outputs["received"]:
            yield "start clears"
        if outputs["result_here"]:
            yield "start with a result"
    if before and outputs["failed"] and not before["failed"]:
        yield "failed"
    if outputs["pointer"] == 0xFFFF and inputs["word"]:
        yield "the pointer wraps"


def _head(config, inputs, outputs):
    """Name what becomes of the head of a message."""
    kind, accept, state = inputs["kind"], outputs["accept"], inputs["state"]
    from_here = inputs["argument"] ^ inputs["address"]
    j = from_here.bit_length() - 1
    if kind <= Kind.END_CREDIT and not accept:
        yield "credit of the node itself" if not from_here else "credit of no neighbour"
    if accept == OTHER and kind == Kind.CREDIT:
        yield "credit used beside a new one" if inputs["use_credit"] >> j & 1 else "credit"
    if accept == OTHER and kind == Kind.RELAY_CREDIT:
        yield "relay credit used beside a new one" if inputs["use_relay"] >> j & 1 else "relay credit"
    if accept == OTHER and kind == Kind.END_CREDIT:
        yield "end credit used beside new ones" if inputs["use_end"] >> j & 1 else "end credits"
        if item(outputs["end_credits"], j, 4) + inputs["hops"] > 15:
            yield "end credits wrap"
    if kind == Kind.DATA:
        if accept:
            yield "the stage of this node" if inputs["stage"] == inputs["stage_here"] else "another stage"
            if inputs["stage"] == inputs["stage_here"]:
                yield "higher" if inputs["hops"] > outputs["highest"] else "not higher"
        elif not inputs["ring"] and state in MERGING:
            yield "more than expected"
        elif not inputs["ring"]:
            yield "data in another state"
    if kind == Kind.RESULT and not accept and state == State.AWAIT:
        yield "a second result" if not inputs["ring"] else "a result in a ring"


def events(config, extra, options):
    """Return what can happen."""
    happen = ["reset", "cut", "cut beside a head", "cut in a message", "cut with all kinds of credits"]
    happen += [f"{kind.name} is accepted" for kind in Kind]
    happen += [f"{kind} is strange" for kind in ("CREDIT", "RELAY_CREDIT", "END_CREDIT", "DATA", "RELAY", "RESULT")]
    happen += ["STRANGE is strange", "a word of the result", "a word is merged", "a word beyond the vector"]
    happen += ["a word of a message that is strange", "a message without words", "final end of what is strange"]
    happen += [f"{final} end of {kind.name}" for final in ("final", "not final") for kind in Kind]
    happen += ["bad at its end", "bad, and short", "counted twice", "start clears", "start with a result", "failed"]
    happen += [f"start beside {name}" for name in ("head", "word", "message_end", "bad")]
    happen += ["credit of the node itself", "credit of no neighbour", "credit", "credit used beside a new one"]
    happen += ["relay credit", "relay credit used beside a new one", "end credits", "end credit used beside new ones"]
    happen += ["end credits wrap", "the stage of this node", "another stage", "higher", "not higher"]
    happen += ["more than expected", "data in another state", "a second result", "a result in a ring"]
    happen += ["a final end that does not count", "a whole end that does not count"]
    return (*happen, "the pointer wraps")


BENCH = Bench(
    unit="collective.merge_collector:MergeCollector",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
