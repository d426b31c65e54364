"""Testbench of the inject register: an emitter that pauses and a router that stalls."""

from cubecast.golden.crosspoint.contract.word import KIND_BITS
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer words, each until it is taken, and take them."""
    n = config.dim
    drawing = moods(random, 40, load=(0.1, 0.7, 1.0), ready=(0.1, 0.7, 1.0), reset=(0.0, 0.01))
    bits = {"data": config.width, "last": 1, "error": 1, "r1": n, "r2": n, "kind": KIND_BITS}
    word = {}
    while True:
        mood = next(drawing)
        if not word and chance(random, mood["load"]):
            word = {f"i__{name}": random.getrandbits(width) for name, width in bits.items()}
        outputs = yield {
            "rst": chance(random, mood["reset"]),
            "i__valid": int(bool(word)),
            **word,
            "o__ready": chance(random, mood["ready"]),
        }
        if outputs["i__ready"]:
            word = {}


def watch(inputs, outputs, twin):
    """Name what the register does."""
    there = bool(outputs["o__valid"])
    earlier = recall(twin, there)
    if inputs["rst"]:
        if there:
            yield "reset"
        return
    if there and inputs["i__valid"]:
        yield "word behind word" if inputs["o__ready"] else "a word waits"
    if there and not inputs["i__valid"]:
        yield "empties" if inputs["o__ready"] else "keeps its word"
    if not there and inputs["i__valid"] and not inputs["o__ready"] and not earlier:
        yield "fills without ready"


BENCH = Bench(
    unit="adapter.inject_register:InjectRegister",
    stimulus=stimulus,
    events=("reset", "word behind word", "a word waits", "empties", "keeps its word", "fills without ready"),
    watch=watch,
)
