"""Testbench of the network of crosspoint nodes: messages of every kind, known faults, faults that come and go."""

from collections import Counter
from functools import partial

from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.contract.word import AdapterReason, Policy, header_places
from cubecast.golden.common.contract.units import DATA_BITS, REASON_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import message
from cubecast.tb.common.patterns import chance, item, moods, pack, recall
from cubecast.tb.crosspoint.rounds import Faults, until_rest
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

ROUNDS = ("whole", "policies", "known", "hostile", "live")
"""What a run does: legal messages alone; the same under policies that draw, and with faults that all nodes know; then
illegal ones too; then links that fail and come back without a word."""

LOST = (AdapterReason.NO_ROUTE, AdapterReason.RELAY_FULL)
"""Reasons for which a legal message does not come, in a network without other faults than those that are known."""


class Nodes:
    """What all nodes of a network send and take.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the network.
    whole : bool
        Every message is legal, and must come.
    """

    def __init__(self, random, config, whole):
        self.random, self.config, self.whole = random, config, whole
        self.words = [[] for _ in range(config.nodes)]
        self.valid = self.number = 0
        # Messages that are coming, by node, source and path; and whole ones, by source and node.
        self.open, self.sent, self.came = {}, Counter(), Counter()
        # With reassembly: whose words are leaving, by node.
        self.frames = {}
        # Destinations that a report of LOST names.
        self.lost = set()

    def offer(self, mood, more):
        """Return what the nodes drive; ``more``: new messages may begin."""
        random, config = self.random, self.config
        for node, words in enumerate(self.words):
            if not words and more and chance(random, mood["load"]):
                self.words[node] = self._message(node, mood["illegal"])
            if self.words[node] and not chance(random, mood["gap"]):
                self.valid |= 1 << node
        change = {"send_valid": self.valid}
        for name, width in (("data", config.width), ("last", 1), ("error", 1)):
            change[f"send_{name}"] = pack((words[0][name] if words else 0 for words in self.words), width)
        change["receive_ready"] = sum(chance(random, mood["receive"]) << node for node in range(config.nodes))
        return change

    def _message(self, node, illegal):
        """Return the words of a message whose data tell it from others, and take note of those whom it is for."""
        random, config = self.random, self.config
        self.number += 1
        count = random.choice((1, 2, config.router.packet_limit, random.randint(1, 4 * config.router.packet_limit)))
        first = self.number % (1 << config.width)
        data = [first, *(random.getrandbits(config.width) for _ in range(count - 1))]
        words = message(random, config, node, illegal, data)
        if self.whole:
            words[-1]["error"] = 0
            self.sent.update((node, there, tuple(data)) for there in named(config, node, words))
        return words

    def see(self, change, outputs):
        """Take note of what has moved; return the mask of the nodes to which a word has come."""
        config = self.config
        for node in bits(self.valid & outputs["send_ready"]):
            self.words[node].pop(0)
            self.valid ^= 1 << node
        for node in bits(outputs["receive_valid"] & change["receive_ready"]):
            source = item(outputs["receive_source"], node, config.dim)
            place = node, source, item(outputs["receive_path"], node, config.dim)
            ends = outputs["receive_last"] >> node & 1
            if config.reassemble:
                assert self.frames.pop(node, place) == place, f"{place} interrupts a frame"
                if not ends:
                    self.frames[node] = place
                ends &= ~(outputs["receive_more"] >> node)
            first = outputs["receive_first"] >> node & 1
            if self.whole and node not in self.lost:
                assert first == (place not in self.open), f"first is {first} at {place}"
            if first:
                self.open[place] = []
            self.open.setdefault(place, []).append(item(outputs["receive_data"], node, config.width))
            if ends:
                self.came[source, node, tuple(self.open.pop(place))] += 1
        for node in bits(outputs["report_valid"]):
            if item(outputs["report_reason"], node, REASON_BITS) in LOST:
                self.lost.add(item(outputs["report_destination"], node, config.dim))
        return outputs["receive_valid"]

    def check(self):
        """Compare what has come with what was sent; what is for a destination with a report may be missing."""
        missing, extra = (
            {key: count for key, count in counts.items() if key[1] not in self.lost}
            for counts in (self.sent - self.came, self.came - self.sent)
        )
        assert not missing and not extra, f"{extra} too many, {missing} missing"
        left = [place for place in self.open if place[0] not in self.lost]
        assert not left, f"{left} not ended"


def named(config, node, words):
    """Return whom a legal message is for."""
    head = words[0]["data"]
    base, mask, kind = (head >> place.low & (1 << place.width) - 1 for place in header_places(config).values())
    if kind == Kind.UNICAST:
        return {base}
    if kind == Kind.SUBCUBE:
        return {v for v in range(config.nodes) if not (v ^ base) & ~mask} - {node}
    rows = pack((word["data"] for word in words[1 : 1 + config.rows]), config.router.bitmap_bits)
    return set(bits(rows)) - {node}


def stimulus(random, config, rounds=ROUNDS, cycles=600):
    """Run the rounds, each to its end: nothing is under way any more.

    Parameters
    ----------
    random : Random
        Draws everything.
    config : AdapterConfig
        Parameters of the network.
    rounds : sequence of str
        Of :data:`ROUNDS`.
    cycles : int
        For how long a round begins messages.
    """
    for kind in rounds:
        if (kind == "policies" and not config.draws) or (kind == "known" and not config.fault_entries):
            continue
        if kind == "live" and not config.router.fault_tolerant:
            continue
        yield from _round(random, config, kind, cycles)
        if kind == "hostile":
            # In the middle of the traffic.
            yield from _round(random, config, kind, cycles // 4, drain=False)
            yield {"rst": 1, "send_valid": 0, "control_write": 0, "adapter_write": 0}
            yield {"rst": 0}


def _round(random, config, kind, cycles, drain=True):
    """Let the nodes send for so many cycles, then until nothing moves."""
    whole = kind not in ("hostile", "live")
    nodes, everyone = Nodes(random, config, whole), (1 << config.nodes) - 1
    drawing = moods(
        random,
        80,
        # A round that ends in the middle of the traffic has some there.
        load=(0.02, 0.3, 1.0) if drain else (1.0,),
        gap=(0.0, 0.0, 0.5, 0.95) if drain else (0.0,),
        illegal=(0.0, 0.3, 0.6) if not whole else (0.0,),
        receive=(0.0, 0.3, 1.0, 1.0),
        fault=(0.0, 0.02) if kind == "live" else (0.0,),
    )
    calm = dict.fromkeys(("gap", "illegal", "fault"), 0.0) | {"load": 1.0, "receive": 1.0}
    yield from _tell(random, config, kind)
    patience = 100 + config.router.pause_limit + config.relay_wait + (40 << config.dim)
    access = partial(_access, random, config, Faults(random, config.router))
    yield from until_rest(config, nodes, access, drawing, calm, cycles, patience, drain, most=400)
    yield {"send_valid": 0, "control_write": 0, "adapter_write": 0, "receive_ready": everyone}
    if drain and whole:
        assert kind == "known" or not nodes.lost, f"reports about {nodes.lost}"
        nodes.check()


def _tell(random, config, kind):
    """Write policies and the list of faults, the same in all nodes."""
    node, dimension = random.randrange(config.nodes), random.randrange(config.dim)
    link = int(Register.FAULT), node | dimension << 12 | 1 << 16 | 1 << 31
    writes = [(int(Register.FAULT) + i, 0) for i in range(config.fault_entries)]
    if kind == "known":
        # The two ends of a link of the top dimension reach each other over a relay alone.
        top = int(Register.FAULT), node | config.dim - 1 << 12 | 1 << 16 | 1 << 31
        writes += [random.choice((link, top))]
    if config.chooses:
        policy = random.choice(tuple(Policy)[1:]) if kind in ("policies", "live") else Policy.ECUBE
        writes += [(int(Register.POLICY), int(policy))]
    if config.draws:
        writes += [(int(Register.SEED), random.getrandbits(16))]
    everyone = (1 << config.nodes) - 1
    for address, value in writes:
        yield {
            "adapter_address": pack([address] * config.nodes, ADDRESS_BITS),
            "adapter_write": everyone,
            "adapter_write_data": pack([value] * config.nodes, DATA_BITS),
        }
    yield {"adapter_write": 0}


def _access(random, config, faults, probability, repair):
    """Return accesses to the control ports, and reads of all registers of the adapters."""
    places = faults.access(probability, repair)
    return places | {
        "adapter_address": pack((random.randrange(1 << ADDRESS_BITS) for _ in range(config.nodes)), ADDRESS_BITS)
    }


def watch(inputs, outputs, twin):
    """Name the links in use, what nodes get, and why messages are lost."""
    config = twin.config
    busy = recall(twin, not twin.quiet())
    if inputs["rst"]:
        if busy:
            yield "reset"
        return
    for j in range(config.dim):
        if outputs[f"link_{j}_push"]:
            yield f"link {j}"
    valid, ready = outputs["receive_valid"], inputs["receive_ready"]
    if valid & ~ready:
        yield "a node stalls"
    if outputs.get("receive_more"):
        yield "a message goes on"
    if outputs["receive_path"]:
        yield "a second run"
    if valid & outputs["receive_last"] & outputs["receive_error"]:
        yield "message with error"
    if inputs["send_valid"] & ~outputs["send_ready"]:
        yield "a message waits"
    for node in bits(outputs["report_valid"]):
        reason, lane = (item(outputs[f"report_{name}"], node, REASON_BITS) for name in ("reason", "lane"))
        port = item(outputs["report_port"], node, REASON_BITS)
        assert (port, lane) != (config.dim, 0), "the adapter's packets are legal"
        yield f"reason {reason}, lane {lane}"
    for member in twin.routers:
        if member.adapter.relay_store.queue.level:
            yield "relayed"
        order = member.adapter.planner.order
        if order is not None and order.send:
            yield "sent on" if order.relay else f"kind {order.kind}"
    if outputs["adapter_read_data"]:
        yield "register read"


def events(config, extra, options):
    """Return what can happen in such a network."""
    happen = ["reset", "a node stalls", "message with error", "a message waits", "kind 0"]
    happen += [f"link {j}" for j in range(config.dim)]
    happen += ["kind 1"] * config.router.multicast + ["kind 2"] * config.bitmaps
    reasons = (AdapterReason.SHORT_MESSAGE, AdapterReason.BAD_KIND, AdapterReason.EMPTY)
    happen += [f"reason {int(reason)}, lane 1" for reason in reasons]
    if config.draws:
        happen += ["a second run", "register read"]
    happen += ["a message goes on"] * (config.reassemble > 0)
    if config.fault_entries:
        happen += ["relayed", "sent on"] * (config.router.runs == 2)
    return tuple(happen)


BENCH = Bench(
    unit="adapter.network:AdapterNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
