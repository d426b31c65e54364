"""Testbench of the chunker: messages of every kind with pauses, and a planner that takes its time."""

from functools import reduce
from operator import or_

from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.adapter.twins.chunker import State
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import message
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer one message after the other, and take and free the chunks."""
    drawing = moods(
        random,
        60,
        load=(0.2, 0.8, 1.0),
        illegal=(0.0, 0.0, 0.5),
        known=(0.0, 0.5, 1.0),
        take=(0.05, 0.5, 1.0),
        report=(0.05, 1.0, 1.0),
        reset=(0.0, 0.0, 0.03),
    )
    bits = config.index_bits + 1
    while True:
        address = random.randrange(config.nodes)
        rst, words, held, shown = 0, [], [], None
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            words = words or message(random, config, address, mood["illegal"])
            valid = chance(random, mood["load"])
            take = shown is not None and chance(random, mood["take"])
            free = bool(held) and chance(random, mood["take"])
            bank = held.pop(0) if free else random.getrandbits(1)
            outputs = yield {
                "rst": rst,
                "send__valid": valid,
                **{f"send__{name}": value for name, value in words[0].items()},
                "known": chance(random, mood["known"]),
                "address": address,
                "row_index": random.randrange(config.rows),
                "word_row": random.getrandbits(bits),
                "chunk_taken": int(take),
                "freed": int(free),
                "freed_bank": bank,
                "report__ready": chance(random, mood["report"]),
            }
            if take:
                held.append(shown)
            shown = outputs["chunk__bank"] if outputs["chunk__valid"] and not take else None
            if valid and outputs["send__ready"]:
                words.pop(0)


def watch(inputs, outputs, twin):
    """Name what becomes of messages, and what keeps words waiting."""
    limit = twin.config.router.packet_limit
    state, taken = recall(twin, (twin.state, sum(twin.full))) or (twin.state, 0)
    if inputs["rst"]:
        if taken:
            yield "reset"
        return
    if outputs["report__valid"]:
        yield AdapterReason(outputs["report__reason"]).name
    if not inputs["send__valid"]:
        yield f"pause in {state.name}"
    elif not outputs["send__ready"]:
        yield f"waits in {state.name}"
    if taken == 2:
        yield "both full"
    if outputs["chunk__valid"]:
        yield f"kind {outputs['chunk__kind']}" + " serial" * outputs["chunk__serial"]
        if outputs["chunk__count"] == limit - 1:
            yield "final, full" if outputs["chunk__final"] else "full, not final"
        if outputs["chunk__error"]:
            yield "error"
        if outputs["chunk__ordinal"]:
            yield "numbered"
        if not outputs["chunk__first"]:
            yield "final, one word" if outputs["chunk__final"] and outputs["chunk__count"] == 1 else "a further one"
    if state is State.SPAN and twin.message.kind == Kind.SUBCUBE:
        count = len(twin.listed)
        yield "a list and its sender are a subcube" if count & count - 1 else "a list is a subcube"
    elif state is State.SPAN and not twin.message.serial:
        size = 1 << reduce(or_, (node ^ twin.listed[0] for node in twin.listed)).bit_count()
        yield "a list lacks another node" if len(twin.listed) + 1 == size else "a list stays"
    for name in ("row", "word"):
        if outputs[name] is not None:
            yield f"{name} read"


def events(config, extra, options):
    """Return what can happen with such messages."""
    router, n, w = config.router, config.dim, config.width
    happen = ["reset", "both full", "final, full", "full, not final", "error", "final, one word", "row read"]
    happen += ["word read", "SHORT_MESSAGE", "BAD_KIND", "EMPTY", "waits in HEADER", "waits in ROWS", "waits in DATA"]
    happen += [f"pause in {name}" for name in ("HEADER", "ROWS", "DATA", "SKIP")]
    happen += ["kind 0", "kind 1 serial", "kind 2 serial"]
    happen += ["kind 1"] * router.multicast + ["kind 2"] * config.bitmaps
    happen += ["a list is a subcube", "a list and its sender are a subcube"] * router.multicast
    happen += ["a list stays", *["a list lacks another node"] * (n > 2)] * config.bitmaps
    happen += ["ADDRESS_BITS"] * (w > min(2 * n + 2, router.bitmap_bits))
    happen += ["numbered"] * bool(config.ordinal_bits)
    return (*happen, "a further one")


BENCH = Bench(
    unit="adapter.chunker:Chunker",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
