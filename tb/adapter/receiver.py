"""Testbench of the receiver: packets for the node and for others, a node that stalls, a relay store without room."""

from cubecast.golden.adapter.twins.receiver import State
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import packet
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Show one packet after the other."""
    drawing = moods(
        random,
        100,
        load=(0.2, 1.0),
        elsewhere=(0.0, 0.5),
        room=(0.0, 0.05, 0.5, 1.0),
        receive=(0.1, 0.7, 1.0),
        report=(0.01, 1.0),
        reset=(0.0, 0.003),
    )
    while True:
        address = random.randrange(config.nodes)
        rst, words, valid = 0, [], 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            words = words or packet(random, config, address, mood["elsewhere"])
            valid = valid or chance(random, mood["load"])
            word = words[0]
            outputs = yield {
                "rst": rst,
                "eject__valid": valid,
                **{f"eject__{name}": value for name, value in word.items()},
                # It means something with the last word alone.
                "eject__error": word["error"] if word["last"] else random.getrandbits(1),
                "receive__ready": chance(random, mood["receive"]),
                "room": chance(random, mood["room"]),
                "address": address,
                "report__ready": chance(random, mood["report"]),
            }
            if valid and outputs["eject__ready"]:
                words.pop(0)
                valid = 0


def watch(inputs, outputs, twin):
    """Name what becomes of packets."""
    state, waited, behind = recall(twin, None) or ("HEAD", 0, False)
    # Whether the packet that was sent on last had waited for room.
    later = not inputs["rst"] and (bool(waited) if state == "HEAD" and outputs["push"] else behind)
    recall(twin, (twin.state.name, twin.waited, later))
    if inputs["rst"]:
        if state != "HEAD":
            yield "reset"
        return
    if not inputs["eject__valid"]:
        yield f"pause in {state}"
        return
    if state == "HEAD":
        yield f"kind {inputs['eject__kind']}" + " ends at once" * inputs["eject__last"]
        if outputs["push"]:
            yield "sent on after waiting" if waited else "sent on"
        if not outputs["eject__ready"]:
            yield "waits for the report" if waited == twin.config.relay_wait else "waits for room"
    if outputs["receive__valid"]:
        yield "path" if outputs["receive__path"] else "no path"
        if outputs["receive__ordinal"]:
            yield "numbered"
        if not inputs["receive__ready"]:
            yield "the node stalls"
        if inputs["eject__last"]:
            yield f"error {outputs['receive__error']}, last {outputs['receive__last']}"
    if state == "SKIP":
        yield "swallowed"
    if behind and state == "HEAD" and twin.state is State.SKIP:
        yield "swallowed behind one that waited"
    if outputs["report__valid"]:
        yield "RELAY_FULL"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    kinds = [Kind.UNICAST, *([Kind.SUBCUBE] * config.router.multicast), *([Kind.BITMAP] * config.bitmaps)]
    happen = ["reset", "no path", "the node stalls", "swallowed", "pause in DATA", "pause in HEAD"]
    happen += ["error 0, last 0", "error 0, last 1", "error 1, last 1"]
    happen += [f"kind {int(kind)}{end}" for kind in kinds for end in ("", " ends at once")]
    happen += ["path"] * (config.router.runs == 2) + ["numbered"] * bool(config.ordinal_bits)
    if config.knows_faults:
        happen += ["sent on", "sent on after waiting", "waits for the report", "waits for room", "RELAY_FULL"]
        happen += ["pause in RELAY", "swallowed behind one that waited"]
    return (*happen, *(["pause in TAG"] * config.bitmaps))


BENCH = Bench(
    unit="adapter.receiver:Receiver",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
