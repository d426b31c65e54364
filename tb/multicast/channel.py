"""Testbench of the channel: one link's receiving side, a message handling unit per lane."""

from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.policy import policy_of
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Link, kinds, message, well_formed

__all__ = ["BENCH"]

RECOVERY = 8
"""Last cycles of an outage, in which links are repaired, and no copy is taken yet."""

WORD = ("link__valid", "link__data", "link__last", "link__error", "link__lane")


def stimulus(random, config):
    """Send messages of every kind down the link, as its lanes are ready; the ports stall, links are cut and repaired.

    Some moods the far end does not keep to the contract of a link: it sends on while the link is cut, and what is left
    of the message after the repair, in any lane. Now and then all is let go, and every lane has to become ready. Where
    units share a multicaster, no message can go on for a while now and then, and then all can at the same time.
    """
    n, live = config.dim, config.fault_tolerant
    outs = [f"o__{lane}__{port}__ready" for lane in range(config.lanes) for port in range(config.ports)]
    readies = [*outs, *(f"report__{lane}__ready" for lane in range(config.lanes))]
    drawing = moods(
        random,
        80,
        gap=(0.0, 0.3),
        start=(0.0, 0.0, 0.3),
        ready=(0.05, 0.6, 1.0),
        malformed=(0.0, 0.3),
        faults=(0.0, 0.02, 0.1) if live else (0.0,),
        repair=(0.03, 0.3, 1.0),
        cut=(0.0, 0.02, 0.1) if live else (0.0,),
        hostile=(0.0, 1.0),
        reset=(0.0, 0.0, 0.01),
        drain=(0.0, 0.005),
        **({"outage": (0.0, 0.02)} if config.shares_multicaster and live else {}),
    )
    every = (*kinds(config), "noise")
    while True:
        link, rst, outputs = Link(random, config), 0, {"link__ready": 0}
        change = {"rst": 0, "address": random.getrandbits(n)}
        change |= {strap.name: chance(random, 0.5) for strap in config.policy_facts.channel}
        own, fault, cut, outage = random.randrange(n), 0, 0, 0
        while not rst:
            mood = next(drawing)
            if chance(random, mood["drain"]):
                outputs = yield from _drain(config, link, readies, outputs, int(live))
                cut = 0
            if not link.words:
                kind = random.choice(every if chance(random, mood["malformed"]) else well_formed(config))
                if outage:
                    kind = "multicast" if config.max_dest > 1 else "unicast"
                control = sparse(random, n)
                link.send(message(random, config, kind, random.getrandbits(n), control=control).words)
            fault &= ~sum(chance(random, mood["repair"]) << port for port in range(n))
            if chance(random, mood["faults"]):
                fault |= random.choice((1 << random.randrange(n), sparse(random, n)))
            cut = chance(random, 1.0 - mood["repair"] if cut else mood["cut"])
            if "outage" in mood:
                outage = outage - 1 if outage else chance(random, mood["outage"]) * random.randrange(2 * RECOVERY, 50)
            if outage:
                fault, cut = _cut_off(random, config, outage), 0
            if not mood["hostile"]:
                fault = fault & ~(1 << own) | cut << own
            offer = link.next(outputs["link__ready"], mood["gap"], mood["start"])
            change |= dict(zip(WORD, offer, strict=True))
            if cut and mood["hostile"]:
                link.lane = random.getrandbits(config.lane_bits)
            elif cut:
                link.cut()
                change["link__valid"] = 0
            change |= {name: chance(random, mood["ready"]) for name in readies}
            if outage:
                change |= dict.fromkeys(readies, 0) | dict.fromkeys(outs, int(outage > RECOVERY))
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change | {"fault": fault, "cut": cut}
            change = {}


def _cut_off(random, config, outage):
    """Return which links are cut when an outage has so many cycles to go: all, or one now and then while it ends.

    Rows that come back from the copy for a single one wait for other copies of their unit.
    """
    if outage > RECOVERY:
        return (1 << config.dim) - 1
    return chance(random, 0.3) << random.randrange(config.dim)


def _drain(config, link, readies, outputs, cut):
    """End the message under way, by a cut if so, take every copy and report, and see that all lanes become ready."""
    change = dict.fromkeys(readies, 1) | {"cut": cut}
    if cut:
        link.cut()
        link.words.clear()
    for _ in range(40 * (config.nodes + config.buffer_depth + config.max_list)):
        outputs = yield change | dict(zip(WORD, link.next(outputs["link__ready"]), strict=True))
        if outputs["link__ready"] == (1 << config.lanes) - 1 and not link.words and not change.get("cut"):
            return outputs
        change = {"cut": 0}
    raise AssertionError("the lanes do not become ready, though every word and every report is taken")


def watch(inputs, outputs, twin):
    """Name how many lanes work at a time, how they report, and what a cut meets."""
    config = twin.config
    now = [(mhu.controller.state, mhu.controller.ended) for mhu in twin.mhus]
    units = [_open(mhu) for mhu in twin.mhus] if config.shares_multicaster else None
    before, cut, units_before = recall(twin, (now, inputs["cut"], units)) or (None, 0, None)
    if units_before and not inputs["rst"]:
        yield from _waiting(inputs, twin, units_before, units)
    ready = outputs["link__ready"]
    busy = config.lanes - ready.bit_count()
    if busy and not inputs["cut"]:
        yield "all lanes busy" if not ready else "some lanes busy"
        if inputs["rst"]:
            yield "reset"
    if outputs["start"]:
        yield "start in the highest lane" if inputs["link__lane"] == config.lanes - 1 else "start"
        if cut:
            yield "start after a repair"
    sending = [
        lane
        for lane in range(config.lanes)
        if any(outputs[f"o__{lane}__{port}__valid"] for port in range(config.ports))
    ]
    if len(sending) > 1:
        yield "several lanes send"
    for lane in range(config.lanes):
        if outputs[f"report__{lane}__valid"]:
            yield Reason(outputs[f"report__{lane}__reason"]).name
    if inputs["cut"] and before:
        open_lanes = sum(1 for state, ended in before if state and not ended)
        if open_lanes:
            yield "cut in a message"
            if inputs["link__valid"]:
                yield "cut in a message, the far end sends on"
        elif inputs["link__valid"]:
            yield "cut before a message, the far end sends"
        if any(ended for _, ended in before):
            yield "cut while a message leaves"
        if cut:
            yield "still cut"


def _open(mhu):
    """Return the state of a unit, the rows that are not decided, whether they came back, copies, and cut links."""
    rows = mhu.store.array() if mhu.input_module.is_multicast else []
    return mhu.controller.state, rows, mhu.controller.again, mhu.copies, mhu.fault_before


def _waiting(inputs, twin, before, after):
    """Name how units wait for each other's decisions, and which do not."""
    asking, held, decided = set(), set(), set()
    revotes = policy_of(twin.config).revotes
    for lane, mhu in enumerate(twin.mhus):
        (state, rows, again, copies, fault), (state_after, rows_after, *_) = before[lane], after[lane]
        blocked = inputs["fault"] | mhu.no_lane
        if state >= State.PROCESSING and any(row & ~blocked for row in rows):
            waits = copies and (again or (revotes and fault != inputs["fault"]))
            (held if waits else asking).add(lane)
        # A header that is complete and good leads to PROCESSING, any other end of it leaves no rows.
        deciding = lane in asking or (state == State.INPUT and state_after == State.PROCESSING)
        if deciding and any(row and not row_after for row, row_after in zip(rows, rows_after, strict=True)):
            decided.add(lane)
    if len(asking) > 1:
        yield "several units ask"
    if decided and asking - decided:
        yield "a unit waits for another one's decision"
    if decided and held:
        yield "a unit waits for its copies, another one decides"


def events(config, extra, options):
    """Return what can happen with so many lanes."""
    happen = ["all lanes busy", "reset", "start in the highest lane"]
    if config.fault_tolerant:
        happen += ["UNDELIVERABLE", "INPUT_CUT", "cut in a message", "cut while a message leaves"]
        happen += ["COPY_CUT"] if Reason.COPY_CUT in config.reasons else []
        happen += ["cut in a message, the far end sends on", "cut before a message, the far end sends", "still cut"]
        happen.append("start after a repair")
    if config.lanes > 1:
        happen += ["some lanes busy", "start", "several lanes send", "NO_LANE"]
    if config.shares_multicaster:
        happen += ["several units ask", "a unit waits for another one's decision"]
        if config.fault_tolerant:
            happen.append("a unit waits for its copies, another one decides")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.channel:Channel",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
