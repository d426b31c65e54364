"""Testbench of the node input port: packets as the crossbar sends them, and a node that stalls."""

from cubecast.golden.packet.contract.packet import Head
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Send packets, each chosen in a cycle with ``open`` while at most two flits of the one before are still to come.

    Some end early, some pause; the node takes words at random, or none until the FIFO is full.
    """
    drawing = moods(
        random,
        4 * config.max_words + 20,
        load=(0.05, 1.0, 1.0),
        gap=(0.0, 0.3),
        ready=(0.0, 0.0, 0.1, 0.7, 1.0, 1.0),
        early=(0.0, 0.2),
        longest=(0.0, 0.5, 1.0),
        reset=(0.0, 0.002),
    )
    while True:
        flits, following, rst = [], [], 0
        while not rst:
            mood = next(drawing)
            if not flits:
                flits, following = following, []
            change = {"rst": 0, "eject__ready": chance(random, mood["ready"]), "i__valid": 0}
            left = len(flits)
            if flits and not chance(random, mood["gap"]):
                head, last, bad, data = flits.pop(0)
                change |= {"i__valid": 1, "i__head": head, "i__last": last, "i__bad": bad, "i__data": data}
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            if outputs["open"] and left <= 2 and not following and chance(random, mood["load"]):
                following = _packet(random, config, mood)


def _packet(random, config, mood):
    """Return the flits of a packet."""
    length = config.max_words if chance(random, mood["longest"]) else random.randint(1, config.max_words)
    head = Head(next_port=config.local, length=length, destination=random.randrange(config.nodes))
    flits = [(1, 0, 0, head.encode(config))]
    flits += [(0, 0, 0, random.getrandbits(config.width)) for _ in range(length)]
    flits[-1] = (0, 1, 0, flits[-1][3])
    if chance(random, mood["early"]):
        flits = [*flits[: random.randint(1, length)], (0, 1, 1, 0)]
    return flits


def watch(inputs, outputs, twin):
    """Name how full the FIFO is, and what comes out."""
    if inputs["rst"]:
        if outputs["eject__valid"]:
            yield "reset"
        return
    if not outputs["open"]:
        yield "closed"
    if len(twin.words) == twin.config.fifo_depth:
        yield "full to the last word"
    if outputs["eject__valid"]:
        yield "word" if inputs["eject__ready"] else "the node stalls"
        if inputs["eject__ready"] and inputs["i__valid"]:
            yield "push and pop"
        if outputs["eject__last"]:
            yield "early end" if outputs["eject__error"] else "end"
    elif inputs["i__valid"]:
        yield "push into the empty FIFO"


def events(config, extra, options):
    """Return what can happen with this depth."""
    happen = ["closed", "word", "the node stalls", "push and pop", "end", "early end", "push into the empty FIFO"]
    # Open only while empty, it is rarely empty with two flits still to come.
    full = ["full to the last word"] if config.fifo_depth > config.max_words + 3 else []
    return (*happen, *full, "reset")


BENCH = Bench(
    unit="packet.node_input_port:NodeInputPort",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
