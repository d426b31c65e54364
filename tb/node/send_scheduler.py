"""Testbench of the send scheduler: messages of all kinds, and nodes that take, refuse, forget and call for them."""

import dataclasses

from cubecast.golden.node.contract.block import LENGTH_BITS, TYPE_BITS, Status, Word
from cubecast.golden.node.contract.config import BLOCK_WORDS
from cubecast.golden.node.contract.packet import TICKET_BITS, Op
from cubecast.golden.node.twins.send_scheduler import WRAP, SendScheduler
from cubecast.tb.common.patterns import LEFT, chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort, WritePort

__all__ = ["BENCH", "NEAR_END"]

ADD = ("destination", "reference", "type", "length", "buffer")
"""Payload of a message that is to be sent."""

UNIT = 1024
"""Cycles of a unit of time."""

PARTS = 32
"""Numbers that a part of a block can have, none included."""


CALM = {"error": 0.0, "fault": 0.0, "report": 0.0, "answer": 1.0, "call": 0.05, "send": 1.0}
"""What happens while broadcasts come to their ends."""


class Nodes:
    """All other nodes, and the blocks of this one.

    Parameters
    ----------
    random, config
        As for a stimulus.
    address : int
        The own node.
    words : dict
        Content of the memory.
    """

    def __init__(self, random, config, address, words):
        self.random, self.config, self.address, self.words = random, config, address, words
        self.others = [node for node in range(config.nodes) if node != address]
        self.adds, self.answers, self.owing = [], [], set()
        self.offers, self.tickets, self.held, self.accepted = {}, {}, {}, set()
        self.own = set()
        # So many cycles calls for the broadcast under way are lost.
        self.deaf = 0

    def block(self):
        """Return the number of a new block; its words are written."""
        random = self.random
        block = random.getrandbits(27)
        length = self.length()
        for word, value in ((Word.TYPE, random.getrandbits(32)), (Word.BUFFER, random.getrandbits(30) << 2)):
            self.words[BLOCK_WORDS * block + word] = value
        self.words[BLOCK_WORDS * block + Word.LENGTH] = length
        self.own |= {BLOCK_WORDS * block + word for word in (Word.LINK, Word.FLAG, Word.STATE)}
        return block

    def length(self):
        """Return the length of a message."""
        random, config = self.random, self.config
        whole = config.first_bytes + (config.eager - 1) * config.packet_bytes
        long = min(whole + 1 + random.getrandbits(LENGTH_BITS), (1 << LENGTH_BITS) - 1)
        return random.choice((0, 1, config.first_bytes + 1, whole, whole + 1, long, long, long))

    def instruct(self):
        """Let an instruction be executed: a send, a broadcast, or a part for each of some neighbours."""
        random, config, block = self.random, self.config, self.block()
        # Not what memory says, so that it shows whose words are taken.
        said = random.getrandbits(TYPE_BITS), self.length(), random.getrandbits(30) << 2
        kind = random.choice(("send", "send", "broadcast", "neighbours"))
        if kind == "broadcast":
            self.adds.append((self.address, 32 * block, *said))
        elif kind == "send":
            # The farthest node is reached over all slots.
            few = random.choice((self.others[:1], self.others, [self.address ^ (config.nodes - 1)]))
            self.adds.append((random.choice(few), 32 * block, *said))
        else:
            count = random.randint(1, config.dim)
            state = count if chance(random, 0.8) else random.getrandbits(24)
            self.words[BLOCK_WORDS * block + Word.STATE] = state
            near = random.sample(range(config.dim), count)
            parts = random.sample(range(1, PARTS), count)
            pairs = zip(near, parts, strict=True)
            self.adds += [(self.address ^ 1 << j, 32 * block + part, *said) for j, part in pairs]
            self.own |= {BLOCK_WORDS * block + Word.USER + 2 * part for part in parts}

    def begun(self, part):
        """Take note of a part, and answer some time: rightly for the most part."""
        random, to, ticket = self.random, part["destination"], part["ticket"]
        self.tickets[to] = ticket
        if to == self.address:
            self._broadcast(part)
        elif part["rest"]:
            self._say(to, 0, Op.DONE, ticket)
        else:
            ops = [Op.DONE, self._accepts(part), self._accepts(part), Op.POSTPONE, Op.POSTPONE]
            # Behind one that is refused more come to an end, so that others follow them.
            op = random.choice(ops + [Op.DONE] * 3 * part["behind"])
            self._say(to, 0, op, ticket)
            if op == Op.POSTPONE:
                self.owing.add(to)
            if chance(random, 0.1):
                self._say(to, 0, random.choice((Op.DONE, Op.POSTPONE, Op.ACCEPT)), ticket)

    def stop(self, outputs):
        """Return where a part may stop, None if it goes on to its end."""
        random, length, offset = self.random, outputs["part__length"], outputs["part__offset"]
        if not outputs["part__rest"] or offset + 1 >= length:
            return None
        # Few turns to the end, most often: it is answered when it is sent.
        offset = random.choice((length - 1, length - 1, random.randrange(offset + 1, length)))
        return {"offset": offset, "odd": random.getrandbits(1)}

    def _accepts(self, part):
        """Return what a node answers that has a place: that there is no rest to ask for it overlooks now and then."""
        whole = self.config.first_bytes + (part["eager"] - 1) * self.config.packet_bytes
        return Op.ACCEPT if part["length"] > whole or chance(self.random, 0.1) else Op.DONE

    def _broadcast(self, part):
        """Answer a broadcast for all nodes."""
        random, ticket = self.random, part["ticket"]
        # Of sixteen nodes, most say the same only if they are made to.
        few = self.config.dim < 4 or chance(random, 0.3)
        accepts = self._accepts(part)
        same = None if few else random.choice((Op.DONE, accepts, Op.POSTPONE))
        if not part["rest"]:
            self.deaf = 3 * UNIT * chance(random, 0.3)
        hasty = chance(random, 0.9 if same == Op.POSTPONE else 0.2) and not self.deaf
        if (part["rest"] or part["mark"]) and chance(random, 0.2):
            self._say(random.choice(self.others), 1, Op.POSTPONE, ticket)
        for node in self.others:
            if part["rest"]:
                if node in self.accepted:
                    self._say(node, 1, Op.DONE, ticket)
            elif part["mark"]:
                if self.held.get(node) == "ready":
                    self.held[node] = "done"
                    if self.deaf and chance(random, 0.5):
                        # As its call may be, its answer is lost.
                        continue
                    for _ in range(1 + chance(random, 0.3)):
                        self._say(node, 1, Op.DONE, ticket)
                elif self.held.get(node) == "done" and part["behind"]:
                    self._say(node, 1, Op.DONE, ticket)
            else:
                op = random.choice((Op.DONE, accepts, Op.POSTPONE)) if same is None else same
                self._say(node, 1, op, ticket)
                self.held[node] = "held" if op == Op.POSTPONE else "done"
                self.accepted -= {node}
                if hasty and op == Op.POSTPONE:
                    # It calls before the others have answered.
                    self.held[node] = "ready"
                    self._say(node, 1, Op.REWIND, ticket)
                if op == Op.ACCEPT and chance(random, 0.2):
                    # Its later packets were damaged.
                    self._say(node, 1, Op.DONE, ticket)
                elif op == Op.ACCEPT:
                    self.accepted.add(node)
        if part["rest"]:
            self.accepted.clear()

    def _say(self, source, b, op, ticket):
        """Let an answer come, behind those that are on their way or before them."""
        random = self.random
        # One of sixteen nodes that says it keeps a broadcast from its end.
        if chance(random, 0.01 if b and self.config.dim > 3 else 0.05):
            ticket = random.getrandbits(TICKET_BITS)
        stop = int(op == Op.POSTPONE and chance(random, 0.3))
        # Of a broadcast less than one on average, so that some have none.
        damaged = int(op == Op.DONE and chance(random, 0.7 / len(self.others) if b else 0.2))
        answer = {"source": source, "b": b, "op": int(op), "stop": stop, "damaged": damaged, "ticket": ticket}
        self.answers.insert(random.randint(0, len(self.answers)), answer)

    def call(self):
        """Let a node call for what it has refused, or for nothing."""
        random = self.random
        held = [node for node, state in self.held.items() if state == "held"]
        if held and chance(random, 0.5):
            node = random.choice(held)
            self.held[node] = "ready"
            if not self.deaf:
                self._say(node, 1, Op.REWIND, self.tickets.get(self.address, 0))
        else:
            node = random.choice([*self.owing, self.others[0]])
            self.owing.discard(node)
            self._say(node, 0, Op.REWIND, 0)


def stimulus(random, config):
    """Keep all sides busy."""
    drawing = moods(
        random,
        400,
        add=(0.0, 0.01, 0.05),
        call=(0.0, 0.005, 0.05),
        answer=(0.01, 0.3, 1.0, 1.0),
        ready=(0.2, 1.0, 1.0),
        send=(0.05, 0.5, 1.0, 1.0),
        serve=(0.3, 1.0, 1.0),
        late=(0.03, 1.0, 1.0),
        stop=(0.02, 0.1, 1.0),
        error=(0.0, 0.0, 0.05, 0.2),
        fault=(0.0, 0.0, 0.005),
        report=(0.0, 0.001, 0.004),
        reset=(0.0, 0.0, 0.0008),
        calm=(0, 0, 0, 1),
    )
    address = random.randrange(config.nodes)
    while True:
        # All bits of the address change, or some.
        address ^= random.choice((config.nodes - 1, random.randrange(config.nodes)))
        rst, words, report, fault = 0, {}, None, None
        nodes = Nodes(random, config, address, words)
        reads, writes, single, link = ReadPort(random, words), WritePort(random, words, loses=True), False, False
        flag = False
        timeout, clock, paused, pauses = 1, 0, 0, False
        # To whom a part is sent, and until when at least; where it would stop, and has; what is answered when it has
        # been sent, or, if it has stopped, while the next one is.
        sending, until, rest, stopped, last, halted = None, 0, None, None, None, None
        while not rst:
            mood = next(drawing)
            if mood["calm"]:
                mood = mood | CALM
            if paused:
                mood = mood | {"serve": 0.0}
            if nodes.deaf:
                # Nothing else ends the broadcast for some time.
                nodes.deaf = nodes.deaf - 1 if timeout and {*nodes.held.values()} != {"done"} else 0
                mood = mood | {"reset": 0.0, "report": 0.0, "fault": 0.0}
            rst = chance(random, mood["reset"])
            if chance(random, 0.0004):
                timeout = random.choice((0, 1, 1, 1, 2))
            if len(nodes.adds) < 4 and chance(random, mood["add"]):
                nodes.instruct()
            if chance(random, mood["call"]):
                nodes.call()
            # What finds no way is still being sent, for the most part.
            if report is None and chance(random, mood["report"] * (1 if sending is None else 4)):
                report = random.choice([*nodes.tickets, random.randrange(config.nodes)])
                report = sending if sending is not None and chance(random, 0.7) else report
            if fault is None and chance(random, mood["fault"]):
                to = random.choice([*nodes.tickets, address])
                fault = to, nodes.tickets.get(to, 0) ^ chance(random, 0.2)
            answer = nodes.answers[0] if nodes.answers and chance(random, mood["answer"]) else None
            # A link that cannot be read, or written, is rare otherwise.
            served, word, word_error = reads.answer(mood["serve"], mood["error"] * (4 if single else 1))
            fails = max(mood["error"] * (1 if link else 3), 0.7 if link and single else 0)
            written, write_error = writes.answer(mood["serve"] * (mood["late"] if flag else 1), fails)
            inputs = {
                "rst": rst,
                "address": address,
                "room": random.getrandbits(config.dim),
                "timeout": random.getrandbits(32) if chance(random, 0.02) else timeout,
                "add__valid": int(bool(nodes.adds)),
                **{
                    f"add__{name}": value for name, value in zip(ADD, nodes.adds[0] if nodes.adds else (), strict=False)
                },
                "answer__valid": int(answer is not None),
                **{f"answer__{name}": value for name, value in (answer or {}).items()},
                "report__valid": int(report is not None),
                "report__destination": report or 0,
                "fault__valid": int(fault is not None),
                "fault__destination": fault[0] if fault else 0,
                "fault__ticket": fault[1] if fault else 0,
                "part__ready": int(sending is None),
                "back__valid": int(stopped is not None),
                **{f"back__{name}": value for name, value in (stopped or {}).items()},
                "event__ready": chance(random, mood["ready"]),
                "reader__ready": chance(random, mood["ready"]),
                "writer__ready": chance(random, mood["ready"]),
                "served": served,
                "word": word,
                "word_error": word_error,
                "written": written,
                "write_error": write_error,
            }
            outputs = yield inputs
            clock, paused = clock + 1, max(paused - 1, 0)
            asks = outputs["reader__valid"] or outputs["writer__valid"]
            if clock % UNIT == 0:
                pauses = chance(random, 1 / config.dim)
            elif pauses and asks and 4 <= clock % UNIT < 6 * config.nodes:
                # The next unit comes in the middle of a scan.
                paused, pauses = UNIT, False
            if outputs["reader__valid"] and inputs["reader__ready"]:
                reads.take(outputs["reader__address"], outputs["reader__beats"])
                single = not outputs["reader__beats"]
            if outputs["writer__valid"] and inputs["writer__ready"]:
                writes.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
                assert outputs["writer__address"] in nodes.own, "a write into no block of a send"
                link = outputs["writer__address"] % BLOCK_WORDS == Word.LINK
                flag = outputs["writer__address"] % BLOCK_WORDS == Word.FLAG
            if nodes.adds and outputs["add__ready"]:
                del nodes.adds[0]
            if answer is not None and outputs["answer__ready"]:
                nodes.answers.remove(answer)
            if report is not None and outputs["report__ready"]:
                report = None
            if fault is not None and outputs["fault__ready"]:
                fault = None
            if stopped is not None and outputs["back__ready"]:
                # What went before the stop was damaged, or finds no way.
                halted = last if chance(random, 0.5) else None
                if report is None and chance(random, 0.2):
                    report = sending
                rest = stopped = last = None
            elif rest is not None and stopped is None and outputs["preempt"] and chance(random, mood["stop"]):
                stopped = rest
            if sending is not None and clock >= until and stopped is None and chance(random, mood["send"]):
                sending = rest = None
                if last is not None:
                    nodes.begun(last)
            if outputs["part__valid"]:
                sending, rest, last = outputs["part__destination"], nodes.stop(outputs), None
                if halted is not None and halted["destination"] != sending:
                    others, nodes.answers = nodes.answers, []
                    nodes.begun(halted)
                    nodes.answers += others
                halted = None
                slow = clock % UNIT > UNIT - 250 and not mood["calm"] and chance(random, 0.4)
                if slow:
                    # It is still being sent when scans come to its chain.
                    until = (clock // UNIT + random.choice((1, 1, 1, 3))) * UNIT + 10 * config.nodes
                elif rest is not None:
                    until = clock + random.choice((0, 100))
                if not slow and not (sending != address and chance(random, 0.04)):
                    told = {name[6:]: value for name, value in outputs.items() if name.startswith("part__")}
                    if rest is None or chance(random, 0.3):
                        nodes.begun(told)
                    else:
                        # It is answered when it has been sent to its end.
                        last = told


def _resumed(twin, entry):
    """Return whether the rest in an entry goes on where it has stopped."""
    config = twin.config
    return entry.offset not in (config.first_bytes, config.first_bytes + (config.eager - 1) * config.packet_bytes)


def watch(inputs, outputs, twin):
    """Name what is sent, how it ends, and which ways are taken."""
    now = (twin.state, twin.work, twin.tick, twin.due, twin.now)
    state, work, timed, due, before = recall(twin, now) or ("IDLE", "queue", 0, 0, 0)
    # Chains of which one that was not the first has ended without an answer, and none was offered since.
    doubted = vars(twin).setdefault("doubted", set())
    if inputs["rst"]:
        doubted.clear()
        yield "reset"
        return
    if before == WRAP and not twin.now:
        yield "the time begins anew"
    broadcast = twin.chain == inputs["address"]
    kind = "broadcast" if broadcast else "message"
    if outputs["part__valid"]:
        if outputs["part__rest"] and _resumed(twin, twin.entry):
            yield "a stopped rest goes on"
        yield f"{kind}: " + {"OFFER": "offer", "REST": "rest", "AGAIN": "further round"}[twin.what]
        yield from (name for name in ("behind", "others", "mark") if outputs[f"part__{name}"] and not broadcast)
        if broadcast and twin.what == "AGAIN":
            yield "further round: " + ("nobody has to answer" if outputs["part__behind"] else "some have to answer")
        if twin.chain in doubted:
            doubted.remove(twin.chain)
            if not outputs["part__mark"]:
                yield "no MARK behind one without an answer that was not the first"
        if outputs["part__eager"] < twin.config.eager:
            yield "behind one that may not be whole" if twin.entry.doubt else "offered again"
        if not broadcast and outputs["part__slots"] & ~inputs["room"]:
            yield "slot without room"
            useful = inputs["address"] ^ outputs["part__destination"]
            if twin.what == "OFFER" and not twin.entry.passed and useful & inputs["room"]:
                yield "behind what is left of the message before"
    elif state == "PART":
        yield "an ACCEPT where there is no rest"
    if outputs["delivered"]:
        yield f"{kind} delivered"
        if broadcast and twin.round.name == "AGAIN" and twin.answer.source not in twin.round.marks["rewound"]:
            yield "a further round is stored by one whose call was not heard"
    if outputs["event__valid"]:
        yield f"event {Status(outputs['event__status']).name}"
        if state != "EVENT":
            yield "a posted write has failed" + ("" if state == "IDLE" else ", the next one waits")
        elif twin.whole != outputs["event__status"]:
            yield "event of a part that is not the first to end badly"
    if state == "WORK":
        if twin.state == "JUDGE" and twin.answer.op == Op.DONE and not outputs["delivered"]:
            yield "DONE again"
        if twin.entry.over and not twin.chains[twin.chain].over:
            yield f"{work}: it ends when its part is sent"
        if work == "queue" and twin.state in ("REMOVE", "NEXT"):
            yield "its part is sent, it ends"
        if work == "queue" and twin.what == "REST" and twin.state == "FETCH" and twin.entry.over:
            yield "the rest of what has found no way"
        stopped = twin.chains[twin.chain]
        if stopped.rest and _resumed(twin, stopped):
            if work == "answer" and twin.state in ("REMOVE", "NEXT"):
                yield "ended while stopped"
            if work == "report" and twin.entry.over and not stopped.over:
                yield "no way while stopped"
        if work == "back":
            yield "a rest stops" if twin.entry.rest else "a rest stops that nobody wants"
            if twin.entry.rest and twin.entry.over:
                yield "a rest stops of what has found no way"
        if work == "scan" and twin.entry.waiting and twin.entry.since == twin.now and not twin.entry.over:
            yield "what waits for its turn is not late" if twin.entry.queued else "what is being sent is not late"
        ends = work in ("scan", "report") and twin.state in ("REMOVE", "NEXT")
        yield f"{work}: {'the message ends' if ends else twin.state}"
        if work == "scan" and broadcast and twin.entry.waiting and twin.entry.mark and not twin.entry.queued:
            yield "scan: further round"
        if work == "answer" and twin.entry.again:
            yield "rewind while an offer is open"
    if state == "REMOVE" and broadcast:
        yield f"a broadcast ends: {Status(twin.status).name}"
    if state == "REMOVE" and not broadcast and twin.entry.mark:
        stored = twin.chains[twin.chain]
        yield "MARK as before" if stored.mark or stored.again else "MARK again"
    if state == "REMOVE" and not broadcast and twin.entry.doubt and twin.entry.position and not twin.entry.mark:
        doubted.add(twin.chain)
    if state == "REMOVE" and twin.status == Status.UNDELIVERABLE:
        yield "undeliverable"
    if state == "UNLINK" and twin.state == "REMOVE":
        yield "the chain is cut" if twin.last else "out of the middle"
    if state == "APPEND" and twin.state in ("FLAG", "COUNT"):
        yield "not appended" + (", an offer is open" if twin.entry.waiting else "")
    if state == "REMOVE" and twin.last and twin.entry.full:
        yield "out of the end"
    if state in ("LEFT", "CALL", "STEP", "COUNT", "FLAG", "CLEAR") and twin.state != state:
        yield f"{state}: {twin.state}"
    if state == "COUNT" and twin.repeated and not twin.asked and twin.state == "COUNT" and inputs["word_error"]:
        yield "COUNT again"
    if state in ("LEFT", "FLAG") and twin.state == "EVENT" and inputs["write_error"]:
        yield f"{state} fails"
    if timed and inputs["timeout"] and not twin.tick:
        yield "all chains are scanned"
    if twin.due and not due and twin.scan:
        yield "a unit ends during a scan"
    if due and not twin.due and not twin.scan:
        yield "a scan behind the one before"
    if state == "IDLE" and twin.state == "LOAD" and twin.work == "scan" and inputs["answer__valid"]:
        yield "a scan goes first"


def events(config, extra, options):
    """Return what can happen with so many packets unasked."""
    found = ["reset", "broadcast: offer", "broadcast: rest", "broadcast: further round", "message: offer"]
    found += ["message: rest", "behind", "others", "mark", "message delivered", "broadcast delivered"]
    found += ["a broadcast ends: OK", "a broadcast ends: DAMAGED"]
    found += ["event DAMAGED", "event TIMEOUT", "event MEMORY_ERROR", "undeliverable", "out of the middle"]
    found += [
        "out of the end",
        "LEFT: EVENT",
        "LEFT fails",
        "FLAG fails",
        "COUNT again",
        "COUNT: EVENT",
        "COUNT: FLAG",
        "CALL: STORE",
        "STEP: STORE",
        "STEP: EVENT",
    ]
    found += [
        "answer: STEP",
        "answer: STORE",
        "answer: REMOVE",
        "answer: NEXT",
        "answer: JUDGE",
        "add: APPEND",
        "add: STORE",
        "add: PART",
    ]
    found += ["queue: FETCH", "scan: STORE", "scan: the message ends", "report: STORE", "report: the message ends"]
    found += ["FLAG: FETCH", "FLAG: STORE", "FLAG: EVENT", "FLAG: CLEAR", "CLEAR: FETCH", "CLEAR: STORE"]
    found += ["rewind while an offer is open", "slot without room", "all chains are scanned", "the chain is cut"]
    found += ["a unit ends during a scan", "a scan behind the one before", "a scan goes first"]
    found += ["not appended", "not appended, an offer is open", "behind what is left of the message before"]
    found += ["an ACCEPT where there is no rest"]
    found += ["event of a part that is not the first to end badly", "what is being sent is not late"]
    found += ["what waits for its turn is not late"]
    found += ["report: it ends when its part is sent", "answer: it ends when its part is sent"]
    found += ["its part is sent, it ends", "a rest stops", "a rest stops that nobody wants"]
    found += ["a rest stops of what has found no way", "the rest of what has found no way", "a stopped rest goes on"]
    found += ["ended while stopped", "no way while stopped"]
    found += ["no MARK behind one without an answer that was not the first"]
    found += ["a posted write has failed", "a posted write has failed, the next one waits"]
    found += ["further round: nobody has to answer", "further round: some have to answer", "DONE again"]
    found += ["scan: further round", "a further round is stored by one whose call was not heard", "MARK again"]
    eager = ("offered again", "behind one that may not be whole") if config.eager > 1 else ()
    return tuple(found) + eager


BENCH = Bench(
    unit="node.send_scheduler:SendScheduler",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
"""Testbench of the send scheduler."""


class NearEnd(SendScheduler):
    """The twin, its time near the end of its range after a reset."""

    def reset(self):
        """Set all registers to their reset values, and let the entries be as old as that."""
        super().reset()
        self.now = LEFT & WRAP
        for chain in self.chains:
            chain.since = self.now


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.node.send_scheduler:NearEnd",
    presets={"_now": LEFT},
    events=(
        *("reset", "message: offer", "message delivered", "broadcast: offer", "event TIMEOUT", "scan: STORE"),
        *("scan: the message ends", "all chains are scanned", "the time begins anew"),
    ),
)
"""The same with a time that comes to the end of its range."""
