"""Testbench of the input module: decodes messages word by word."""

from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source, kinds, message, well_formed

__all__ = ["BENCH"]

WAIT, INPUT, PROCESSING, OUTPUT = range(4)


def stimulus(random, config):
    """Send messages of every kind, with gaps; follow the controller's states, which stay in OUTPUT for a while.

    The link is cut at any moment of a message: the word that stands for the rest is taken at once, and mostly is what
    it is in a message handling unit.
    """
    state = ended = discard = 0
    source = Source(random, config)
    taken = word = last = error = 0
    drawing = moods(
        random,
        60,
        gap=(0.0, 0.3),
        malformed=(0.0, 0.5, 0.9),
        idle=(0.1, 1.0),
        rst=(0.0, 0.0, 0.02),
        cut=(0.0, 0.05, 0.2),
    )
    for mood in drawing:
        if not source.words:
            some = (*kinds(config), "noise") if chance(random, mood["malformed"]) else well_formed(config)
            source.send(message(random, config, random.choice(some), 0).words)
        offered, word, last, error = source.next(taken, mood["gap"], 0.3)
        taken = int(offered and not ended)
        cut = chance(random, mood["cut"]) and state != WAIT
        if cut and not ended:
            taken = 1
            if chance(random, 0.7):
                word, last, error = 0, 1, 1
                source.cut()
            else:
                word, last = random.getrandbits(config.width), chance(random, 0.5)
        field, high = word & config.nodes - 1, word >> config.dim
        outputs = yield {
            "rst": (rst := chance(random, mood["rst"])),
            "state": state,
            "discard": discard,
            "taken": taken,
            "cut": int(cut),
            "word": word,
            "last": last,
            "error": error,
            "field": field,
            "high": int(high > 0),
            "zero": int(field == 0),
            "multicast": int(1 <= field <= config.max_dest),
            "listed": int(config.max_dest < field <= config.max_list),
            "broadcast": int(field == config.broadcast_k),
            "too_long": int(config.max_list < field < config.broadcast_k),
        }
        if rst:
            state = ended = discard = taken = 0
            source = Source(random, config)
        elif state == OUTPUT and ended and chance(random, mood["idle"]):
            state = ended = discard = 0
        elif taken and state in (WAIT, INPUT):
            if outputs["bad"]:
                state, ended, discard = OUTPUT, last, 1
            elif outputs["header_end"]:
                state, ended, discard = random.choice((PROCESSING, OUTPUT)), last, outputs["truncated"]
            else:
                state = INPUT
        else:
            ended |= taken & last
            discard |= taken & outputs["truncated"]
            state = OUTPUT if state == PROCESSING and chance(random, 0.3) else state


def watch(inputs, outputs, twin):
    """Name every reason to refuse a message, and the ends that header and payload can have."""
    if inputs["rst"] and inputs["state"] != WAIT:
        yield "reset"
    if not inputs["taken"]:
        return
    if outputs["bad"]:
        yield f"bad, {Reason(outputs['reason']).name}"
    if outputs["truncated"]:
        yield "truncated with the header" if outputs["header_end"] else f"truncated, {Reason(outputs['reason']).name}"
    if outputs["header_end"]:
        yield "header end"
        if inputs["last"]:
            yield "no payload, error" if inputs["error"] else "no payload"
    if inputs["discard"]:
        yield "cut while swallowing" if inputs["cut"] else "swallowed"
    if inputs["cut"] and inputs["state"] == INPUT and inputs["high"]:
        yield "cut wins over stray bits"
    if inputs["cut"] and inputs["state"] in (PROCESSING, OUTPUT) and not inputs["discard"]:
        yield "cut in the last word" if inputs["last"] and inputs["word"] else "cut in the payload"
    if outputs["check"]:
        yield "destination of a list" if outputs["push"] else "destination"
    if outputs["push"] and outputs["push_last"] and inputs["state"] in (PROCESSING, OUTPUT):
        yield "last word, error" if outputs["push_error"] else "last word"
    if inputs["state"] == PROCESSING:
        yield "payload while deciding"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["reset", "header end", "no payload", "no payload, error", "swallowed", "destination"]
    happen += ["bad, K_ZERO", "bad, HEADER_SHORT", "bad, INPUT_CUT", "cut while swallowing"]
    if config.max_list < config.broadcast_k - 1:
        happen.append("bad, LIST_TOO_LONG")
    if config.width > config.dim:
        happen += ["bad, ADDRESS_BITS", "cut wins over stray bits"]
    if config.carries_lists:
        happen.append("destination of a list")
    if config.max_data:
        happen += ["last word", "last word, error", "payload while deciding", "cut in the last word"]
        happen += ["truncated, DATA_TOO_LONG", "truncated, INPUT_CUT"]
    else:
        happen.append("truncated with the header")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.input_module:InputModule",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
