"""Testbench of the message handling unit: whole messages of every kind, well-formed or not, and links that are cut."""

from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source, kinds, message, well_formed

__all__ = ["BENCH"]

WAIT, INPUT, PROCESSING, OUTPUT = range(4)
PHASES = ("K", "LIST", "CONTROL", "BODY")
WORD = ("i__valid", "i__data", "i__last", "i__error")


def stimulus(random, config):
    """Send messages of every kind with gaps; the ports stall, links are cut and repaired, the reset comes in between.

    Links are cut for a cycle or for long, several at once, and by preference where a copy is leaving. When the link
    that the messages come from is cut (by preference as the first copies leave), the rest of the message is not sent;
    some moods it is sent after the repair.
    Now and then everything is let go, and the unit has to become free.
    """
    n, live = config.dim, config.fault_tolerant
    good, every = well_formed(config), (*kinds(config), "noise")
    good += ("multicast",) * 2 * ("multicast" in good)
    drawing = moods(
        random,
        60,
        gap=(0.0, 0.0, 0.3, 0.8),
        start=(0.0, 0.2),
        ready=(0.1, 0.6, 1.0),
        report=(0.2, 1.0, 1.0),
        malformed=(0.0, 0.0, 0.2, 0.9),
        faults=(0.0, 0.1, 0.5) if live else (0.0,),
        repair=(0.05, 0.5, 1.0),
        cut=(0.0, 0.02, 0.15) if live else (0.0,),
        early=(0.0, 0.3) if live else (0.0,),
        hostile=(0.0, 0.0, 1.0),
        reset=(0.0, 0.0, 0.02),
        drain=(0.0, 0.005),
    )
    while True:
        source, address, inject = Source(random, config), random.getrandbits(n), chance(random, 0.3)
        no_lane = sparse(random, n) if chance(random, 0.2) else 0
        change = {"rst": 0, "address": address, "inject": inject, "no_lane": no_lane}
        outputs, rst = {"i__ready": 0}, 0
        fault = cut = leaving = first = 0
        while not rst:
            mood = next(drawing)
            if chance(random, mood["drain"]):
                outputs = yield from _drain(config, source, outputs, int(live and not inject))
                cut = 0
            if not source.words:
                kind = random.choice(every if chance(random, mood["malformed"]) else good)
                control = random.choice((sparse(random, n), config.nodes - 1))
                source.send(message(random, config, kind, random.getrandbits(n), control=control).words)
            fault &= ~sum(chance(random, mood["repair"]) << port for port in range(n))
            if chance(random, mood["faults"]):
                few = 1 << random.randrange(n)
                fault |= random.choice((leaving & sparse(random, n), leaving & few, few, few))
            elif chance(random, 0.3 * mood["faults"]):
                fault |= random.choice((leaving, sparse(random, n)))
            rate = 1.0 - mood["repair"] if cut else mood["early"] if first else mood["cut"]
            cut = int(not inject and chance(random, rate))
            offer = source.next(outputs["i__ready"], mood["gap"], mood["start"])
            change |= dict(zip(WORD, offer, strict=True))
            if cut and not mood["hostile"]:
                source.cut()
                change["i__valid"] = 0
            change |= {f"o__{port}__ready": chance(random, mood["ready"]) for port in range(config.ports)}
            rst = chance(random, 0.1 if fault & leaving else mood["reset"])
            change |= {"report__ready": chance(random, mood["report"]), "rst": rst}
            outputs = yield change | {"fault": fault, "cut": cut}
            before, leaving = leaving, sum(outputs[f"o__{port}__valid"] << port for port in range(n))
            first = leaving and not before
            change = {}


def _drain(config, source, outputs, cut):
    """End the message under way, by a cut if so, take every copy and report, and see that the unit becomes free."""
    change = {f"o__{port}__ready": 1 for port in range(config.ports)} | {"report__ready": 1, "cut": cut}
    if cut:
        source.next(outputs["i__ready"])
        source.cut()
        source.words.clear()
    for _ in range(40 * (config.nodes + config.buffer_depth + config.max_list)):
        outputs = yield change | dict(zip(WORD, source.next(outputs["i__ready"]), strict=True))
        if outputs["free"] and not source.words:
            return outputs
        change = {"cut": 0}
    raise AssertionError("the unit does not become free, though every word and every report is taken")


def watch(inputs, outputs, twin):
    """Name what leaves, how it stalls, what is reported, and where messages and copies are cut off."""
    config = twin.config
    noted = recall(twin, (_state(twin), inputs["fault"], outputs["i__ready"]))
    valid = [port for port in range(config.ports) if outputs[f"o__{port}__valid"]]
    if len(valid) > 1:
        yield "several copies"
    for port in valid:
        moved = inputs[f"o__{port}__ready"] and not inputs["fault"] >> port & 1
        if not moved:
            yield "stall"
        elif outputs[f"o__{port}__last"]:
            yield "poisoned copy" if outputs[f"o__{port}__error"] else "copy"
            yield "local copy" if port == config.local else "forwarded copy"
    if outputs["start"]:
        yield "start"
    if inputs["i__valid"] and not outputs["i__ready"]:
        yield "next message waits"
    if not outputs["free"] and not valid:
        yield "nothing to send yet"
    if outputs["report__valid"]:
        yield Reason(outputs["report__reason"]).name if inputs["report__ready"] else "report waits"
    if inputs["rst"] and valid:
        yield "reset"
    if noted:
        yield from _cuts(inputs, outputs, twin, *noted)


def _state(twin):
    """Return what the next cycle begins with."""
    controller, output = twin.controller, twin.output_module
    phases = tuple(PHASES[output.phase[port]] if output.active >> port & 1 else "" for port in range(twin.config.dim))
    kind = "multicast" if twin.input_module.is_multicast else "other"
    registers = controller.state, controller.ended, controller.discard, controller.again
    rest = output.committed, kind, twin.touched, twin.store.live, output.active & ~output.offers, list(output.served)
    return *registers, phases, *rest


def _cuts(inputs, outputs, twin, noted, fault, accepted):
    """Name what the cuts of this cycle meet."""
    state, ended, discard, again, phases, committed, kind, touched, rows, waits, served = noted
    now, _, refused, _, after, *_, still_served = _state(twin)
    if waits:
        yield "a copy waits"
        if waits & inputs["fault"]:
            yield "a copy dropped while it waits"
        changes = zip(served, still_served, strict=True)
        if any(None not in change and change[0] != change[1] for change in changes):
            yield "the next copy at once"
    if inputs["cut"]:
        if inputs["i__valid"] and state == WAIT:
            yield "word refused"
        if not ended and state == INPUT:
            yield "cut in the header"
        if not ended and state in (PROCESSING, OUTPUT):
            yield "cut while swallowing" if discard else "cut in the payload"
            if state == PROCESSING:
                yield "cut while deciding"
        if ended:
            yield "cut after the message"
    dropped = [port for port, phase in enumerate(phases) if phase and inputs["fault"] >> port & 1]
    if len(dropped) > 1:
        yield "several copies dropped"
    for port in dropped:
        phase = phases[port]
        yield f"{kind} copy dropped in {phase}"
        if kind == "other" and phase != "BODY":
            yield "lost after a control vector" if committed else "lost before any control vector"
        if outputs[f"o__{port}__valid"] and outputs[f"o__{port}__last"]:
            yield "dropped in its last word"
    if dropped and inputs["rst"]:
        yield "dropped beside a reset"
    if inputs["rst"]:
        return
    if state == INPUT and now > INPUT and not refused and inputs["fault"] & ~fault:
        yield "dimension cut as the header ends"
    if state == PROCESSING and inputs["fault"] != fault and any(phases):
        yield "faults change between two decisions"
    if again and any(phases):
        yield "rows wait for the copies"
        if kind == "multicast" and any(phases[port] != "BODY" for port in dropped):
            yield "another copy dropped while rows wait"
    launched = [port for port, phase in enumerate(after) if phase and not phases[port]]
    if twin.config.decision_latency > 1 and kind == "multicast":
        ends, still = state == INPUT and now == PROCESSING, rows and not launched
        if ends:
            yield "choice made after the header" if not launched else "choice made before the end of the header"
        relinked = inputs["fault"] != fault
        waiting = still and not (again and any(phases)) and rows & twin.store.live
        if state in (PROCESSING, OUTPUT) and waiting and relinked and not touched:
            yield "choice discarded, faults changed"
        if state == OUTPUT and waiting and touched:
            yield "choice discarded, rows came back"
        if ends and not launched and relinked:
            yield "faults change as the header ends, before the choice"
    if state == OUTPUT and launched:
        yield "rows decided again"
        if any(fault >> port & 1 for port in range(twin.config.dim)):
            yield "rows decided again beside a fault"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    reasons = [Reason[kind.upper()].name for kind in kinds(config) if kind.upper() in Reason.__members__]
    happen = ["several copies", "stall", "poisoned copy", "copy", "local copy", "forwarded copy", "start"]
    if config.streamers == 1:
        happen.remove("several copies")
    if config.shares_streamers:
        happen += ["a copy waits", "the next copy at once"]
        happen += ["a copy dropped while it waits"] * config.fault_tolerant
    happen += ["next message waits", "nothing to send yet", "report waits", "reset", "NO_LANE", *reasons]
    pipelined = config.decision_latency > 1
    if pipelined:
        happen += ["choice made after the header", "choice made before the end of the header"]
    if not config.fault_tolerant:
        return tuple(happen)
    if pipelined:
        happen += ["choice discarded, faults changed", "choice discarded, rows came back"]
        happen.append("faults change as the header ends, before the choice")
    happen += ["UNDELIVERABLE", "INPUT_CUT", "word refused", "cut in the header", "cut while swallowing"]
    happen += ["cut after the message", "several copies dropped", "dropped beside a reset"]
    happen += ["dimension cut as the header ends", "rows decided again", "rows decided again beside a fault"]
    happen += [f"{kind} copy dropped in {phase}" for kind in ("multicast", "other") for phase in ("K", "CONTROL")]
    happen += ["multicast copy dropped in LIST", "dropped in its last word"]
    happen += ["lost after a control vector", "lost before any control vector"]
    if config.carries_lists:
        happen.append("other copy dropped in LIST")
    if config.max_dest > 1:
        happen += ["rows wait for the copies", "another copy dropped while rows wait"]
        happen.append("faults change between two decisions")
        if config.max_data:
            happen.append("cut while deciding")
    if config.max_data:
        happen += ["cut in the payload", "COPY_CUT"]
    if config.max_data or config.source_field:
        happen += ["multicast copy dropped in BODY", "other copy dropped in BODY"]
    return tuple(happen)


BENCH = Bench(
    unit="multicast.mhu:Mhu",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
