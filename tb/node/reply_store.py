"""Testbench of the reply store: verdicts and rewinds for all sources, sent with pauses."""

from cubecast.golden.node.contract.packet import TICKET_BITS, Op
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Put replies, for few sources or for all, as soon as the store is ready."""
    drawing = moods(random, 80, put=(0.05, 0.5, 0.9), few=(0.0, 1.0), take=(0.0, 0.5, 1.0), reset=(0.0, 0.0, 0.003))
    while True:
        rst, ready = 0, 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            outputs = yield {
                "rst": rst,
                "put__valid": int(ready and chance(random, mood["put"])),
                "put__source": random.randrange(2 if mood["few"] else config.nodes),
                "put__b": random.getrandbits(1),
                "put__op": random.randint(Op.ACCEPT, Op.REWIND),
                "put__stop": random.getrandbits(1),
                "put__damaged": random.getrandbits(1),
                "put__ticket": random.getrandbits(TICKET_BITS),
                "o__ready": chance(random, mood["take"]),
            }
            ready = outputs["ready"]


def watch(inputs, outputs, twin):
    """Name what is kept for a source when something comes or goes."""
    before = recall(twin, [set(entry) for entry in twin.entries])
    if before is None:
        return
    if inputs["rst"]:
        if any(before):
            yield "reset"
        return
    if not outputs["ready"]:
        yield "being cleared"
    if inputs["put__valid"]:
        kept = before[inputs["put__source"]]
        key = inputs["put__op"] == Op.REWIND, inputs["put__b"]
        yield "in the place of another" if key in kept else "beside another" if kept else "first"
        if all(before):
            yield "all sources"
    elif outputs["o__valid"] and inputs["o__ready"]:
        left = len(before[outputs["o__source"]]) - 1
        yield f"{left} left"
        yield f"{Op(outputs['o__op']).name}, b = {outputs['o__b']}"


BENCH = Bench(
    unit="node.reply_store:ReplyStore",
    stimulus=stimulus,
    events=(
        "reset",
        "being cleared",
        "in the place of another",
        "beside another",
        "first",
        "all sources",
        *(f"{left} left" for left in range(4)),
        *(f"{op.name}, b = {b}" for op in Op if op for b in range(2)),
    ),
    watch=watch,
)
