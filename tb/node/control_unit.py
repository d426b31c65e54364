"""Testbench of the control unit: legal and illegal instructions, with a matcher, a pool and a memory that are drawn."""

from cubecast.golden.node.contract.block import ANY_BIT, LENGTH_BITS, TAKEN_BIT, Instruction, Status, Word
from cubecast.golden.node.contract.config import BLOCK_WORDS
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort, WritePort

__all__ = ["BENCH"]

BYTES = 0x20_0000
"""Bytes in which blocks and buffers lie: what is in them can have any length."""

RARE = {Word.BUFFER: 0.4, Word.STATE: 0.2, Word.FLAG: 0.1}
"""Probability of an error of a write, for words that are written seldom."""

LONG = 200
"""Bytes of most receives at most; more take their time to be copied."""

ENDLESS = 2048
"""Bytes that would be copied for so long that a reset ends it soon."""

WORD = (1 << 32) - 1

OFFERS = ("add", "grab", "post", "release", "lend", "reader", "writer", "event")
"""Streams that the unit offers."""


class Around:
    """What is around the unit: buffers, each free, filling or whole, and answers that are due."""

    def __init__(self, random, config, turn):
        self.random, self.config, self.turn = random, config, turn
        # The memory may begin and end within a block.
        self.first = 32 * random.randrange(1, (1 << 32) - 2 * BYTES >> 5)
        self.last = self.first + BYTES - 1
        self.before, self.behind = random.choice((0, random.randrange(32))), random.choice((0, random.randrange(32)))
        self.base = random.choice((self.first + BYTES // 2, 0xFFFFFE00, random.getrandbits(32)))
        self.filling, self.whole, self.unclaimed, self.own = set(), set(), [], set()
        self.due, self.room, self.place, self.endless = None, 0, 0, False
        # A block is taken, in the cycle before or with its acknowledgement still to come.
        self.taking = self.taken = False
        self.words = {}
        self.reads, self.writes = ReadPort(random, self.words), WritePort(random, self.words)

    def free(self):
        """Return the numbers of buffers that are not in use."""
        used = self.filling | self.whole | self.own
        return [number for number in range(self.config.buffers) if number not in used]

    def arrive(self):
        """Let a message come that takes a buffer."""
        if self.free():
            # In turn, so that all numbers have their messages.
            number = min(self.free(), key=lambda number: (number - self.turn) % self.config.buffers)
            self.turn = number + 1
            self.filling.add(number)
            self.unclaimed.append(number)

    def keep(self, mood):
        """Let a message in a buffer be complete, if one is in this cycle; return the inputs."""
        claimed = sorted(self.filling.difference(self.unclaimed))
        # Often one that is waited for, while a block is taken: behind a send it is copied next.
        now = claimed and self.taking
        if not self.filling or not chance(self.random, 0.7 if now else mood["keep"]):
            return {"kept": 0}
        number = self.random.choice(claimed if now or (claimed and chance(self.random, 0.3)) else sorted(self.filling))
        self.filling.remove(number)
        self.whole.add(number)
        statuses = (Status.OK, Status.OK, Status.DAMAGED, Status.MEMORY_ERROR, self.random.getrandbits(8))
        status = self.random.choice(statuses)
        return {"kept": 1, "kept_number": number, "kept_status": int(status)}

    def answer(self, mood):
        """Return the answer that is due, if it comes in this cycle."""
        random = self.random
        # Oftener while the lists are written.
        noise = {"failed": chance(random, 0.2 if self.due in ("post", "only") else mood["failed"])}
        if self.due is None or not chance(random, mood["answer"]):
            return noise
        due, self.due = self.due, None
        if due == "release":
            return noise | {"released": 1, "accepted": chance(random, 0.6)}
        if due == "grab":
            free = self.free()
            if not free or chance(random, 0.3):
                return noise | {"grabbed": 1, "granted": 0}
            number = random.choice(free)
            self.own.add(number)
            return noise | {"grabbed": 1, "granted": 1, "number": number}
        how = How.UNCLAIMED if self.unclaimed and chance(random, 0.7) else How.POSTED
        if due == "only" and how != How.UNCLAIMED:
            how = How.NOTHING
        elif how == How.POSTED and chance(random, 0.3):
            how = How.HELD
        found = {"settled": 1, "how": int(how)}
        if how == How.UNCLAIMED:
            filling = [number for number in self.unclaimed if number in self.filling]
            asked = filling if filling and chance(random, 0.7) else self.unclaimed
            number = asked[0] if chance(random, 0.7) else random.choice(asked)
            self.unclaimed.remove(number)
            length = random.choice((0, 1, 4, 63, 64, 65, random.randrange(self.config.buffer_bytes + 1)))
            long = self.room > LONG or chance(random, 0.2)
            drawn = random.choice(((1 << LENGTH_BITS) - 1, random.getrandbits(LENGTH_BITS)))
            length = drawn if long else min(length, self.config.buffer_bytes)
            found |= {"number": number, "source": random.randrange(self.config.nodes), "length": length}
            found["message_type"] = random.getrandbits(16)
            self.endless |= min(self.place, length) > ENDLESS
        return noise | found

    def take(self, inputs, outputs):
        """Take what the unit offers, and what it gives back."""
        self.taking = outputs["writer__valid"] and inputs["writer__ready"] and outputs["writer__data"] == 1 << TAKEN_BIT
        self.taken |= self.taking
        for name in OFFERS:
            if not (outputs[f"{name}__valid"] and inputs[f"{name}__ready"]):
                continue
            if name == "reader":
                self.reads.take(outputs["reader__address"], outputs["reader__beats"])
            elif name == "writer":
                self.writes.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
            elif name in ("release", "grab"):
                self.due = name
            elif name == "post":
                self.due, self.room = "only" if outputs["post__only"] else name, outputs["post__room"]
                self.place = 0 if outputs["post__only"] or outputs["post__pooled"] else self.room
            elif name == "lend":
                self.whole.discard(outputs["lend__number"])
        if outputs["put"]:
            self.own.discard(outputs["put_number"])
            self.whole.discard(outputs["put_number"])

    def settle(self, how):
        """Take note that a receive keeps its own buffer."""
        if how in (How.POSTED, How.HELD):
            self.own.clear()


def block(random, config, around, node):
    """Return an instruction and the address of its block, whose words are in memory."""
    n, nodes = config.dim, config.nodes
    instruction = random.choice((*Instruction, Instruction.RECEIVE, Instruction.NEIGHBOURS))
    first, last = around.first, around.last
    address = random.choice((first, last - 63, first + 32 * random.randrange(64)))
    if instruction == Instruction.RELEASE:
        return int(instruction), random.getrandbits(32)
    # What is received takes its time to be copied.
    bits = 11 if instruction == Instruction.RECEIVE and chance(random, 0.7) else LENGTH_BITS
    length = random.getrandbits(bits) if chance(random, 0.05) else random.choice((0, 1, 5, 64, 64, 65, LONG))
    buffer = random.choice((first + BYTES // 4, first + BYTES // 4, last + 1 - length & ~3))
    partner = random.choice([other for other in range(nodes) if other != node])
    kind = random.choice((0, 1, 0x7FFF, 0x8000, 0xFFFF))
    if instruction == Instruction.RECEIVE:
        partner |= chance(random, 0.3) << 16
        kind |= chance(random, 0.3) << 16
        if chance(random, 0.5):
            buffer, length = 0, random.getrandbits(32)
    near = random.sample([node ^ 1 << j for j in range(n)], random.randint(1, n))
    flag = 0
    if instruction == Instruction.NEIGHBOURS:
        partner = len(near)
    spoilt = random.randrange(40)
    if spoilt == 0:
        address += random.choice((1, 4, 16))
    elif spoilt == 1:
        address = random.choice((first - 32, last + 1, WORD - 31))
    elif spoilt == 2:
        flag = 1 << 31
    elif spoilt in (3, 10):
        partner = random.choice((node, nodes, 1 << 17, WORD, 0))
    elif spoilt in (4, 11, 13):
        kind |= 1 << random.choice((16, 17, 17, random.randint(18, 31)))
    elif spoilt == 5:
        length |= 1 << random.randint(LENGTH_BITS, 31)
    elif spoilt == 6:
        buffer += random.choice((1, 2))
    elif spoilt == 7:
        buffer = random.choice((first - 4, last + 1, last - 3, WORD - 3))
    elif spoilt in (8, 12, 14):
        near[-1] = random.choice((near[0], near[0], near[0], node, nodes, 1 << 20))
    elif spoilt == 9:
        address = last - 31
    values = {Word.PARTNER: partner, Word.TYPE: kind, Word.LENGTH: length, Word.BUFFER: buffer, Word.FLAG: flag}
    for word, value in values.items():
        around.words[address // 4 + word & WORD // 4] = value & WORD
    for place, other in enumerate(near):
        around.words[address // 4 + Word.NEIGHBOUR + 2 * place & WORD // 4] = other
    return int(instruction), address & WORD


def stimulus(random, config):
    """Ring doorbells; let messages come that take buffers, and be complete, at any time."""
    drawing = moods(
        random,
        150,
        ring=(0.3, 1.0, 1.0),
        ready=(0.4, 1.0, 1.0),
        answer=(0.3, 1.0, 1.0),
        late=(0.1, 0.1, 0.1, 1.0),
        arrive=(0.02, 0.2),
        keep=(0.002, 0.02),
        error=(0.0, 0.0, 0.1),
        write_error=(0.0, 0.0, 0.1),
        failed=(0.0, 0.0, 0.05),
        disabled=(0.0, 0.0, 0.5),
        reset=(0.0, 0.0, 0.002),
    )
    turn = 0
    while True:
        around, rst, doorbell = Around(random, config, turn), 0, None
        node = random.randrange(config.nodes)
        while not rst:
            mood = next(drawing)
            rst = chance(random, 0.02 if around.endless else mood["reset"])
            if doorbell is None and chance(random, mood["ring"]):
                doorbell = block(random, config, around, node)
            if chance(random, mood["arrive"]):
                around.arrive()
            kept = around.keep(mood)
            served, word, word_error = around.reads.answer(mood["answer"], mood["error"])
            # Numbers of buffers and counts are written seldom, and flags not often.
            waiting = around.writes.waiting
            wrong = RARE.get(waiting[0][0] % BLOCK_WORDS, 0.0) if waiting else 0.0
            late = mood["late" if around.taken else "answer"]
            written, write_error = around.writes.answer(late, max(wrong, mood["write_error"]))
            around.taken &= not written
            answer = around.answer(mood)
            inputs = {
                "rst": rst,
                "address": node,
                "enable": 1 - chance(random, mood["disabled"]),
                "first": around.first - around.before,
                "last": around.last + around.behind,
                "base": around.base,
                "i__valid": int(doorbell is not None),
                **dict(zip(("i__instruction", "i__address"), doorbell or (), strict=False)),
                "served": served,
                "word": word,
                "word_error": word_error,
                "written": written,
                "write_error": write_error,
                **dict.fromkeys(("released", "grabbed", "settled"), 0),
                **{f"{name}__ready": chance(random, mood["ready"]) for name in OFFERS},
                **kept,
                **answer,
            }
            outputs = yield inputs
            around.take(inputs, outputs)
            if inputs["settled"]:
                around.settle(inputs["how"])
            if doorbell is not None and outputs["i__ready"]:
                doorbell = None
        turn = around.turn


def watch(inputs, outputs, twin):
    """Name how instructions end, and what is done with buffers."""
    reading = outputs["reader__valid"] and inputs["reader__ready"]
    before = recall(twin, [twin.state, twin.instruction, 0, twin.posted])
    if before is None:
        return
    state, instruction, reads, posted = before
    if state == "COPY":
        twin.noted[2] = reads + reading
    if inputs["rst"]:
        if state != "IDLE":
            yield "reset"
        return
    acknowledged = inputs["written"] and not posted
    if state in ("NAME", "COUNT", "HEAD", "FLAG", "CLOSE") and acknowledged and inputs["write_error"]:
        yield f"{state} fails"
    if state in ("IDLE", "TAKE") and outputs["event__valid"] and inputs["event__ready"]:
        yield f"TAKE has failed, told in {state}"
    if state == "LEND" and twin.faulty:
        yield "HEAD of a lent buffer has failed"
    if state == "COPY" and reads and posted and inputs["written"]:
        yield "the block before is acknowledged in a copy"
    if outputs["event__valid"] and inputs["event__ready"]:
        if outputs["event__status"] in set(Status):
            yield Status(outputs["event__status"]).name
        yield Interrupt(outputs["event__reason"]).name
    if outputs["add__valid"] and inputs["add__ready"]:
        yield Instruction(instruction).name
    if inputs["settled"] and state == "POST":
        yield How(inputs["how"]).name.lower()
        if inputs["how"] == How.POSTED and twin.state == "BACK":
            yield "the memory fails a receive that is posted"
    if state == "CLAIM":
        yield "attached" if twin.state == "IDLE" else "whole"
    if state in ("RESUME", "NAME", "LIST", "LEND"):
        yield state.lower()
    if state == "LIST" and twin.status == Status.BAD_LIST and (inputs["word"] ^ inputs["address"]) & twin.seen:
        yield "a neighbour twice"
    if state == "OPERANDS" and instruction == Instruction.RECEIVE and twin.status == Status.BAD_TYPE:
        yield f"bit {(twin.kind >> ANY_BIT).bit_length() + ANY_BIT - 1} of a receive's type"
    if state == "PUT":
        yield "copied" if twin.claim.bytes else "empty"
        if twin.claim.short:
            yield "short"
    if state == "COPY" and reading and reads:
        yield "copied further"
    if state in ("COPY", "READ") and outputs["reader__valid"] and not inputs["reader__ready"]:
        yield "memory stalls"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    statuses = (Status.DISABLED, Status.BAD_BLOCK, Status.BUSY, Status.BAD_LIST, Status.BAD_DESTINATION)
    statuses += (Status.BAD_SOURCE, Status.BAD_TYPE, Status.BAD_LENGTH, Status.BAD_BUFFER, Status.BAD_RELEASE)
    found = [status.name for status in (*statuses, Status.NO_BUFFER, Status.MEMORY_ERROR)]
    found += ["BAD_OPERAND", "SEND", "BROADCAST", "NEIGHBOURS", "reset", "memory stalls", "posted", "held", "nothing"]
    found += [*(f"{state} fails" for state in ("COUNT", "CLOSE")), "TAKE has failed, told in IDLE"]
    found += ["TAKE has failed, told in TAKE"]
    found += ["list", "a neighbour twice", "the memory fails a receive that is posted"]
    found += [f"bit {ANY_BIT + 1} of a receive's type"]
    if config.buffers:
        found += ["unclaimed", "attached", "whole", "resume", "name", "lend", "copied", "empty", "short"]
        found += [*(f"{state} fails" for state in ("HEAD", "FLAG")), "HEAD of a lent buffer has failed"]
        found += ["the block before is acknowledged in a copy"]
        found += ["copied further"] if config.buffer_bytes > 64 else []
        found += ["NAME fails"] if config.buffers > 1 else []
    return tuple(found)


BENCH = Bench(
    unit="node.control_unit:ControlUnit",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
