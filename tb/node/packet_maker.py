"""Testbench of the packet maker: packets of all lengths and alignments, from a memory that stalls and errs."""

from cubecast.golden.node.contract.packet import Kind
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort

__all__ = ["BENCH"]


def job(random, config):
    """Return a job: a first packet, a later one, or a control packet."""
    kind = int(random.choice(tuple(Kind)))
    words = {Kind.FIRST: config.prefix_words, Kind.CONTROL: 1}.get(kind, 0)
    most = config.packet_bytes - words * config.word_bytes
    least = 1 if words == 0 and random.random() < 0.9 else 0
    length = 0 if kind == Kind.CONTROL else random.choice((least, least, most, random.randint(least, most)))
    return {
        "slots": random.choice((1 << random.randrange(config.dim), random.randrange(1, config.nodes))),
        "destination": random.randrange(config.nodes),
        "kind": kind,
        "prefix": random.getrandbits(48),
        "prefix_words": words,
        "address": random.choice((0, 0xFFFFFFC0, random.getrandbits(30) << 2))
        + random.randrange(0, 4, config.word_bytes if config.width == 16 else 4),
        "bytes": length,
    }


def stimulus(random, config):
    """Offer jobs, answer reads and take words; slots stall one by one."""
    drawing = moods(
        random,
        80,
        offer=(0.1, 1.0, 1.0),
        read=(0.1, 1.0),
        data=(0.1, 0.7, 1.0),
        error=(0.0, 0.0, 0.05),
        take=(0.3, 0.9, 1.0),
        reset=(0.0, 0.004),
    )
    while True:
        rst, memory, offered = 0, ReadPort(random), job(random, config)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            served, word, error = memory.answer(mood["data"], mood["error"])
            inputs = {
                "rst": rst,
                "job__valid": chance(random, mood["offer"]),
                **{f"job__{name}": value for name, value in offered.items()},
                "served": served,
                "word": word,
                "word_error": error,
                "reader__ready": chance(random, mood["read"]),
                "inject__ready": sum(chance(random, mood["take"]) << slot for slot in range(config.dim)),
            }
            outputs = yield inputs
            if outputs["reader__valid"] and inputs["reader__ready"]:
                memory.take(outputs["reader__address"], outputs["reader__beats"])
            if inputs["job__valid"] and outputs["job__ready"]:
                offered = job(random, config)


def watch(inputs, outputs, twin):
    """Name what packets are made of, and what they wait for."""
    now, waiting = recall(twin, (twin.now, twin.next)) or (None, None)
    if inputs["rst"]:
        if now is not None:
            yield "reset"
        return
    if outputs["inject__valid"] and inputs["inject__ready"] & outputs["inject__slots"] not in (
        0,
        outputs["inject__slots"],
    ):
        yield "some slots stall"
    if outputs["sent"]:
        yield "failed" if outputs["failed"] else "sent"
        yield "the next is there" if waiting is not None else "none is there"
        if not now.bytes:
            yield "prefix only" if now.prefix_words else "destination only"
        if now.bytes % twin.config.word_bytes:
            yield "part of a word"
        if now.address & 2 and now.bytes:
            yield "upper half first"
    if now is not None and not outputs["inject__valid"]:
        yield "waits for memory"
    if outputs["reader__valid"] and not inputs["reader__ready"]:
        yield "read stalls"
    if outputs["reader__valid"] and outputs["reader__beats"] == 15:
        yield "burst"


def events(config, extra, options):
    """Return what can happen with words of this width."""
    found = ["reset", "some slots stall", "failed", "sent", "the next is there", "none is there", "prefix only"]
    found += ["destination only", "part of a word", "waits for memory", "read stalls"]
    found += ["upper half first"] * (config.width == 16) + ["burst"] * (config.packet_bytes >= 64)
    return tuple(found)


BENCH = Bench(
    unit="node.packet_maker:PacketMaker",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
