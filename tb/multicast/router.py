"""Testbench of the router: every link, the processor and the control port at once."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Drain, Link, Source, kinds, message, well_formed

__all__ = ["BENCH"]

WORD = ("valid", "data", "last", "error")
FAULT, CUT = 0, 4
INPUT = 1


class Neighbour:
    """The far end of one link: sends, receives, and takes the link down.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : Config
        Parameters of the router.
    place : int
        Dimension of the link.
    """

    def __init__(self, random, config, place):
        self.random, self.config, self.place = random, config, place
        self.link, self.drain = Link(random, config), Drain(random, config.lanes)
        self.down = self.cut = 0

    def next(self, outputs, mood):
        """Return the router's inputs of the next cycle; ``outputs`` are those of the last one, if any."""
        random, name, came, ready = self.random, f"link_in__{self.place}", (0, 0, 0), 0
        if outputs:
            came = [outputs[f"link_out__{self.place}__{field}"] for field in ("valid", "last", "lane")]
            ready = outputs[f"{name}__ready"]
            self.cut = self.down | outputs.get(f"link_out__{self.place}__down", 0)
        offer = self.link.next(ready, mood["gap"], mood["start"])
        inputs = {f"{name}__{field}": value for field, value in zip((*WORD, "lane"), offer, strict=True)}
        readies = self.drain.next(*came, mood["again"])
        if self.cut and mood["hostile"]:
            self.link.lane = random.getrandbits(self.config.lane_bits)
            readies = random.getrandbits(self.config.lanes)
        elif self.cut:
            self.link.cut()
            self.drain.cut()
            inputs[f"{name}__valid"] = readies = 0
        inputs[f"link_out__{self.place}__ready"] = readies
        if self.config.fault_tolerant:
            self.down = chance(random, 1.0 - mood["repair"] if self.down else mood["cut"])
            inputs[f"{name}__down"] = self.down
        return inputs


def stimulus(random, config):
    """Send messages of every kind into every link and from the processor; neighbours and processor stall.

    Both ends of every link take it down and up again, for a cycle or for long, several links in one cycle. Some moods
    the far ends go on as if a cut link were whole. Now and then all is let go, and every lane has to become ready.
    """
    n, dimensions = config.dim, range(config.dim)
    every = (*kinds(config), "noise")
    drawing = moods(
        random,
        80,
        gap=(0.0, 0.3),
        start=(0.0, 0.5, 0.95),
        again=(0.02, 0.3, 1.0),
        ready=(0.1, 0.7, 1.0),
        malformed=(0.0, 0.2, 1.0),
        faults=(0.0, 0.01, 0.1),
        repair=(0.03, 0.3, 1.0),
        cut=(0.0, 0.01, 0.05),
        hostile=(0.0, 0.0, 1.0),
        reset=(0.0, 0.005, 0.02),
        drain=(0.0, 0.002),
    )
    while True:
        neighbours = [Neighbour(random, config, j) for j in dimensions]
        source, address, rst = Source(random, config), random.getrandbits(n), 0
        change, outputs, fault = {"rst": 0, "address": address}, {}, 0
        while not rst:
            mood = next(drawing)
            if outputs and chance(random, mood["drain"]):
                outputs = yield from _drain(config, neighbours, source, outputs)
                fault = 0
            for sender in (*(neighbour.link for neighbour in neighbours), source):
                if not sender.words:
                    kind = random.choice(every if chance(random, mood["malformed"]) else well_formed(config))
                    control = None if sender is source else sparse(random, n)
                    origin = address if sender is source else random.getrandbits(n)
                    sender.send(message(random, config, kind, origin, control=control).words)
            offer = source.next(outputs.get("inject__ready", 0), mood["gap"], mood["start"])
            change |= {f"inject__{name}": value for name, value in zip(WORD, offer, strict=True)}
            for neighbour in neighbours:
                change |= neighbour.next(outputs, mood)
            mark = chance(random, mood["repair"] if fault else mood["faults"])
            vector = random.choice((0, sparse(random, n), fault ^ 1 << random.randrange(n)))
            reports = Register.REPORTS + random.randrange(len(Reason))
            register = random.choice((1, 2, 3, CUT, reports, random.randrange(1, 128)))
            change["control__address"] = FAULT if mark else register
            change["control__write"] = int(mark or chance(random, 0.1))
            change["control__write_data"] = vector
            if mark:
                fault = vector
            change["eject__ready"] = chance(random, mood["ready"])
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            change = {}


def _drain(config, neighbours, source, outputs):
    """End every message, take every word, and see that all lanes become ready.

    The links are repaired here and cut for a cycle from the far end (without fault vector: their messages are sent to
    the end), the processor sends its message to the end.
    """
    live = int(config.fault_tolerant)
    change = {"control__write": 1, "control__address": FAULT, "control__write_data": 0, "eject__ready": 1}
    calm = {"gap": 0.0, "start": 0.0, "again": 1.0, "hostile": 0, "repair": 1.0, "cut": 0.0}
    for neighbour in neighbours:
        neighbour.down = 0
    for cycle in range(100 * (config.nodes + config.buffer_depth + config.max_list)):
        for neighbour in neighbours:
            change |= neighbour.next(outputs, {**calm, "cut": live if cycle == 2 else 0.0})
            if live:
                neighbour.link.cut()
                neighbour.link.words.clear()
        offer = source.next(outputs["inject__ready"])
        change |= {f"inject__{name}": value for name, value in zip(WORD, offer, strict=True)}
        outputs = yield change
        change = {"control__write": 0}
        full = all(outputs[f"link_in__{neighbour.place}__ready"] == (1 << config.lanes) - 1 for neighbour in neighbours)
        sent = not source.words and not any(neighbour.link.words for neighbour in neighbours)
        if cycle > 5 and full and sent and not outputs["eject__valid"]:
            return outputs
    raise AssertionError("the lanes do not become ready, though every word is taken")


def watch(inputs, outputs, twin):
    """Name how many ports are busy, what stalls, what is reported, and what cuts meet."""
    config = twin.config
    sending = [j for j in range(config.dim) if outputs[f"link_out__{j}__valid"]]
    if len(sending) == config.dim and outputs["eject__valid"]:
        yield "every port sends"
    if outputs["eject__valid"]:
        yield "local delivery" if inputs["eject__ready"] else "the processor stalls"
    if inputs["inject__valid"] and not outputs["inject__ready"]:
        yield "injection waits"
    if any(outputs[f"link_out__{j}__lane"] for j in sending):
        yield "upper lane"
    if any(outputs[f"link_out__{j}__last"] and outputs[f"link_out__{j}__error"] for j in sending):
        yield "poisoned copy"
    if outputs["report__valid"]:
        yield Reason(outputs["report__reason"]).name
        yield "report of the injection" if outputs["report__port"] == config.dim else "report of a channel"
    yield from _reports(outputs, twin)
    if outputs["multiple_faults"]:
        yield "multiple faults"
    if outputs["control__read_data"] >> 31:
        yield "log entry read"
    if inputs["rst"] and sending:
        yield "reset"
    yield from _cuts(inputs, outputs, twin)
    reason = inputs["control__address"] - Register.REPORTS
    if 0 <= reason < len(Reason) and twin.control.read_data:
        yield f"count of {Reason(reason).name} read"


def _reports(outputs, twin):
    """Name how reports follow one another, and what waits for them; ``twin`` has taken the edge."""
    waiting = [unit for unit, queue in enumerate(twin.queues) if not queue.calm]
    if outputs["report__valid"] and waiting:
        yield "reports in two cycles"
    if len(waiting) > 1:
        yield "reports of several units"
    for unit in waiting:
        if not twin.queues[unit].room:
            yield "two reports of a unit"
            if twin.mhus[unit].item.valid:
                yield "a third report waits"
        if twin.mhus[unit].controller.state == INPUT:
            yield "report of a message that is over"


def _cuts(inputs, outputs, twin):
    """Name what a cut of a link meets."""
    dimensions = range(twin.config.dim)
    down = [outputs.get(f"link_out__{j}__down", 0) for j in dimensions]
    far = [inputs.get(f"link_in__{j}__down", 0) for j in dimensions]
    lanes = twin.config.lanes
    busy = [any(not mhu.free for mhu in twin.mhus[j * lanes : (j + 1) * lanes]) for j in dimensions]
    cut, working, going = recall(twin, None) or ([0] * len(down), busy, [0] * len(down))
    for j in dimensions:
        if outputs[f"link_out__{j}__valid"]:
            going[j] = not outputs[f"link_out__{j}__last"]
        if not cut[j] and not outputs[f"link_in__{j}__ready"]:
            yield "all lanes of a channel busy"
    following = [own | other for own, other in zip(down, far, strict=True)]
    if any(own and other for own, other in zip(down, far, strict=True)):
        yield "down on both sides"
    if sum(cut) > 1:
        yield "several links cut"
    for j in (j for j in dimensions if cut[j]):
        if going[j]:
            yield "cut while a message goes out"
            going[j] = 0
        if working[j]:
            yield "cut while a lane is busy"
        if not following[j]:
            yield "last cycle of a cut"
        if inputs[f"link_in__{j}__valid"]:
            yield "the far end of a cut link sends"
    if not inputs["rst"]:
        recall(twin, (following, busy, going))


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["every port sends", "local delivery", "the processor stalls", "injection waits"]
    happen += ["all lanes of a channel busy", "poisoned copy", "report of the injection", "report of a channel"]
    happen += ["reset", "reports in two cycles", "reports of several units"]
    happen += ["log entry read"] * bool(config.log_depth)
    # With one lane and no faults a message has one report at most, which hardly ever waits until the next one begins.
    if config.lanes > 1 or config.fault_tolerant:
        happen += ["report of a message that is over", "two reports of a unit", "a third report waits"]
    # Not asked of the contract, which says for which of them there are counters.
    reasons = [kind.upper() for kind in kinds(config) if kind.upper() in Reason.__members__]
    if config.lanes > 1:
        happen.append("upper lane")
        reasons.append("NO_LANE")
    if config.fault_tolerant:
        # Without payload a copy is over with its header.
        reasons += ["UNDELIVERABLE", *["COPY_CUT"] * bool(config.max_data), "INPUT_CUT"]
        happen += ["multiple faults", "down on both sides", "several links cut", "cut while a message goes out"]
        happen += ["cut while a lane is busy", "last cycle of a cut", "the far end of a cut link sends"]
    return (*happen, *reasons, *(f"count of {name} read" for name in reasons if config.counters))


BENCH = Bench(
    unit="multicast.router:Router",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
