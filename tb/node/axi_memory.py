"""Testbench of the AXI4 master: requests around the ends of 4 KB, and a slave that takes and answers as it likes."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

PAGE = 1024


def stimulus(random, config):
    """Ask at any time; answers are passed on whatever they belong to, so they are drawn."""
    drawing = moods(
        random,
        60,
        ask=(0.1, 0.7, 1.0),
        ready=(0.1, 0.6, 1.0),
        answer=(0.1, 0.8),
        reset=(0.0, 0.003),
    )
    while True:
        mood = next(drawing)
        page = PAGE * random.choice((0, 1, random.getrandbits(20), (1 << 20) - 1))
        inputs = {
            "rst": chance(random, mood["reset"]),
            "read__valid": chance(random, mood["ask"]),
            "read__address": page + random.choice((0, PAGE - 1, PAGE - random.randint(1, 16), random.randrange(PAGE))),
            "read__beats": random.choice((0, 15, random.getrandbits(4))),
            "write__valid": chance(random, mood["ask"]),
            "write__address": random.getrandbits(30),
            "write__data": random.getrandbits(32),
            "write__strobe": random.getrandbits(4),
        }
        for channel in ("ar", "aw", "w"):
            inputs[f"m_axi_{channel}ready"] = chance(random, mood["ready"])
        for channel in ("r", "b"):
            inputs[f"m_axi_{channel}valid"] = chance(random, mood["answer"])
            inputs[f"m_axi_{channel}resp"] = random.choice((0, 0, 2, 3))
            inputs[f"m_axi_{channel}id"] = random.getrandbits(1)
        inputs |= {"m_axi_rdata": random.getrandbits(32), "m_axi_rlast": random.getrandbits(1)}
        yield inputs


def watch(inputs, outputs, twin):
    """Name what is taken, what waits, and in which order address and data of a write go."""
    bursts, asked, given = recall(twin, (len(twin.bursts), twin.asked, twin.given)) or (0, None, None)
    if inputs["rst"]:
        if bursts or asked is not None:
            yield "reset"
        return
    if outputs["read__ready"] and inputs["read__valid"]:
        yield "two bursts" if len(twin.bursts) > 1 else "one burst"
    if bursts > 1 and len(twin.bursts) == 1:
        yield "second burst"
    for channel in ("ar", "aw", "w"):
        if outputs[f"m_axi_{channel}valid"] and not inputs[f"m_axi_{channel}ready"]:
            yield f"{channel} waits"
    if outputs["write__ready"] and inputs["write__valid"]:
        yield "write behind write" if given is not None or asked is not None else "write"
    if (asked is None) != (given is None):
        yield "address first" if asked is None else "data first"
    for name in ("data__error", "done_error"):
        if outputs[name]:
            yield name


BENCH = Bench(
    unit="node.axi_memory:AxiMemory",
    stimulus=stimulus,
    events=(
        "reset",
        "one burst",
        "two bursts",
        "second burst",
        "ar waits",
        "aw waits",
        "w waits",
        "write",
        "write behind write",
        "address first",
        "data first",
        "data__error",
        "done_error",
    ),
    watch=watch,
)
