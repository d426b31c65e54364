"""Testbench of the injection: packets of every kind, too long ones, pauses, and queues without room."""

from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.crosspoint.packets import packet, reasons
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Offer one packet after the other."""
    n = config.dim
    drawing = moods(
        random,
        60,
        load=(0.05, 0.7, 1.0),
        gap=(0.0, 0.0, 0.6, 0.9),
        room=(0.5, 0.95, 1.0),
        illegal=(0.0, 0.2, 0.8),
        long=(0.0, 0.3),
        report=(0.05, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    number = 0
    while True:
        rst, words, inside = 0, [], False
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                number += 1
                words = packet(random, config, number, mood["illegal"], mood["long"])
                words[-1]["error"] = chance(random, 0.2)
                inside = False
            valid = chance(random, 1 - mood["gap"] if inside else mood["load"])
            outputs = yield {
                "rst": rst,
                "inject__valid": valid,
                **{f"inject__{name}": value for name, value in words[0].items()},
                "room": sum(chance(random, mood["room"]) << k for k in range(n)),
                "push_set": sparse(random, n) or 1,
                "address": random.randrange(config.nodes),
                "report__ready": chance(random, mood["report"]),
            }
            if valid and outputs["inject__ready"]:
                words.pop(0)
                inside = True


def watch(inputs, outputs, twin):
    """Name what becomes of packets, and what keeps heads back."""
    config = twin.config
    valid, ready = inputs["inject__valid"], outputs["inject__ready"]
    before = recall(twin, (twin.inside, twin.hold, twin.count, twin.pause)) or (False, 0, 0, 0)
    inside, hold, count, pause = before
    if inputs["rst"]:
        if inside:
            yield "reset"
        return
    if outputs["message_in"]:
        yield "a head"
    if valid and not ready:
        yield "refused for the report" if outputs["report__valid"] else "refused for want of room"
    if valid and ready and inside and not hold:
        yield "swallowed"
    if outputs["push"] and outputs["last"] and not outputs["error"] and inside and count == config.packet_limit - 1:
        yield "as long as may be"
    if outputs["push"] and outputs["last"] and outputs["error"] and valid and inputs["inject__last"]:
        yield "error of the node"
    if outputs["report__valid"]:
        yield CrosspointReason(outputs["report__reason"]).name
    if inside and valid and hold and config.pause_limit and pause == config.pause_limit - 1:
        yield "almost too late"


def events(config, extra, options):
    """Return what can happen with such packets."""
    happen = ["reset", "a head", "refused for the report", "refused for want of room", "swallowed", "DATA_TOO_LONG"]
    happen += ["error of the node", *(reason.name for reason in reasons(config))]
    if config.packet_limit > 1:
        happen.append("as long as may be")
        happen += ["PAUSED", "almost too late"] * bool(config.pause_limit)
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.injection:Injection",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
