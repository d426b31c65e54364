"""Testbench of the pass sequencer: relays and rings, with receiver, collector, buffer and sender as they really act."""

from collections import deque

from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.golden.collective.contract.states import State
from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.collective.messages import STRANGE
from cubecast.tb.common.patterns import chance, item, moods, pack, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "relay_tables"]

DRAWING = {
    "offer": (0.2, 1.0),
    "ready": (0.2, 1.0),
    "grant": (0.0, 0.1, 0.5, 1.0),
    "done": (0.1, 1.0),
    "credit": (0.02, 0.3),
    "own": (0.01, 0.1),
    "alien": (0.05, 0.5),
    "final": (0.05, 0.5, 1.0),
    "cut": (0.0, 0.0, 0.002, 0.01),
    "reset": (0.0, 0.0, 0.0, 0.006),
}

QUICK = {"offer": (1.0,), "credit": (0.3, 1.0), "final": (0.5, 1.0), "cut": (0.0, 0.0, 0.0, 0.002), "grant": (0.5, 1.0)}
"""What differs where there are many relay entries, so that operations come to the last of them."""

FEW = 8
"""Entries that operations come through without that."""


def relay_tables(random, config):
    """Return the fields of the relay entries; without entries there are none."""
    most, n = config.max_relays, config.dim
    fields = {"relays": random.choice((most, random.randint(0, most)))}
    if most:
        odd = [
            # Half of those that are no dimension differ from one in a single bit.
            [
                random.randrange(n)
                if chance(random, 0.7)
                else random.choice((random.randrange(n, 16), random.randrange(n) ^ 1 << random.randrange(4)))
                for _ in range(most)
            ]
            for _ in range(2)
        ]
        fields |= {
            "relay_from": pack(odd[0], 4),
            "relay_to": pack(odd[1], 4),
            "relay_first": random.getrandbits(most),
            "relay_end": random.getrandbits(most),
        }
    return fields


@by_bundles("command", "awaited", "relay", "passed", "arrival", "offer", "store", "request")
def stimulus(random, config):
    """Run operations: through some go relays, through some a ring; some are cut short."""
    drawing = moods(random, 60 + config.pass_depth, **DRAWING | (QUICK if config.max_relays > FEW else {}))
    while True:
        around, cycles, rst, cut = Around(random, config), 40 * config.pass_depth + 400, 0, 0
        pause = random.randrange(4)
        change = around.fields | {"rst": 0}
        while not rst:
            mood = next(drawing)
            cycles, pause = cycles - 1, pause - 1
            change |= around.next(mood) | {"start": int(pause == -1)}
            change["cut_short"] = cut = int(cycles < 0 or chance(random, mood["cut"]))
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            around.see(change, outputs)
            change = {}
            if pause < -1 and (cut or not around.busy):
                break
        yield dict.fromkeys(("start", "cut_short", "granted", "done", "head", "word", "message_end", "offered"), 0)


class Around:
    """Receiver, collector, buffer and sender, as far as the pass sequencer sees them, for one operation.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.ring = chance(random, 0.5)
        # The own message of a slow one is sent when the buffer is full.
        self.slow = self.ring and chance(random, 0.3)
        # What was received is compared only, wherever it begins.
        self.before = random.choice((0, random.randrange(0xFFE0)))
        self.expected = self.before + (20 if self.slow else random.choice((0, 1, 3, 20, 0xFFFF - self.before)))
        self.fields = relay_tables(random, config) | {
            "address": random.getrandbits(config.dim),
            "ring": self.ring,
            "expected": self.expected,
            "next_member": random.getrandbits(config.dim),
        }
        self.next_member = self.fields["next_member"]
        self.busy = self.received = self.asked = self.under_way = self.popping = 0
        self.relay_credit, self.ends = 0, [0] * config.dim
        self.held = deque()
        self.kept = {"kind": 0, "is_final": 0, "stage": 0, "hops": 0}
        self.message, self.place, self.accepted = None, 0, 0
        self.state = State.IDLE
        self.first, self.open, self.calm = 0, None, False

    def _message(self, mood):
        """Return fields and words of a message."""
        random, config = self.random, self.config
        kind = Kind.RING if self.ring else Kind.RELAY
        if chance(random, mood["alien"]):
            kind = random.choice([kind for kind in (*Kind, STRANGE) if kind != Kind.RING])
        origin = random.choice((self.next_member, random.getrandbits(config.dim), random.getrandbits(16)))
        count = random.choice((0, config.segment, random.randint(0, config.segment)))
        words = [0] * (1 + config.router.source_field) + [0, origin]
        words += [random.getrandbits(config.width) for _ in range(count)]
        fields = {"kind": int(kind), "is_final": chance(random, mood["final"])}
        return fields | {"stage": random.getrandbits(4), "hops": random.getrandbits(8), "words": words}

    @property
    def phase(self):
        """Return what the receiver waits for."""
        head = [Reading.CONTROL, *[Reading.SOURCE] * self.config.router.source_field, Reading.KIND, Reading.ARGUMENT]
        return head[self.place] if self.place < len(head) else Reading.BODY

    def next(self, mood):
        """Return the inputs of the next cycle."""
        random, config = self.random, self.config
        self._credits(mood)
        if self.busy and chance(random, mood["own"]) and (not self.slow or len(self.held) == self.config.pass_depth):
            self.state = State.LAST
        if self.message is None:
            self.message = self._message(mood)
        change = dict.fromkeys(("head", "word", "message_end", "accept"), 0)
        phase, ready = self.phase, chance(random, mood["ready"])
        offered = chance(random, mood["offer"])
        kind = self.kept["kind"]
        if offered and phase == Reading.ARGUMENT and kind == Kind.RELAY and self.open is None:
            offered = 0
        data, last, error, taken = random.getrandbits(config.width), random.getrandbits(1), 0, 0
        if offered:
            data, last = self.message["words"][self.place], int(self.place == len(self.message["words"]) - 1)
            error, taken = int(last and chance(random, 0.2)), 1
            if kind == Kind.RING and phase >= Reading.ARGUMENT:
                free = self.busy and self.ring and self.received < self.expected
                free = free and len(self.held) < config.pass_depth
                taken = int(free and ready)
        if taken and phase >= Reading.ARGUMENT:
            change |= {"head": int(phase == Reading.ARGUMENT), "word": int(phase == Reading.BODY), "message_end": last}
            if change["head"]:
                change["accept"] = self._accept(kind)
        self.taken = taken
        front = self.held[0] if self.held else [random.getrandbits(bits) for bits in (config.width, 1, 1, 1)]
        self.pop = int(self.popping and bool(self.held) and chance(random, mood["done"]))
        done = self.pop and front[1] if self.popping else self.under_way and chance(random, mood["done"])
        change |= self.kept | {
            "busy": self.busy,
            "state": int(self.state),
            "received": self.received,
            "relay_credit": self.relay_credit,
            "end_credits": pack(self.ends, 4),
            "phase": int(phase),
            "offered": offered,
            "argument": data & 0xFFFF,
            "data": data,
            "last": last,
            "error": error,
            "accepted": self.accepted,
            "level": len(self.held),
            "o_data": front[0],
            "o_last": front[1],
            "o_final": front[2],
            "o_error": front[3],
            "vector_out__ready": ready,
            "granted": int(self.asked and chance(random, mood["grant"])),
            "done": int(done),
        }
        return change

    def _accept(self, kind):
        """Return what the collector says to a head."""
        if kind == Kind.RELAY:
            return 3 * self.open
        if kind == STRANGE:
            return 0
        return 3 if kind == Kind.RING else self.random.choice((0, {Kind.DATA: 1, Kind.RESULT: 2}.get(kind, 3)))

    def _credits(self, mood):
        """Let neighbours give credits."""
        random, n = self.random, self.config.dim
        if chance(random, mood["credit"]):
            self.relay_credit |= sparse(random, n)
            j = random.randrange(n)
            self.ends[j] = min(15, self.ends[j] + 1)

    def see(self, inputs, outputs):
        """Take the edge of a cycle."""
        config, random = self.config, self.random
        ends, start = inputs["cut_short"], inputs["start"]
        if self.taken:
            self._took(inputs, ends)
        if start or ends:
            self.held.clear()
        else:
            room = len(self.held) < config.pass_depth
            if (outputs["pop_head"] or self.pop) and self.held:
                self.held.popleft()
            if outputs["push"] and room:
                self.held.append(tuple(outputs[f"i_{name}"] for name in ("data", "last", "final", "error")))
        self.relay_credit &= ~outputs["use_relay"]
        self.ends = [count - (outputs["use_end"] >> j & 1) for j, count in enumerate(self.ends)]
        busy = self.busy
        if start:
            self.busy, self.received, self.first = 1, self.before, 1
            self.state = random.choice((State.LOAD, State.SEND, State.SEND if self.slow else State.LAST))
        elif ends:
            self.busy, self.first, self.accepted, self.state = 0, 1, 0, State.IDLE
        elif busy and outputs["pass_done"] and self.state == State.LAST and chance(random, 0.1):
            self.busy, self.state = 0, State.IDLE
        calm = not (start or ends or inputs["done"] or inputs["message_end"]) and busy == self.busy
        self.open = outputs["relay_open"] if calm else None
        # A request is seen a cycle later than it is there, and stays until it is granted.
        self.asked = int(calm and outputs["valid"] and not inputs["granted"])
        if inputs["granted"]:
            self.under_way, self.popping = 1, int(outputs["body"])
        if inputs["done"] or start or ends:
            self.under_way = self.popping = 0

    def _took(self, inputs, cut):
        """Go on behind a word that was taken."""
        if self.phase == Reading.KIND:
            self.kept = {name: int(self.message[name]) for name in self.kept}
        if inputs["head"]:
            self.accepted = inputs["accept"]
            if self.kept["kind"] == Kind.RING:
                self.first = 0
        if inputs["message_end"] and self.kept["kind"] == Kind.RING and self.kept["is_final"]:
            self.first = 1
            self.received += bool(self.accepted)
        self.place += 1
        if self.place == len(self.message["words"]):
            self.message, self.place = None, 0


@without_bundles
def watch(inputs, outputs, twin):
    """Name what is asked for, what goes into the buffer, and what waits."""
    if inputs["rst"]:
        if inputs["busy"]:
            yield "reset"
        return
    way = "ring" if inputs["ring"] else "merge"
    before = recall(twin, {"entry": outputs["entry"]})
    if before and outputs["entry"] > before["entry"]:
        yield "next entry"
    if inputs["cut_short"]:
        yield f"{way} cut, {'busy' if inputs['busy'] else 'idle'}"
    if inputs["granted"]:
        yield f"{way}: {Kind(outputs['kind']).name}"
        if outputs["pop_head"]:
            yield f"{way}: {'with' if outputs['body'] else 'without'} words"
            yield f"{way}: {'final' if outputs['is_final'] else 'not final'}"
            if not inputs["ring"] and not outputs["targets"]:
                yield "to no dimension"
    if inputs["ring"] and inputs["busy"] and inputs["level"] and inputs["state"] != State.LAST:
        yield "the own message goes first"
    if outputs["use_relay"]:
        yield "a relay credit is used"
    if outputs["use_end"]:
        yield "an end credit is used"
        if any(
            item(outputs["use_end"], j, 1) and item(inputs["end_credits"], j, 4) > 1 for j in range(twin.config.dim)
        ):
            yield "more end credits are left"
    if outputs["push"]:
        yield f"{way}: pushed {'at the head' if inputs['head'] else 'at a word'}"
        if outputs["i_error"]:
            yield f"{way}: an error is pushed"
        if inputs["level"] == 0 and inputs["word"]:
            yield f"{way}: passed on while it comes in"
    if inputs["head"] and inputs["kind"] == Kind.RELAY:
        yield "relay" if inputs["accept"] else "relay that nobody wants"
        if outputs["relay_open"] and inputs["level"]:
            yield "the next segment comes while one waits"
    if not inputs["ring"] and inputs["busy"] and outputs["pass_done"]:
        yield "nothing is left to relay"
    if inputs["ring"] and inputs["kind"] == Kind.RING and inputs["phase"] >= Reading.ARGUMENT and inputs["offered"]:
        yield from _ring(inputs, outputs, twin.config)


def _ring(inputs, outputs, config):
    """Name what becomes of the words of a ring that are there."""
    where = "head" if inputs["phase"] == Reading.ARGUMENT else "word"
    if not inputs["busy"]:
        yield "a ring waits for the start"
    elif inputs["received"] >= inputs["expected"]:
        yield "a ring waits for the next one"
    elif inputs["level"] == config.pass_depth:
        yield "a ring waits for the buffer"
    elif not outputs["ring_ready"]:
        yield f"the host stalls at a {where}"
    elif where == "head":
        mine = inputs["argument"] % config.nodes == inputs["next_member"]
        yield "to the host alone" if mine else "to the host and on"
        if not outputs["vector_out__valid"]:
            yield "a head of a later segment"
    if outputs["vector_out__valid"] and inputs["vector_out__ready"]:
        if outputs["vector_out__error"] and not inputs["error"]:
            yield "a message is torn" if where == "head" else "an earlier segment was torn"
        elif outputs["vector_out__last"]:
            yield "last with an error" if outputs["vector_out__error"] else f"last at a {where}"
        elif inputs["last"] and inputs["error"]:
            yield "an error before the final segment"
        yield f"the host takes a {where}"


def events(config, extra, options):
    """Return what can happen with so many entries."""
    happen = [
        "reset",
        "the own message goes first",
        "ring cut, busy",
        "ring: RING",
        "ring: with words",
        "ring: without words",
        "ring: final",
    ]
    happen += ["ring: not final", "merge cut, busy", "relay that nobody wants", "nothing is left to relay"]
    happen += ["ring: pushed at the head", "ring: pushed at a word", "a ring waits for the next one"]
    happen += ["a ring waits for the buffer", "to the host alone", "to the host and on", "a head of a later segment"]
    happen += ["a message is torn", "last with an error", "last at a head", "last at a word"]
    happen += ["an error before the final segment", "the host takes a head", "the host takes a word"]
    happen += ["the host stalls at a head", "the host stalls at a word"]
    happen += ["ring: an error is pushed", "an earlier segment was torn"]
    if config.segment > 1:
        happen.append("ring: passed on while it comes in")
    if config.max_relays:
        happen += ["merge: CREDIT", "merge: RELAY_CREDIT", "merge: DATA", "merge: RELAY", "merge: with words"]
        happen += [
            "merge: without words",
            "merge: an error is pushed",
            "merge: final",
            "merge: not final",
            "to no dimension",
        ]
        happen += ["a relay credit is used", "an end credit is used", "more end credits are left", "relay"]
        happen += ["merge: pushed at the head", "merge: pushed at a word", "the next segment comes while one waits"]
        if config.max_relays > 1:
            happen.append("next entry")
    return tuple(happen)


BENCH = Bench(
    unit="collective.pass_sequencer:PassSequencer",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
