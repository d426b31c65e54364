"""Testbench of the expected queues: receives are posted and found in a memory that stalls and errs."""

from cubecast.golden.node.contract.block import BLOCK_BITS, LENGTH_BITS, Word
from cubecast.golden.node.contract.config import BLOCK_WORDS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort, WritePort

__all__ = ["BENCH"]

TYPES = (0, 0, 0, 1, 3, 0x0100, 0x7FFF, 0x8000, 0x8001)
"""Few, so that they meet: of both classes, and some of one queue."""

NODE_BITS = 16
"""Bits of a node's address in a block."""

BLOCKS = (0, 1, (1 << BLOCK_BITS) - 1)
"""Numbers of blocks at the ends of memory."""


def stimulus(random, config):
    """Post receives with blocks that are in no list, and look for them; the user's words are in the memory before."""
    drawing = moods(
        random,
        100,
        ask=(0.3, 1.0, 1.0),
        post=(0.1, 0.5, 0.9),
        wide=(0.1, 0.2, 0.3),
        ready=(0.4, 1.0, 1.0),
        answer=(0.3, 1.0, 1.0),
        error=(0.0, 0.0, 0.2),
        write_error=(0.0, 0.0, 0.6),
        reset=(0.0, 0.0, 0.002),
    )
    while True:
        rst, words, listed, used, posting, named, request = 0, {}, set(), set(), set(), [], None
        reads, writes = ReadPort(random, words), WritePort(random, words, loses=True)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if request is None and chance(random, mood["ask"]):
                request = {
                    "post": chance(random, mood["post"]),
                    "block": random.choice((*BLOCKS, random.getrandbits(BLOCK_BITS), random.getrandbits(BLOCK_BITS))),
                    "source": random.choice((0, 1, random.randrange(8), random.getrandbits(NODE_BITS))),
                    "any_source": chance(random, mood["wide"]),
                    "type": random.choice(TYPES),
                    "any_type": chance(random, mood["wide"]),
                }
                if request["block"] in used:
                    request["post"] = 0
                if not request["post"] and named and chance(random, 0.9):
                    request["source"], request["type"] = random.choice(named[-6:])
                if request["post"]:
                    describe(random, words, request)
                    named.append((request["source"], request["type"]))
            # Numbers are read seldom, when both lists have a match.
            rare = bool(reads.queue) and reads.queue[0] % BLOCK_WORDS == Word.STATE
            served, word, word_error = reads.answer(mood["answer"], 0.2 if rare else mood["error"])
            # So is a receive in the middle of a list unlinked.
            written, write_error = writes.answer(mood["answer"], mood["write_error"] if posting else 0.3)
            inputs = {
                "rst": rst,
                "request__valid": int(request is not None),
                **{f"request__{name}": value for name, value in (request or {}).items()},
                "served": served,
                "word": word,
                "word_error": word_error,
                "written": written,
                "write_error": write_error,
                "reader__ready": chance(random, mood["ready"]),
                "writer__ready": chance(random, mood["ready"]),
            }
            outputs = yield inputs
            if outputs["reader__valid"] and inputs["reader__ready"]:
                reads.take(outputs["reader__address"], outputs["reader__beats"])
            if outputs["writer__valid"] and inputs["writer__ready"]:
                writes.take(outputs["writer__address"], outputs["writer__data"], outputs["writer__strobe"])
            if request is not None and outputs["request__ready"]:
                # A block whose receive was not posted, or left its list when memory erred, is not used again.
                posting = {request["block"]} if request["post"] else set()
                used, request = used | posting, None
            if outputs["answer"] and outputs["found"]:
                assert outputs["block"] in listed, "a receive that is not posted"
                listed.remove(outputs["block"])
                used.remove(outputs["block"])
            elif outputs["answer"] and not outputs["failed"]:
                listed |= posting


def describe(random, words, request):
    """Write what the user says of a receive into its block, with bits that do not matter."""
    source = 1 << 16 if request["any_source"] else request["source"]
    kind = request["type"] | (1 << 16 if request["any_type"] else 0)
    if request["any_source"]:
        source |= random.getrandbits(16)
    if request["any_type"]:
        kind ^= random.getrandbits(15)
    length = random.getrandbits(32) & ~(-1 << LENGTH_BITS) | random.getrandbits(4) << 28
    for word, value in enumerate((random.getrandbits(32), source, kind, length, random.getrandbits(32))):
        words[BLOCK_WORDS * request["block"] + word] = value


def watch(inputs, outputs, twin):
    """Name what is done to the lists, and how a request ends."""
    before = recall(twin, (twin.state, dict(twin.ends), twin.request))
    if before is None:
        return
    state, ends, request = before
    if inputs["rst"]:
        if ends:
            yield "reset"
        return
    winner, failed = twin.winner, twin.failed
    if not outputs["answer"]:
        if (outputs["reader__valid"] and not inputs["reader__ready"]) or (
            outputs["writer__valid"] and not inputs["writer__ready"]
        ):
            yield "stalls"
        if state in ("WALK", "NUMBERS", "FETCH", "LINK", "NUMBER", "UNLINK") and failed and twin.state == "ANSWER":
            yield f"fails in {state}"
        return
    if request.post:
        yield "posted" if not failed else "not posted"
        return
    if not outputs["found"]:
        yield "failed" if failed else "nothing posted" if not ends else "none fits"
        return
    place = "head" if winner.before is None else "behind"
    yield f"{place}, tail" if winner.tail else place
    special = winner.queue == twin.special
    if len(twin.candidates) == 2:
        yield "special is older" if special else "bucket is older"
    else:
        yield "special" if special else "bucket"


BENCH = Bench(
    unit="node.expected_queues:ExpectedQueues",
    stimulus=stimulus,
    events=(
        "reset",
        "stalls",
        *(f"fails in {state}" for state in ("WALK", "NUMBERS", "FETCH", "LINK", "NUMBER", "UNLINK")),
        "posted",
        "not posted",
        "failed",
        "nothing posted",
        "none fits",
        "head",
        "head, tail",
        "behind",
        "behind, tail",
        "special is older",
        "bucket is older",
        "special",
        "bucket",
    ),
    watch=watch,
)
