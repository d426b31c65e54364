"""Testbench of the memory ports: clients that ask at any time, and a memory that answers sooner or later."""

from cubecast.golden.node.contract.units import CLIENTS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.memory import ReadPort, WritePort

__all__ = ["BENCH"]


def stimulus(random, config):
    """Read and write with all clients; now and then the memory stalls for long, or answers at once."""
    drawing = moods(
        random,
        60,
        read=(0.05, 0.5, 1.0),
        write=(0.05, 0.5, 1.0),
        ready=(0.1, 0.7, 1.0),
        data=(0.0, 0.5, 1.0),
        done=(0.0, 0.5, 1.0),
        stray=(0.0, 0.05),
        reset=(0.0, 0.02),
    )
    while True:
        reads, writes, rst = ReadPort(random), WritePort(random), 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            valid, word, error = reads.answer(mood["data"], 0.2)
            done, done_error = writes.answer(mood["done"], 0.2)
            inputs = {
                "rst": rst,
                "read__ready": chance(random, mood["ready"]),
                "write__ready": chance(random, mood["ready"]),
                # An answer to nothing does nothing.
                "data__valid": valid or int(not reads.queue and chance(random, mood["stray"])),
                "data__word": word,
                "data__error": error,
                "done": done or int(not writes.waiting and chance(random, mood["stray"])),
                "done_error": done_error,
            }
            for client in range(CLIENTS):
                inputs |= {
                    f"reader__{client}__valid": chance(random, mood["read"]),
                    f"reader__{client}__address": random.getrandbits(30),
                    f"reader__{client}__beats": random.choice((0, 1, 15, random.getrandbits(4))),
                    f"writer__{client}__valid": chance(random, mood["write"]),
                    f"writer__{client}__address": random.getrandbits(30),
                    f"writer__{client}__data": random.getrandbits(32),
                    f"writer__{client}__strobe": random.getrandbits(4),
                }
            outputs = yield inputs
            if outputs["read__valid"] and inputs["read__ready"]:
                reads.take(outputs["read__address"], outputs["read__beats"])
            if outputs["write__valid"] and inputs["write__ready"]:
                writes.take(outputs["write__address"], outputs["write__data"], outputs["write__strobe"])


def watch(inputs, outputs, twin):
    """Name who is answered, how many wait, and answers to nobody."""
    levels = recall(twin, (len(twin.reads.owners), len(twin.writes.owners))) or (0, 0)
    if inputs["rst"]:
        if any(levels):
            yield "reset"
        return
    for name, answered, level, most in (
        ("read", "data__valid", levels[0], 4),
        ("write", "done", levels[1], 8),
    ):
        owner = outputs["served" if name == "read" else "written"]
        if inputs[answered]:
            yield f"{name} {owner.bit_length() - 1}" if owner else f"{name} for nobody"
        if level == most:
            yield f"{name}s full"
        if outputs[f"{name}__valid"] and not inputs[f"{name}__ready"]:
            yield f"{name} stalls"
        asking = sum(
            inputs[f"{name}er__{client}__valid" if name == "read" else f"writer__{client}__valid"]
            for client in range(CLIENTS)
        )
        if asking == CLIENTS and any(
            outputs[f"{'reader' if name == 'read' else 'writer'}__{client}__ready"] for client in range(CLIENTS)
        ):
            yield f"{name}s contend"


def names():
    """Return what must happen."""
    found = ["reset"]
    for name in ("read", "write"):
        found += [f"{name} {client}" for client in range(CLIENTS)]
        found += [f"{name} for nobody", f"{name}s full", f"{name} stalls", f"{name}s contend"]
    return tuple(found)


BENCH = Bench(
    unit="node.memory_ports:MemoryPorts",
    stimulus=stimulus,
    events=names(),
    watch=watch,
)
