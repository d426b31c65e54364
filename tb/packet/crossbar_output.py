"""Testbench of a crossbar output: many requesters, one link or the local port."""

from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.requester import Requester

__all__ = ["BENCH"]


def stimulus(random, config, count=4, local=False):
    """Let ``count`` requesters compete; the receiver opens, stalls, refuses, and the link is cut at any time.

    Requesters withdraw, pause, end packets early, and some moods are wrong about ``closing``.
    """
    drawing = moods(
        random,
        60,
        load=(0.01, 0.1, 0.8),
        withdraw=(0.0, 0.0, 0.1),
        gap=(0.0, 0.3),
        eager=(0.0, 0.5, 1.0),
        lie=(0.0, 0.0, 0.2),
        open=(0.05, 0.5, 1.0),
        ready=(0.2, 1.0, 1.0),
        refuse=(0.0,) if local else (0.0, 0.1),
        cut=(0.0,) if local else (0.0, 0.0, 0.02, 0.1),
        repair=(0.1, 0.5),
        report=(0.02, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    while True:
        requesters = [Requester(random, config, 1, repeats=True) for _ in range(count)]
        rst = cut = 0
        while not rst:
            mood = next(drawing)
            ready = chance(random, mood["ready"])
            cut = not chance(random, mood["repair"]) if cut else chance(random, mood["cut"])
            refused = any(requester.refusable for requester in requesters) and chance(random, mood["refuse"])
            if refused and chance(random, 0.8):
                ready = 0
            rst = chance(random, mood["reset"])
            change = {"open": chance(random, mood["open"]), "o__ready": ready, "rst": rst, "cut": int(cut)}
            change |= {"refused": int(refused), "report__ready": chance(random, mood["report"])}
            packed = dict.fromkeys(("request", "accept", "closing"), 0)
            for k, requester in enumerate(requesters):
                values = requester.next(mood, ready and not refused)
                for name in packed:
                    packed[name] |= values.pop(name) << k
                change |= {name.replace("flit", f"i__{k}"): value for name, value in values.items()}
            outputs = yield change | packed
            for k, requester in enumerate(requesters):
                sent_back = outputs["refused_to"] >> k & 1
                requester.saw(outputs["grant"] >> k & 1, outputs[f"i__{k}__ready"], sent_back)


def watch(inputs, outputs, twin):
    """Name what the arbiter and the packets go through."""
    request, accept, grant = inputs["request"], inputs["accept"], outputs["grant"]
    taken = [k for k in range(8) if outputs.get(f"i__{k}__ready")]
    before = recall(twin, (grant, accept, taken, outputs["o__valid"])) or (0, 0, [], 0)
    if inputs["rst"]:
        if taken or grant:
            yield "reset"
        return
    if request & request - 1:
        yield "contention"
    if grant:
        yield "accepted" if grant & accept else "grant waits"
        if not grant & (request | accept):
            yield "withdrawn"
        if grant & accept and not before[0]:
            yield "accepted in the first cycle"
    elif accept:
        yield "accept without grant"
    if outputs["waited"]:
        yield "waited"
    if outputs["o__valid"]:
        yield "word moves" if inputs["o__ready"] else "stall"
        if outputs["o__head"] and before[3] and before[2]:
            yield "a head after a last word"
        if outputs["o__bad"]:
            yield "bad passed on"
    for k in taken:
        if not outputs["o__valid"]:
            yield "bad swallowed" if inputs[f"i__{k}__bad"] and not inputs["cut"] else "dropped"
    if outputs["refused_to"]:
        yield "refused"
    if inputs["refused"] and not outputs["refused_to"]:
        yield "refused too late"
    if outputs["packet_out"]:
        yield "packet"
        if grant:
            yield "granted to the next before the end"
    if outputs["report__valid"]:
        yield PacketReason(outputs["report__reason"]).name
        if any(inputs.get(f"i__{k}__valid") and inputs[f"i__{k}__head"] for k in range(8)):
            yield "a head while a report waits"


def events(config, extra, options):
    """Return what can happen with so many requesters, on a link or locally."""
    happen = ["accepted", "grant waits", "withdrawn", "accepted in the first cycle", "accept without grant", "reset"]
    happen += ["word moves", "stall", "packet", "granted to the next before the end", "a head after a last word"]
    if extra["count"] > 1:
        happen += ["contention", "waited"]
    if extra.get("local"):
        return (*happen, "bad passed on")
    happen += ["bad swallowed", "dropped", "refused", "refused too late", "UNDELIVERABLE", "PACKET_CUT"]
    return (*happen, "a head while a report waits")


BENCH = Bench(
    unit="packet.crossbar_output:CrossbarOutput",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"count": 4},
)
