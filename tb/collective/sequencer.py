"""Testbench of the collective sequencer: whole merges and rings, with everything around it slow or quick at random."""

from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import State
from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.common.patterns import chance, moods, pack, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH", "operation", "vector"]

MORE = (State.LOAD, State.LOAD, State.LOAD, State.GATHER, State.AWAIT, State.AWAIT, State.SPREAD, State.SPREAD)
"""States that are seldom met, left at once, or cut short before or amid something."""

DRAWING = {
    "gap": (0.0, 0.5),
    "ready": (0.2, 1.0),
    "grant": (0.1, 1.0),
    "done": (0.1, 1.0),
    "come": (0.2, 1.0),
    "cut": (0.0, 0.0, 0.0, 0.02),
    "reset": (0.0, 0.0, 0.0, 0.005),
}


def operation(random, config):
    """Return the fields of the registers of any operation."""
    n, most = config.dim, config.max_vector
    places = sorted(random.randint(0, most) for _ in range(n))
    if chance(random, 0.6):
        random.choice((random.shuffle, list.reverse))(places)
        places[0 if chance(random, 0.5) else -1] = random.choice((most + 1, 0xFFFF))
    dimensions = random.sample(range(n), n)
    if chance(random, 0.4):
        dimensions[random.randrange(n)] = random.choice((n, 15))
    ends = [random.choice((0, 0, 0, 1, 3, random.getrandbits(4))) for _ in range(n)]
    return {
        "ring": chance(random, 0.3),
        "result": random.randrange(3),
        "empty": chance(random, 0.3),
        "receive": random.choice((0, sparse(random, n))),
        "sends": random.choice((0, 1, n, n, random.randint(0, n))),
        "stage": random.getrandbits(4),
        "way": random.choice((1, random.getrandbits(8))),
        "detour": chance(random, 0.3),
        "spread": random.choice((0, sparse(random, n))),
        "next_member": random.getrandbits(n),
        "own": chance(random, 0.7),
        "ends": pack(ends, 4),
        "send_dim": pack(dimensions, 4),
        "send_place": pack(places, 16),
        "expected": random.choice((0, 1, 3, 9)),
    }


def vector(random, config):
    """Return the words of a vector, now and then of one that is too long."""
    most, size = config.max_vector, config.segment
    length = random.choice((1, 2, random.randint(1, size + 1), size + 1, random.randint(1, 2 * size + 1), most))
    length = min(length, most) + random.choice((0, 0, 0, 0, 0, 1, 3)) * (length >= most)
    return [(random.getrandbits(config.width), int(place == length - 1), 0) for place in range(length)]


@by_bundles("command", "awaited", "own", "gathered", "request")
def stimulus(random, config):
    """Run operations, each with registers of its own; some are cut short, in some something is lacking for long."""
    drawing = moods(random, 60, **DRAWING)
    source, moved = Source(random, config.router), 0
    while True:
        rest, before, rst, cut, begun = (
            random.choice((0, 0, 3)),
            random.choice((0, random.getrandbits(16) & ~15)),
            0,
            0,
            False,
        )
        around = Around(random, config, before)
        change = operation(random, config) | {"rst": 0, "address": random.getrandbits(config.dim)}
        change["expected"] += before
        cycles = random.choice((200, 2000)) + 8 * config.max_vector
        victim = random.choice((*State, *MORE, *[None] * 12))
        while not rst:
            mood = next(drawing)
            if not source.words:
                source.send(vector(random, config))
            offer = source.next(moved, mood["gap"], mood["gap"])
            change |= dict(
                zip(("vector_in__valid", "vector_in__data", "vector_in__last"), offer[:3], strict=True)
            ) | around.next(mood)
            rest, cycles = rest - 1, cycles - 1
            likely = 0.7 if around.state == victim else mood["cut"]
            change["start"] = start = int(rest == -1 or (begun and chance(random, mood["cut"])))
            change["cut_short"] = cut = int(cycles < 0 or chance(random, likely))
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            moved = change["vector_in__valid"] and outputs["vector_in__ready"]
            begun = begun or start
            around.see(outputs, change["granted"], change["done"], begun and not cut and not rst)
            change = {}
            if begun and (cut or outputs["finished"]):
                break
        yield {"start": 0, "cut_short": 0, "granted": 0, "done": 0, "vector_in__valid": 0}
        moved = 0
        if rst:
            source = Source(random, config.router)


class Around:
    """Collector, sender and pass sequencer, as far as the sequencer sees them.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CollectiveConfig
        Parameters of the node.
    before : int
        What was received before: it is compared only.
    """

    def __init__(self, random, config, before):
        self.random, self.config = random, config
        self.received = before
        self.credit = self.result_here = self.asked = self.under_way = self.state = self.highest = 0

    def next(self, mood):
        """Return the inputs of the next cycle."""
        random, n = self.random, self.config.dim
        if chance(random, mood["come"]):
            self.credit |= random.choice((0, 1 << random.randrange(n), sparse(random, n)))
            self.received = min(self.received + random.randrange(2), 0xFFFF)
            self.highest = max(self.highest, random.getrandbits(random.choice((2, 8))))
            self.result_here |= int(self.state == State.AWAIT and chance(random, 0.3))
        return {
            "credit": self.credit,
            "received": self.received,
            "highest": self.highest,
            "result_here": self.result_here,
            "pass_done": chance(random, mood["come"]),
            "granted": int(self.asked and chance(random, mood["grant"])),
            "done": int(self.under_way and chance(random, mood["done"])),
            "memory_data": random.getrandbits(self.config.width),
            "vector_out__ready": chance(random, mood["ready"]),
        }

    def see(self, outputs, granted, done, steady):
        """Note what the sequencer did."""
        self.state = outputs["state"]
        self.credit &= ~outputs["use_credit"]
        # A request is seen a cycle later than it is there, and stays until it is granted.
        self.asked = int(steady and outputs["valid"] and not granted)
        self.under_way = int(steady and (granted or (self.under_way and not done)))


@without_bundles
def watch(inputs, outputs, twin):
    """Name every way from state to state, and what is asked for."""
    state = State(outputs["state"]).name
    before = recall(twin, (state, inputs, outputs["place"]))
    if before:
        last, then, place = before
        if last == state == "SEND" and outputs["place"] < place:
            yield "back to the end of a piece"
        if then["rst"]:
            if last != "IDLE":
                yield "reset"
        elif then["cut_short"]:
            yield f"{last} is cut short"
        elif last != state or last == "IDLE":
            yield f"{last} to {state}"
    if outputs["failing"]:
        yield "a word too many"
    if outputs["use_credit"]:
        yield "a credit is used"
    if state == "SEND" and not outputs["valid"] and not outputs["use_credit"] and not inputs["ring"]:
        yield "no credit, or under way"
    if state == "OUTPUT" and outputs["vector_out__valid"]:
        yield "a word comes out" if inputs["vector_out__ready"] else "the host stalls"
        if outputs["vector_out__last"]:
            yield "the last word comes out"
    if state == "LOAD" and not inputs["vector_in__valid"]:
        yield "the host is slow"
    if inputs["vector_in__valid"] > outputs["load"] + outputs["failing"] and outputs["vector_in__ready"]:
        yield "the rest of an aborted vector"
        if state == "LOAD":
            yield "the rest before the next vector"
    if inputs["start"] and state != "IDLE":
        yield "start while busy"
    if inputs["granted"]:
        yield from _request(inputs, outputs, state)


def _request(inputs, outputs, state):
    """Name the request that is granted."""
    kind = Kind(outputs["kind"])
    yield f"{kind.name} in {state}"
    if kind == Kind.RESULT:
        yield "by broadcast" if outputs["broadcast"] else "to neighbours"
    if state in ("SEND", "SPREAD"):
        yield "final" if outputs["is_final"] else "not final"
        if not outputs["body"]:
            yield "a piece without words"
        if kind in (Kind.DATA, Kind.RELAY):
            if not outputs["targets"]:
                yield "to no dimension"
            if outputs["is_final"] and inputs["sends"] > 1:
                yield "one piece of several"
            if outputs["offset"] and outputs["body"]:
                yield "words from the middle"


def events(config, extra, options):
    """Return what can happen with such vectors."""
    happen = ["reset", "a word too many", "a credit is used", "no credit, or under way", "a word comes out"]
    happen += ["the host stalls", "the last word comes out", "the host is slow", "start while busy", "final"]
    happen += ["IDLE to LOAD", "IDLE to CREDIT", "IDLE to SEND", "IDLE to LAST", "LOAD to CREDIT", "LOAD to SEND"]
    happen += ["CREDIT to ENDS", "ENDS to GATHER", "GATHER to SEND", "GATHER to SPREAD", "SEND to AWAIT"]
    happen += ["SEND to LAST", "AWAIT to SPREAD", "SPREAD to OUTPUT", "OUTPUT to LAST", "LAST to IDLE"]
    happen += [f"{state.name} is cut short" for state in State if state != State.LAST]
    happen += ["CREDIT in CREDIT", "END_CREDIT in ENDS", "DATA in SEND", "RELAY in SEND", "RING in SEND"]
    happen += ["RESULT in SPREAD", "by broadcast", "to neighbours", "a piece without words", "to no dimension"]
    happen += ["one piece of several", "the rest of an aborted vector"]
    if config.max_vector > config.segment:
        happen += ["not final"]
    if config.max_vector > 1:
        happen += ["words from the middle", "the rest before the next vector"]
        if config.dim > 2:
            happen += ["back to the end of a piece"]
    return tuple(happen)


BENCH = Bench(
    unit="collective.sequencer:CollectiveSequencer",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
