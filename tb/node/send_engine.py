"""Testbench of the send engine: parts and answers at once, rests that stop, full slots, a memory that stalls."""

from cubecast.golden.node.contract.packet import OP_BITS, TICKET_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort

__all__ = ["BENCH"]


def part(random, config, address):
    """Return a part of a message to a node, or to all."""
    to = random.randrange(config.nodes)
    away = to ^ address
    useful = [1 << j for j in range(config.dim) if away >> j & 1]
    eager = random.choice((1, config.eager, random.randint(1, 15)))
    whole = config.first_bytes + (eager - 1) * config.packet_bytes
    rest = int(chance(random, 0.4))
    length = random.choice((0, 1, config.first_bytes, config.first_bytes + 1, whole, whole + random.randint(1, 99)))
    if rest:
        packets = config.packet_bytes
        length = whole + random.choice(
            (1, 2, packets, packets + 1, 3 * packets, *(random.randint(9, 16) * packets,) * 5)
        )
    bits = {"type": 16, "behind": 1, "others": 1, "mark": 1, "ticket": TICKET_BITS}
    return {
        "slots": random.choice(useful) if useful else config.nodes - 1,
        "destination": to,
        "rest": rest,
        "offset": whole * rest,
        "odd": eager & 1,
        "length": length,
        "eager": eager,
        "buffer": random.getrandbits(30) << 2,
        **{name: random.getrandbits(width) for name, width in bits.items()},
    }


def reply(random, config, address):
    """Return an answer to another node."""
    bits = {"b": 1, "op": OP_BITS, "stop": 1, "damaged": 1, "ticket": TICKET_BITS}
    source = random.choice([node for node in range(config.nodes) if node != address])
    return {"source": source, **{name: random.getrandbits(width) for name, width in bits.items()}}


def stimulus(random, config):
    """Keep all sides busy; an answer that is offered may change until it is taken."""
    drawing = moods(
        random,
        120,
        part=(0.02, 0.3, 1.0),
        reply=(0.0, 0.02, 0.3, 1.0),
        slot=(0.1, 0.9, 1.0, 1.0),
        ready=(0.1, 1.0, 1.0),
        serve=(0.1, 0.8, 1.0),
        error=(0.0, 0.02, 0.1),
        fault=(0.0, 0.2, 1.0),
        preempt=(0.0, 0.2, 1.0, 1.0),
        reset=(0.0, 0.0, 0.003),
    )
    while True:
        address = random.randrange(config.nodes)
        rst, offered, answer, reads = 0, None, None, ReadPort(random)
        # For so many cycles more nobody asks where a rest has stopped: longer than what is before it takes, most often.
        deaf = long = 5 * config.router.max_words
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if offered is None and chance(random, mood["part"]):
                offered = part(random, config, address)
            if answer is None and chance(random, mood["reply"]):
                answer = reply(random, config, address)
            elif answer is not None and chance(random, 0.1):
                answer = random.choice((None, reply(random, config, address)))
            served, word, word_error = reads.answer(mood["serve"], mood["error"])
            inputs = {
                "rst": rst,
                "address": address,
                "part__valid": int(offered is not None),
                **{f"part__{name}": value for name, value in (offered or {}).items()},
                "reply__valid": int(answer is not None),
                **{f"reply__{name}": value for name, value in (answer or {}).items()},
                "inject__ready": sum(chance(random, mood["slot"]) << j for j in range(config.dim)),
                "reader__ready": chance(random, mood["ready"]),
                "fault__ready": chance(random, mood["fault"]),
                "preempt": chance(random, mood["preempt"]),
                "back__ready": int(deaf == 0),
                "served": served,
                "word": word,
                "word_error": word_error,
            }
            outputs = yield inputs
            if outputs["reader__valid"] and inputs["reader__ready"]:
                reads.take(outputs["reader__address"], outputs["reader__beats"])
            if outputs["back__valid"]:
                deaf = deaf - 1 if deaf else random.choice((0, 3, long, long))
            if offered is not None and outputs["part__ready"]:
                offered = None
            if answer is not None and outputs["reply__ready"]:
                answer = None


def watch(inputs, outputs, twin):
    """Name what is sent, and who waits for whom."""
    state, waits = recall(twin, (twin.state, twin.cutter.part is not None)) or ("FREE", False)
    if inputs["rst"]:
        yield "reset"
        return
    if inputs["reply__valid"]:
        if outputs["reply__ready"]:
            yield "answer"
            yield "answer before a part" if waits else "answer alone"
            yield (
                "slot with room"
                if (twin.maker.next or twin.maker.now).slots & inputs["inject__ready"]
                else "slot without room"
            )
        elif state == "DRAIN":
            yield "answer waits for the end of a part"
    if inputs["part__valid"] and outputs["part__ready"]:
        yield "rest" if inputs["part__rest"] else "offer"
    if outputs["back__valid"]:
        yield "a rest has stopped"
        if state == "DRAIN" and not twin.open and not inputs["back__ready"]:
            yield "waits until it is asked where"
    if state == "DRAIN":
        yield "end of a part" if twin.state != "DRAIN" else "drains"
    if outputs["fault__valid"]:
        yield "fault" if inputs["fault__ready"] else "fault waits"
    if outputs["sent"]:
        yield "sent"


BENCH = Bench(
    unit="node.send_engine:SendEngine",
    stimulus=stimulus,
    events=(
        "reset",
        "answer",
        "answer before a part",
        "answer alone",
        "slot with room",
        "slot without room",
        "answer waits for the end of a part",
        "rest",
        "offer",
        "drains",
        "end of a part",
        "a rest has stopped",
        "waits until it is asked where",
        "fault",
        "fault waits",
        "sent",
    ),
    watch=watch,
)
"""Testbench of the send engine."""
