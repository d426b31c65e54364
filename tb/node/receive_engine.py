"""Testbench of the receive engine: whole, damaged and stray packets of all streams; a memory that stalls and errs."""

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, TICKET_BITS, Kind, Op, pack
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import WritePort

__all__ = ["BENCH"]

TYPES = (0, 1, 0x7FFF, 0x8000, 0xFFFF)


class Senders:
    """What other nodes send: for each stream the bytes of its message that are still to come.

    Parameters
    ----------
    random, config
        As for a stimulus.
    address : int
        The own node.
    """

    def __init__(self, random, config, address):
        self.random, self.config, self.address = random, config, address
        self.left, self.odd = {}, {}
        # Sources of broadcasts that were refused and are not stored yet.
        self.refused = set()
        # Of the broadcast of a source that was not marked last.
        self.tickets = {}
        # Of the broadcast of a source that has ended last.
        self.ended = {}

    def words(self, kind, source, b, count):
        """Return the first words of a packet, and so many words of data."""
        config, random = self.config, self.random
        destination = random.choice([other for other in range(config.nodes) if other != self.address])
        slot = random.getrandbits(4) << config.width - 4
        head = [destination if b else self.address, slot | kind << config.width - 6 | source]
        return head + [random.getrandbits(config.width) for _ in range(count)]

    def first(self, source, b, **fields):
        """Return a first packet, with these fields of its envelope."""
        config, random = self.config, self.random
        room = config.first_bytes
        lengths = (0, 1, room, room + 1, room + config.packet_bytes)
        length = random.choice((*lengths, random.randrange(4 * room + 9)))
        if random.random() < 0.08:
            # Too long to be whole before another message begins.
            length = random.getrandbits(LENGTH_BITS) | random.getrandbits(1) << LENGTH_BITS - 1
        values = {
            "type": random.choice(TYPES),
            "length": length,
            "eager": random.choice((0, 1, 2, 15, random.getrandbits(4))),
            "behind": random.getrandbits(1),
            "rest": random.getrandbits(1),
            "mark": chance(random, 0.4),
            "ticket": random.getrandbits(TICKET_BITS),
        }
        if b and not values["mark"]:
            self.tickets[source] = values["ticket"]
        elif b and chance(random, 0.6):
            values["ticket"] = self.tickets.get(source, 0)
        envelope = pack(ENVELOPE, **values | fields)
        count = min(room, length)
        words = self.words(Kind.FIRST, source, b, config.prefix_words + -(-count // config.word_bytes))
        for place in range(config.prefix_words):
            words[2 + place] = envelope >> config.width * place & (1 << config.width) - 1
        if chance(random, 0.03):
            # An envelope alone, whatever length it tells of.
            del words[2 + config.prefix_words :]
        self.left[source, b], self.odd[source, b] = length - count, 1
        return words

    def later(self, source, b, wrong):
        """Return the packet that follows in a stream, or with ``wrong`` the one after it."""
        config = self.config
        count = min(config.packet_bytes, self.left[source, b])
        odd = self.odd[source, b]
        self.left[source, b] -= count
        self.odd[source, b] = 1 - odd
        return self.words(Kind.MORE if odd ^ wrong else Kind.EVEN, source, b, -(-count // config.word_bytes))

    def control(self, source, b):
        """Return a control packet."""
        random = self.random
        values = {"op": random.randint(Op.ACCEPT, Op.REWIND), "b": b, "stop": random.getrandbits(1)}
        values |= {"damaged": random.getrandbits(1), "ticket": random.getrandbits(TICKET_BITS)}
        return [*self.words(Kind.CONTROL, source, b, 0), pack(CONTROL, **values)]

    def packet(self, damage):
        """Return the words of some packet, and how many words from its end one has an error, 0 if none has."""
        random = self.random
        source = random.choice([other for other in range(self.config.nodes) if other != self.address])
        b, draw = random.getrandbits(1), random.random()
        begun = [stream for stream, left in self.left.items() if left]
        if begun and draw < 0.56:
            words = self.later(*random.choice(begun), random.random() < 0.1)
        elif begun and draw < 0.6:
            words = self.first(*random.choice(begun))
        elif draw < 0.7:
            words = self.control(source, b)
        elif draw < 0.78 and self.refused:
            words = self.first(random.choice(sorted(self.refused)), 1)
        elif draw < 0.8 and self.ended:
            ended = random.choice(sorted(self.ended))
            ticket = self.ended[ended] ^ chance(random, 0.2) << random.randrange(TICKET_BITS)
            words = self.first(ended, 1, mark=1, behind=chance(random, 0.8), ticket=ticket)
        elif draw < 0.82:
            words = self.words(random.choice((Kind.MORE, Kind.EVEN)), source, b, random.randrange(4))
        elif (source, b) in begun and random.random() > damage:
            words = self.later(source, b, False)
        else:
            words = self.first(source, b)
        if random.random() < damage:
            cut = 2 if chance(random, 0.2) else random.randint(1, len(words))
            # Routers mark the last word; of bytes the engine takes no other one that is marked, either.
            before = cut - 2 - self.config.prefix_words
            if before > 1 and chance(random, 0.2):
                return words[:cut], random.randint(2, before)
            return words[:cut], int(cut > 2 or random.random() < 0.5)
        return words, 0


def place(random, config, prefix=""):
    """Return where a message goes."""
    user, pooled = random.getrandbits(1), random.getrandbits(1)
    return {
        f"{prefix}user": user,
        f"{prefix}block": random.getrandbits(27),
        f"{prefix}room": random.choice(
            (0, 1, config.first_bytes, random.randrange(200), random.getrandbits(LENGTH_BITS), 0xFFFFF)
        ),
        f"{prefix}buffer": random.choice((0, 0xFFFFFFE0, random.getrandbits(32))),
        f"{prefix}pooled": int(user and pooled),
        f"{prefix}number": random.getrandbits(config.buffer_bits),
    }


def stimulus(random, config):
    """Eject packets, answer what the engine asks, and give held broadcasts a place."""
    drawing = moods(
        random,
        100,
        eject=(0.2, 1.0, 1.0, 1.0),
        damage=(0.0, 0.1, 0.2),
        placed=(0.3, 0.9),
        verdict=(0.2, 1.0, 1.0),
        prepare=(0.0, 0.0, 0.0, 0.1, 1.0),
        first=(0.2, 0.2, 1.0),
        ready=(0.2, 1.0, 1.0, 1.0),
        done=(0.2, 1.0, 1.0, 1.0),
        error=(0.0, 0.1, 0.2),
        full=(0.0, 0.5),
        reset=(0.0, 0.0, 0.002),
    )
    address = random.randrange(config.nodes)
    while True:
        rst, memory, held, asked, asking, prepared = 0, WritePort(random), set(), None, False, None
        # Every bit of the address rises and falls with the first resets.
        address ^= config.nodes - 1
        senders, words, broken = Senders(random, config, address), [], 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                words, broken = senders.packet(mood["damage"])
            if prepared is None and held and chance(random, 0.7 if asking else mood["prepare"]):
                prepared = place(random, config, "prepare__") | {"prepare__source": random.choice(sorted(held))}
            verdict = int(asked is not None and chance(random, mood["verdict"]))
            placed = int(verdict and chance(random, mood["placed"]))
            lost = int(verdict and not placed and chance(random, 0.3))
            done, error = memory.answer(mood["done"], mood["error"])
            inputs = {
                "rst": rst,
                "address": address,
                "eject__valid": chance(random, mood["eject"]),
                "eject__data": words[0],
                "eject__last": int(len(words) == 1),
                "eject__error": int(broken == len(words)),
                "verdict": verdict,
                "placed": placed,
                "lost": lost,
                "stop": random.getrandbits(1),
                **place(random, config),
                "prepare__valid": int(prepared is not None),
                **(prepared or {}),
                "written": done,
                "write_error": error,
                "full": chance(random, mood["full"]),
                "entry": random.randrange(config.tracked),
                "first__ready": chance(random, mood["first"]),
                "control__ready": chance(random, mood["ready"]),
                "event__ready": chance(random, mood["ready"]),
                "writer__ready": chance(random, mood["ready"]),
            }
            outputs = yield inputs
            if outputs["writer__valid"] and inputs["writer__ready"]:
                memory.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
            if inputs["eject__valid"] and outputs["eject__ready"]:
                del words[0]
            if outputs["put__valid"] and outputs["put__b"] and outputs["put__op"] == Op.DONE:
                senders.ended[outputs["put__source"]] = outputs["put__ticket"]
            asking = outputs["first__valid"] and not inputs["first__ready"]
            if outputs["first__valid"] and inputs["first__ready"]:
                asked = outputs["first__source"], outputs["first__b"]
            elif verdict:
                if not placed:
                    senders.left[asked] = 0
                    held |= {asked[0]} if asked[1] and not lost else set()
                    senders.refused |= held
                elif asked[1]:
                    senders.refused.discard(asked[0])
                asked = None
            if prepared is not None and outputs["prepare__ready"]:
                held.discard(prepared["prepare__source"])
                prepared = None


def watch(inputs, outputs, twin):
    """Name how packets and messages end, and what is waited for."""
    now = twin.state, twin.stream, twin.bad, twin.spoilt
    state, stream, bad, spoilt = recall(twin, now) or ("DEST", None, False, False)
    if inputs["rst"]:
        yield "reset"
        return
    if outputs["stray"]:
        yield f"stray in {state}"
        if state == "SOURCE" and twin.kind in (Kind.MORE, Kind.EVEN):
            yield "no source"
    for name in ("first", "control", "event", "writer"):
        if outputs[f"{name}__valid"] and not inputs[f"{name}__ready"]:
            yield f"{name} stalls"
    if outputs["put__valid"]:
        yield f"{Op(outputs['put__op']).name}, b = {outputs['put__b']}"
        if outputs["put__damaged"]:
            yield "damaged"
    for name in ("open", "move", "close", "lend", "kept"):
        if outputs[name]:
            yield name
    if outputs["kept"]:
        yield f"kept with status {outputs['kept_status']}"
    if outputs["event__valid"] and inputs["event__ready"]:
        yield f"event {outputs['event__reason']}"
    if spoilt:
        yield "FLAG is not written"
    if state == "LOOK" and twin.state == "FINISH":
        yield "a new one begins" if twin.again else "not in turn"
    if state == "WAIT" and outputs["put__valid"] and inputs["lost"]:
        yield f"lost, b = {twin.b}"
    if state == "LOOK" and outputs["stray"] and twin.stream.state == "READY" and twin.kind == Kind.FIRST:
        yield "a further round of another one"
    if state == "LOOK" and outputs["put__valid"]:
        again = f"DONE again, damaged = {outputs['put__damaged']}"
        yield again if twin.envelope["mark"] else "held, and given up"
    asked = twin.b and twin.kind == Kind.FIRST and twin.envelope["behind"] and twin.envelope["mark"]
    if state == "LOOK" and outputs["stray"] and twin.stream.done and asked and not outputs["put__valid"]:
        yield "a further round of one behind that which has ended"
    if state == "LOOK" and twin.state == "HEAD":
        yield "prepared, and given up"
    if state == "LOOK" and twin.state == "PLACE":
        yield "a further round"
    if state == "OPEN" and twin.state == "DRAIN":
        yield "no data"
    if state == "DATA" and not outputs["eject__ready"]:
        yield "data stalls"
    if state == "PLACE" and stream.place.user and not outputs["open"] and inputs["full"]:
        yield "not tracked"
    if state == "ASK" and inputs["prepare__valid"]:
        yield "prepared while it asks"
    if state == "DONE" and stream.wrong and not bad:
        yield "not stored"
    if state == "DONE" and stream.short and not bad:
        yield "too long"


EVENTS = (
    "reset",
    *(f"stray in {state}" for state in ("DEST", "SOURCE", "ANSWER", "ENVELOPE", "LOOK")),
    "no source",
    *(f"{name} stalls" for name in ("first", "control", "event", "writer")),
    *(f"{op.name}, b = {b}" for op in (Op.ACCEPT, Op.DONE, Op.POSTPONE) for b in range(2)),
    "REWIND, b = 1",
    "damaged",
    *("open", "move", "close", "lend", "kept"),
    *(f"kept with status {status}" for status in (0, 1, 2, 4)),
    *(f"event {reason}" for reason in (2, 3, 5)),
    "a new one begins",
    "not in turn",
    *(f"lost, b = {b}" for b in range(2)),
    "held, and given up",
    *(f"DONE again, damaged = {damaged}" for damaged in range(2)),
    "a further round of one behind that which has ended",
    "prepared, and given up",
    "a further round",
    "a further round of another one",
    "no data",
    "data stalls",
    "not tracked",
    "prepared while it asks",
    "not stored",
    "FLAG is not written",
    "too long",
)

BENCH = Bench(
    unit="node.receive_engine:ReceiveEngine",
    stimulus=stimulus,
    events=EVENTS,
    watch=watch,
)
