"""Testbench of the collective unit: whole merges, relays and rings, with all that a node's peers do, and more."""

from cubecast.golden.collective.contract.registers import Register, entries
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import State
from cubecast.tb.collective.messages import Sent
from cubecast.tb.collective.peer import Peer, Plan
from cubecast.tb.collective.sequencer import vector
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH", "WORD", "Host"]

DRAWING = {
    "gap": (0.0, 0.3),
    "start": (0.0, 0.7),
    "inject": (0.2, 1.0, 1.0),
    "take": (0.1, 1.0),
    "give": (0.3, 1.0),
    "alien": (0.0, 0.0, 0.3),
    "cut": (0.0, 0.0, 0.0, 0.005),
    "reset": (0.0, 0.0, 0.0, 0.008),
}

WORD = ("valid", "data", "last", "error")


class Host:
    """Who owns the node: writes the tables, starts, reads, gives vectors, and at times cuts short.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CollectiveConfig
        Parameters of the node.
    port : str
        Name of the register port.
    enabled : float
        Probability that the local port belongs to the collectives in an operation.
    many : float
        Probability that a merge has as many pieces as can come, which takes long; see :class:`Plan`.
    slow : int
        Cycles that an access takes, more or less: so much rarer is what disturbs. Above 1 no operation is waited for
        long, so that there are others.
    """

    def __init__(self, random, config, port="control", enabled=1.0, many=0.0, slow=1):
        self.random, self.config, self.port, self.enabled, self.many = random, config, port, enabled, many
        self.slow = slow
        self.layout = entries(config)
        self.given, self.moved, self.inside = Source(random, config.router), 0, False
        self.operation = random.randrange(8)
        self.writes, self.plan, self.victim, self.state, self.read = [], None, None, None, None
        self.running, self.open, self.cycles, self.pause = False, False, 0, 0

    @property
    def free(self):
        """Whether nothing is under way, and nothing to be begun."""
        return not self.running and not self.writes

    def begin(self, ring):
        """Draw an operation; return its plan."""
        random, config = self.random, self.config
        length = min(self._length(), config.max_vector)
        self.plan = Plan(random, config, ring, length, self.enabled, self.many)
        self.operation = (self.operation + 3) % 8
        self.plan.operation = self.operation
        self.writes = self.plan.writes()
        random.shuffle(self.writes)
        self.writes.append((int(Register.COMMAND), self.plan.command))
        self.pause = random.choice((0, 0, 5))
        waits = (300, 1500) if self.slow == 1 else (300,)
        self.cycles = (random.choice(waits) + 50 * config.max_vector) if self.plan.enable else 100 * self.slow
        self.victim = None if self.plan.many else random.choice((*State, *[State.LOAD, State.OUTPUT] * 8, *[None] * 8))
        return self.plan

    def _length(self):
        """Return how many words the operation's vector has, for which one is drawn if none is there.

        An operation that was cut short left all of its vector, none of it, or a rest, which will be dropped.
        """
        # The source sees in the next cycle that its word was taken.
        left = list(self.given.words)[self.moved :]
        ends = [place + 1 for place, (_, last, _) in enumerate(left) if last]
        begin = ends.pop(0) if self.inside else 0
        if ends:
            return ends[0] - begin
        words = vector(self.random, self.config)
        self.given.send(words)
        return len(words)

    def next(self, mood, busy):
        """Return the inputs of the next cycle; ``busy`` is that of the last one."""
        random = self.random
        offer = self.given.next(self.moved, 1 - mood["give"])
        change = {f"vector_in__{name}": value for name, value in zip(WORD, offer, strict=True)}
        access = random.choice((int(Register.STATUS), int(Register.STATUS), random.randrange(64))), 0, 0
        if self.running:
            self.cycles -= 1
            # What no register tells: that a vector has begun to go in, or to come out.
            begun = {State.LOAD: self.inside, State.OUTPUT: self.open}
            chosen = begun.get(self.victim, self.state == self.victim)
            cut = 0.4 if chosen and self.victim is not None else mood["cut"]
            if self.cycles < 0 or chance(random, cut):
                access = int(Register.COMMAND), 1, random.choice((2, 2, 3, 0xFF72))
            elif busy and chance(random, 0.1 / self.slow):
                access = random.randrange(2, 64), 1, random.getrandbits(32)
            elif busy and chance(random, 0.02 / self.slow):
                access = int(Register.COMMAND), 1, self.plan.command
        elif self.pause > 0:
            self.pause -= 1
        elif self.writes and not busy:
            access = self.writes[0][0], 1, self.writes[0][1]
            del self.writes[0]
        elif busy and chance(random, 0.05 / self.slow):
            access = int(Register.COMMAND), 1, self.layout["COMMAND"].pack(abort=1)
        names = ("address", "write", "write_data")
        return change | {f"{self.port}__{name}": value for name, value in zip(names, access, strict=True)}

    def see(self, change, outputs):
        """Note what came of the cycle."""
        self.moved = change["vector_in__valid"] and outputs["vector_in__ready"]
        if self.moved:
            self.inside = not change["vector_in__last"]
        if outputs["vector_out__valid"] and change["vector_out__ready"]:
            self.open = not outputs["vector_out__last"]
        status = self.layout["STATUS"].unpack(outputs[f"{self.port}__read_data"])
        told = self.read == Register.STATUS
        self.state = status["state"] if told else None
        if told and status["failed"]:
            # What has failed may never end by itself.
            self.cycles = min(self.cycles, 100 * self.slow)
        self.read = change[f"{self.port}__address"]
        written = change[f"{self.port}__write"] and self.read == Register.COMMAND
        command = self.layout["COMMAND"].unpack(change[f"{self.port}__write_data"] if written else 0)
        if command["start"] and not command["abort"] and not outputs["busy"]:
            self.running = True
        elif command["abort"] or not outputs["busy"]:
            self.running = False


def operations(random):
    """Yield forever whether an operation is a ring; several of one sort follow one another."""
    while True:
        ring = chance(random, 0.3)
        for _ in range(random.randint(1, 3)):
            yield ring


def stimulus(random, config):
    """Run one operation after another, each with other tables, and with peers that play their part.

    Some moods bring messages that nobody waits for; some operations are cut short, at any moment or in a chosen state.
    """
    drawing, rings = moods(random, 100, **DRAWING), operations(random)
    while True:
        address = random.getrandbits(config.dim)
        host, peer, sent = Host(random, config, many=0.08), Peer(random, config, address), Sent(config)
        arriving, moved, rst = Source(random, config.router), 0, 0
        outputs, change = {"busy": 0}, {"rst": 0, "address": address}
        while not rst:
            mood = next(drawing)
            if host.free:
                # A ring message that has begun to come in waits for a ring.
                held = arriving.words and peer.kind == Kind.RING
                peer.begin(host.begin(int(bool(held) or next(rings))))
            change |= host.next(mood, outputs["busy"])
            if len(arriving.words) <= moved:
                arriving.send(peer.next(mood["alien"]))
            offer = arriving.next(moved, mood["gap"], mood["start"])
            change |= {f"eject__{name}": value for name, value in zip(WORD, offer, strict=True)}
            change["inject__ready"] = chance(random, mood["inject"])
            change["vector_out__ready"] = chance(random, mood["take"])
            change["custom_result"] = random.getrandbits(config.width)
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            moved = int(change["eject__valid"] and outputs["eject__ready"])
            host.see(change, outputs)
            if host.running and host.state == State.AWAIT:
                peer.awaited()
            if outputs["inject__valid"] and change["inject__ready"]:
                message = sent.take(*(outputs[f"inject__{name}"] for name in WORD[1:]))
                if message is not None:
                    peer.sent(message)
            change = {}


def watch(inputs, outputs, twin):
    """Name what is sent, taken, merged and given out, and how operations begin and end."""
    config = twin.config
    before = recall(twin, None) or {
        "sent": Sent(config),
        "command": 0,
        "read": 0,
        "cut": 0,
        "dropping": 0,
        "given_up": 0,
    }
    now = before | {"dropping": twin.sequencer.dropping, "given_up": twin.receiver.dropping}
    if inputs["rst"]:
        if outputs["busy"]:
            yield "reset"
        return
    layout = entries(config)
    running = layout["COMMAND"].unpack(before["command"])
    way = "ring" if running["ring"] else "merge"
    written = inputs["control__write"] and inputs["control__address"] == Register.COMMAND
    value = inputs["control__write_data"] if written else 0
    command = layout["COMMAND"].unpack(value)
    starts = command["start"] and not command["abort"]
    if starts and not outputs["busy"]:
        now["command"], now["cut"] = value, 0
        if not command["ring"]:
            yield f"operation {command['operation']}"
    elif starts:
        yield "start while busy"
    elif command["abort"]:
        yield f"{way} cut short" if outputs["busy"] else "cut while idle"
        now["cut"] = 1
    if outputs["finished"]:
        yield f"{way} ends"
        yield f"{way} ends, failed" if outputs["failed"] else f"{way} ends well"
        if way == "merge":
            yield f"result {running['result']}"
    if inputs["vector_in__valid"] and outputs["vector_in__ready"]:
        yield "the rest of an aborted vector" if before["dropping"] else f"{way}: a word is loaded"
    yield from _out(inputs, outputs, way, before)
    yield from _in(inputs, outputs)
    if inputs["eject__valid"] and before["given_up"]:
        yield (
            "a message of an operation that was cut short is dropped" if outputs["enable"] else "the host has the port"
        )
    if outputs["inject__valid"]:
        yield "injection" if inputs["inject__ready"] else "injection stalls"
        if inputs["inject__ready"]:
            message = now["sent"].take(*(outputs[f"inject__{name}"] for name in WORD[1:]))
            if message is not None:
                yield from _sent(message)
    if outputs["custom_own"] | outputs["custom_other"]:
        yield "a word is merged"
    if before["read"] == Register.STATUS and layout["STATUS"].unpack(outputs["control__read_data"])["entry"]:
        yield "an entry is through"
    if before["read"] == Register.STRANGE and outputs["control__read_data"]:
        yield "strange messages are counted"
    now["read"] = inputs["control__address"]
    recall(twin, now)


def _out(inputs, outputs, way, before):
    """Name what comes out of vector_out."""
    if outputs["vector_out__valid"]:
        yield f"{way}: a word comes out" if inputs["vector_out__ready"] else f"{way}: the host stalls"
        if outputs["vector_out__last"] and before["cut"] and outputs["vector_out__error"]:
            yield f"{way}: what comes out is cut short"
        elif outputs["vector_out__last"] and inputs["vector_out__ready"]:
            yield f"{way}: {'an error' if outputs['vector_out__error'] else 'the end'} comes out"


def _in(inputs, outputs):
    """Name what comes in."""
    if not inputs["eject__valid"]:
        return
    if not outputs["eject__ready"]:
        yield "a ring waits" if outputs["busy"] else "a ring waits for the start"
        return
    if inputs["eject__last"]:
        yield "a message comes in"
        if inputs["eject__error"]:
            yield "a message with an error"


def _sent(message):
    """Name a message that was sent."""
    if message["error"]:
        yield "a message is broken off"
        return
    kind = Kind(message["kind"])
    yield f"{kind.name} is sent"
    if kind == Kind.RESULT:
        yield "the result goes to all" if message["broadcast"] else "the result goes to neighbours"
    if not message["final"]:
        yield f"{kind.name}, not final"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = [*(f"operation {number}" for number in range(8)), *(f"result {number}" for number in range(3))]
    for way in ("merge", "ring"):
        happen += [f"{way} cut short", f"{way} ends", f"{way} ends well", f"{way}: a word comes out"]
        happen += [f"{way}: the host stalls", f"{way}: the end comes out", f"{way}: a word is loaded"]
        if way == "ring" or config.max_vector > 1:
            happen.append(f"{way}: what comes out is cut short")
    happen += ["merge ends, failed", "ring: an error comes out", "start while busy", "reset", "a ring waits"]
    happen += ["a ring waits for the start", "a message comes in", "a message with an error", "injection"]
    happen += ["injection stalls", "a word is merged", "a message is broken off"]
    happen += ["strange messages are counted"] * bool(config.counters)
    happen += ["the rest of an aborted vector"] * (config.max_vector > 1)
    happen += ["a message of an operation that was cut short is dropped", "the host has the port"]
    happen += ["the result goes to all", "the result goes to neighbours"]
    kinds = [kind for kind in Kind if kind != Kind.RELAY_CREDIT or config.max_relays]
    happen += [f"{kind.name} is sent" for kind in kinds]
    if config.max_vector > config.segment:
        happen += [f"{kind.name}, not final" for kind in (Kind.DATA, Kind.RING)]
    if config.max_relays:
        happen.append("an entry is through")
    return tuple(happen)


BENCH = Bench(
    unit="collective.unit:CollectiveUnit",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
