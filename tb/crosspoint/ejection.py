"""Testbench of the ejection: links compete, and a node that stalls."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.crosspoint.requester import Requester
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

FIELDS = ("ne", "data", "last", "error", "kind")


def stimulus(random, config):
    """Let all links offer packets."""
    drawing = moods(random, 60, load=(0.02, 0.2, 1.0), gap=(0.0, 0.0, 0.5), ready=(0.1, 0.7, 1.0), reset=(0.0, 0.005))
    while True:
        requesters = [Requester(random, config) for _ in range(config.dim)]
        rst = 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            change = {"rst": rst, "eject__ready": chance(random, mood["ready"])}
            for k, requester in enumerate(requesters):
                word = requester.next(mood)
                change |= {f"i__{k}__{name}": word[name] for name in FIELDS if name != "kind" or config.multicast}
            outputs = yield change
            for k, requester in enumerate(requesters):
                requester.saw(outputs["pop"] >> k & 1)


def watch(inputs, outputs, twin):
    """Name stalls, and packets that follow each other at full rate."""
    count = twin.config.dim
    ne = sum(inputs[f"i__{k}__ne"] << k for k in range(count))
    moved = outputs["word_out"]
    before = recall(twin, (moved, outputs["message_out"], twin.lock)) or (0, 0, -1)
    if inputs["rst"]:
        if before[2] >= 0:
            yield "reset"
        return
    if ne & ne - 1:
        yield "contention"
    if outputs["waited"]:
        yield "waited"
    if outputs["eject__valid"] and not inputs["eject__ready"]:
        yield "last word stalled" if outputs["eject__last"] else "body stalled"
    if moved and before[0]:
        yield "full rate"
    if moved and before[1]:
        yield "a packet right after another"
    if outputs["message_out"] and outputs["eject__error"]:
        yield "packet with error"


def events(config, extra, options):
    """Return what can happen with packets of such a length."""
    happen = ["contention", "waited", "last word stalled", "full rate", "a packet right after another"]
    return (*happen, "packet with error", *(("reset", "body stalled") * (config.packet_limit > 1)))


BENCH = Bench(
    unit="crosspoint.ejection:Ejection",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
