"""Testbench of the matcher: messages, receives and buffers come and go, from a memory that stalls and errs."""

from collections import deque

from cubecast.golden.node.contract.block import LENGTH_BITS, LENT_LOW, TYPE_BITS, Word
from cubecast.golden.node.contract.config import BLOCK_WORDS
from cubecast.golden.node.contract.units import How
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.expected_queues import describe
from cubecast.tb.node.memory import ReadPort, WritePort

__all__ = ["BENCH"]

TYPES = (0, 0, 1, 0x0100, 0x7FFF, 0x8000, 0x8001)
"""Few, so that they meet: of both classes, and every bit in one of them."""

LEFT = -1
"""The youngest broadcast that was held has left, others are still there, and none came since."""


def kind_of(random, rare):
    """Return a type: seldom one that nobody else has."""
    return random.getrandbits(TYPE_BITS) if chance(random, rare) else random.choice(TYPES)


class Pool:
    """System buffers, as the stimulus knows them.

    Parameters
    ----------
    config : NodeConfig
        Their number and size.
    base : int
        Address of the first.
    """

    def __init__(self, config, base):
        self.size, self.base = config.buffer_bytes, base
        self.free, self.out = list(range(config.buffers)), []

    def inputs(self):
        """Return what the pool shows."""
        number = self.free[0] if self.free else 0
        return {
            "base": self.base,
            "free": len(self.free),
            "pool_number": number,
            "pool_address": self.base + number * self.size & 0xFFFFFFFF,
        }


class Receiving:
    """The control unit's side: one receive after the other, with a system buffer taken before if it wants one.

    Parameters
    ----------
    random, config
        As for a stimulus.
    words : dict
        Content of the memory.
    pool : Pool
        The buffers.
    """

    def __init__(self, random, config, words, pool):
        self.random, self.config, self.words, self.pool = random, config, words, pool
        self.state, self.post, self.used, self.posted = "idle", {}, set(), {}

    def begin(self, wide, known):
        """Draw a receive whose block was never used, often for one of the messages that are known."""
        random = self.random
        block = random.getrandbits(27)
        while block in self.used:
            block = random.getrandbits(27)
        source, kind = random.choice((0, 1, random.randrange(self.config.nodes))), kind_of(random, 0.03)
        if known and chance(random, 0.5):
            source, kind = random.choice(known)
        self.post = {
            "block": block,
            "source": source,
            "any_source": chance(random, wide),
            "type": kind,
            "any_type": chance(random, wide),
            "only": 0,
            "room": random.getrandbits(LENGTH_BITS),
            "buffer": random.getrandbits(32),
            "pooled": 0,
            "number": random.getrandbits(self.config.buffer_bits),
        }
        self.state = "grab" if chance(random, 0.5) else "post"

    def granted(self, granted, number):
        """Go on with the buffer, or without one."""
        self.post |= {"pooled": 1, "number": number} if granted else {"only": 1}
        self.state = "post"

    def describe(self):
        """Write the block."""
        self.used.add(self.post["block"])
        describe(self.random, self.words, self.post)
        place = BLOCK_WORDS * self.post["block"] + Word.BUFFER
        self.words[place] = 1 + (self.post["number"] << LENT_LOW) if self.post["pooled"] else self.post["buffer"] & ~1

    def settled(self, how, number, failed):
        """Note which buffers nobody needs any more; those of posted receives are in the lists."""
        if how == How.UNCLAIMED:
            self.pool.out.append(number)
        if how == How.POSTED and not failed:
            self.posted[self.post["block"]] = self.post["source"], self.post["type"]
        if self.post["pooled"] and (how != How.POSTED or failed):
            self.pool.out.append(self.post["number"])
        self.state = "idle"


def message(random, config, posted, held, crowd):
    """Return a message that looks for a place; a source has one broadcast under way, and in a crowd all have one."""
    source, kind = random.choice((0, 1, random.randrange(config.nodes))), kind_of(random, 0.1)
    crowded = chance(random, crowd)
    if crowded and len(held) < config.nodes:
        source = random.choice([other for other in range(config.nodes) if other not in held])
    if posted and chance(random, 0.2):
        source, kind = random.choice(posted)
    b = int(source not in held and (crowded or chance(random, 0.5)))
    size = config.buffer_bytes
    short, long = (random.choice((0, random.randrange(size))), size), (size + 1, random.getrandbits(LENGTH_BITS))
    # Of broadcasts most could have a buffer that becomes free.
    lengths = short if b and chance(random, 0.2 if crowded else 0.7) else short + long
    return {
        "source": source,
        "b": b,
        "type": kind,
        "length": random.choice(lengths),
        "behind": int(not b and chance(random, 0.2)),
        "rest": int(not b and chance(random, 0.3)),
        "mark": int(not b and chance(random, 0.3)),
    }


def stimulus(random, config):
    """Keep all sides busy."""
    drawing = moods(
        random,
        100,
        first=(0.0, 0.1, 1.0),
        receive=(0.01, 0.1, 0.5),
        wide=(0.0, 0.3, 0.3, 1.0),
        posted=(2, 64, 64),
        crowd=(0.0, 0.9),
        free=(0.1, 0.5),
        ready=(0.2, 1.0, 1.0),
        answer=(0.3, 1.0, 1.0),
        error=(0.0, 0.02, 0.1),
        reset=(0.0, 0.0, 0.001),
    )
    while True:
        rst, freed, words, held, first, open_first, failed, error = 0, 0, {}, {}, None, None, 0, None
        latest = deque(maxlen=2)
        base = random.getrandbits(32)
        pool = Pool(config, base)
        receiving = Receiving(random, config, words, pool)
        reads, writes = ReadPort(random, words), WritePort(random, words, loses=True)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            posted = [*receiving.posted.values()]
            if first is None and open_first is None and chance(random, mood["first"]):
                first = message(random, config, posted, held, mood["crowd"])
            # Of many receives that wait a message would look at each.
            few = len(posted) < mood["posted"]
            if receiving.state == "idle" and few and chance(random, mood["receive"]):
                receiving.begin(mood["wide"], [*held.items(), *latest, *posted[-2:]])
                if receiving.state == "post":
                    receiving.describe()
            freed = int(bool(pool.out) and chance(random, max(mood["free"], freed / 2)))
            served, word, word_error = reads.answer(mood["answer"], mood["error"] if error is None else error)
            written, write_error = writes.answer(mood["answer"], mood["error"])
            inputs = {
                "rst": rst,
                "first__valid": int(first is not None),
                **{f"first__{name}": value for name, value in (first or {}).items()},
                "grab__valid": int(receiving.state == "grab"),
                "grab__system": receiving.post.get("type", 0) >> 15,
                "post__valid": int(receiving.state == "post"),
                **{f"post__{name}": value for name, value in receiving.post.items()},
                "freed": freed,
                **pool.inputs(),
                "prepare__ready": chance(random, mood["ready"]),
                "rewind__ready": chance(random, mood["ready"]),
                "event__ready": chance(random, 0.5),
                "reader__ready": chance(random, mood["ready"]),
                "writer__ready": chance(random, mood["ready"]),
                "served": served,
                "word": word,
                "word_error": word_error,
                "written": written,
                "write_error": write_error,
            }
            if rst:
                # The pool is somewhere else afterwards.
                inputs |= {"base": random.getrandbits(32), "pool_address": random.getrandbits(32)}
            outputs = yield inputs
            if outputs["reader__valid"] and inputs["reader__ready"]:
                reads.take(outputs["reader__address"], outputs["reader__beats"])
            if outputs["writer__valid"] and inputs["writer__ready"]:
                writes.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
            if outputs["take"]:
                del pool.free[0]
            if freed:
                pool.free.append(pool.out.pop(random.randrange(len(pool.out))))
            if outputs["event__valid"] and inputs["event__ready"]:
                # Who tries again fails again, or does not.
                error = random.choice((0.0, 0.5))
            if outputs["failed"]:
                failed = 1
            if first is not None and outputs["first__ready"]:
                open_first, first = first, None
            if outputs["verdict"]:
                if outputs["placed"] and outputs["user"]:
                    assert outputs["block"] in receiving.posted, "a receive that is not posted"
                    del receiving.posted[outputs["block"]]
                    if outputs["pooled"]:
                        pool.out.append(outputs["number"])
                if open_first["b"] and not outputs["placed"] and not outputs["lost"]:
                    held[open_first["source"]] = open_first["type"]
                elif not (outputs["placed"] and outputs["user"]):
                    latest.append((open_first["source"], open_first["type"]))
                open_first, failed, error = None, 0, None
            if receiving.state == "grab" and outputs["grab__ready"]:
                receiving.state = "granted"
            elif receiving.state == "post" and outputs["post__ready"]:
                receiving.state, failed = "settled", 0
            if outputs["grabbed"]:
                receiving.granted(outputs["granted"], outputs["number"])
                receiving.describe()
            if outputs["settled"]:
                receiving.settled(outputs["how"], outputs["number"], failed)
            if outputs["prepare__valid"] and inputs["prepare__ready"]:
                held.pop(outputs["prepare__source"], None)


def watch(inputs, outputs, twin):
    """Name how requests end, and what they meet."""
    held = [entry.source for entry in twin.held.entries]
    now = [twin.state, twin.available, twin.first, held, None]
    state, available, first, before, behind = recall(twin, now) or ("IDLE", False, None, [], None)
    if inputs["rst"]:
        yield "reset"
        return
    gone = [source for source in before if source not in held]
    if gone and gone[0] == behind:
        yield "held behind one that had left"
    if len(held) > len(before):
        behind = held[-1] if behind == LEFT else behind
        if len(held) == twin.config.nodes:
            yield "all sources held"
    now[4] = LEFT if held and gone and gone == before[-1:] else behind
    if outputs["failed"]:
        yield "the memory fails"
    queues = twin.queues
    if outputs["visit"] and not outputs["failed"] and len(queues.candidates) == 2:
        yield "special is older" if queues.winner.queue == queues.special else "bucket is older"
    if inputs["first__valid"] and (inputs["post__valid"] or inputs["grab__valid"]):
        if outputs["first__ready"]:
            yield "a message goes first"
        if outputs["post__ready"] or outputs["grab__ready"]:
            yield "a receive goes first"
    if outputs["verdict"]:
        kind = "broadcast" if first.b else "message"
        if outputs["lost"]:
            yield f"{kind} lost"
        elif not outputs["placed"]:
            yield f"{kind} refused"
            if outputs["stop"]:
                yield "stop"
        elif outputs["user"]:
            yield f"{kind} in a receive" + " without a buffer" * outputs["pooled"]
        else:
            yield f"{kind} in a buffer"
        if outputs["placed"] and twin.again:
            yield "found at last"
    if outputs["event__valid"] and not inputs["event__ready"]:
        yield "event stalls"
    if state == "LOOK" and twin.state == "VERDICT":
        yield "outdated"
    if outputs["grabbed"]:
        yield "granted" if outputs["granted"] else "not granted"
    if outputs["settled"]:
        yield How(outputs["how"]).name.lower()
    if outputs["prepare__valid"] and inputs["prepare__ready"]:
        yield "prepared for a receive" if not available else "prepared in a buffer"
    if outputs["rewind__valid"]:
        yield "rewind" if inputs["rewind__ready"] else "rewind stalls"
        if available:
            yield "rewind for a buffer"
    if state == "SERVE" and available and twin.state == "NEXT":
        yield f"no broadcast of class {twin.kind - 1}"


def events(config, extra, options):
    """Return what can happen with so many buffers."""
    found = ["reset", "the memory fails", "a message goes first", "a receive goes first", "message refused"]
    found += ["broadcast refused", "stop", "message in a receive", "broadcast in a receive", "outdated"]
    found += ["message lost", "broadcast lost", "found at last", "event stalls"]
    found += ["all sources held", "held behind one that had left", "special is older", "bucket is older"]
    found += ["not granted", "posted", "held", "nothing", "prepared for a receive", "rewind", "rewind stalls"]
    if config.buffers:
        found += ["granted", "message in a receive without a buffer", "message in a buffer", "unclaimed"]
        found += ["prepared in a buffer", "rewind for a buffer", "no broadcast of class 1"]
    if config.buffers > config.reserved:
        found += ["no broadcast of class 0", "broadcast in a buffer"]
    return tuple(found)


BENCH = Bench(
    unit="node.matcher:Matcher",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
