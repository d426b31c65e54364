"""Testbench of a buffer slot: packets loaded word by word, sent, refused, detoured and dropped."""

from collections import deque

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.injector import KINDS, make

__all__ = ["BENCH"]


class Books:
    """What the slot holds, kept from what goes in and out, so that a word is loaded in every cycle that allows it.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    address, slot : int
        Of the node and of the slot.
    """

    def __init__(self, config, address, slot):
        self.config, self.address, self.slot = config, address, slot
        self.held = deque()
        self.reports = self.begun = self.busy = 0
        self.discard = False
        self.destination = None
        self.count = 0

    @property
    def ready(self):
        """Whether a word can be loaded in the coming cycle."""
        return len(self.held) < 2 and not self.reports

    def wants_detour(self, fault):
        """Return the dimensions a detour may take in the coming cycle; 0: none is wanted."""
        if not self.held or self.busy or not fault >> self.slot & 1:
            return 0
        return (self.held[0] ^ self.address) & ~fault

    def load(self, packet, place):
        """Return whether word ``place`` of a packet makes a report, and whether it completes a packet."""
        config = self.config
        if place == 0:
            self.discard = False
        if self.discard:
            return False, False
        reason = packet.reason(config, self.address)
        bad = reason is not None and (place == 0) == (reason != PacketReason.DATA_TOO_LONG)
        if bad and reason == PacketReason.DATA_TOO_LONG:
            bad = place == config.max_words
        if bad:
            self.discard = True
        return bad, not bad and place == len(packet.words) - 1

    def edge(self, inputs, outputs, reported, committed, fault, detour):
        """Take the edge of a cycle in which a loaded word did what :meth:`load` said."""
        puts = int(reported)
        waiting = self.held[0] if self.held else None
        done = outputs["o__valid"] and outputs["o__last"] and inputs["o__ready"]
        if waiting is not None and not self.busy and fault >> self.slot & 1:
            lost = waiting == self.address or not (waiting ^ self.address) & ~fault
            if lost and not self.reports and not reported:
                self.held.popleft()
                puts += 1
        if done:
            self.held.popleft()
        if outputs["o__valid"] and outputs["o__head"] and inputs["o__ready"]:
            self.begun = 1
        started = outputs["accept"] or detour
        if done or started or inputs["refused"]:
            self.busy = self.begun = 0
        if started:
            self.busy = 1
        self.reports += puts - (outputs["report__valid"] and inputs["report__ready"])
        if committed:
            self.held.append(committed - 1)


def stimulus(random, config):
    """Load packets of every kind; grants come at any time, the stream stalls, heads are refused, faults change."""
    n, live = config.dim, config.fault_tolerant
    drawing = moods(
        random,
        60,
        load=(0.3, 1.0),
        malformed=(0.0, 0.0, 0.3),
        grant=(0.05, 0.5, 1.0),
        ready=(0.2, 1.0),
        refuse=(0.0, 0.2),
        refusing=(0.0, 0.5, 1.0),
        fault=(0.0, 0.0, 0.05, 0.5),
        detour=(0.1, 1.0),
        report=(0.1, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    while True:
        address, slot = random.randrange(config.nodes), random.randrange(n)
        books = Books(config, address, slot)
        packet, place, rst, fault = None, 0, 0, 0
        change = {"address": address, "dimension": slot}
        while not rst:
            mood = next(drawing)
            if packet is None:
                packet, place = _packet(random, config, address, slot, mood), 0
            loads = books.ready and chance(random, mood["load"])
            several = packet.taken_by & packet.taken_by - 1
            change |= {
                "load": int(loads),
                "data": packet.words[place],
                "last": int(place == len(packet.words) - 1),
                "alone": int(not several),
                "none": int(not packet.slots),
            }
            refused = books.begun and chance(random, mood["refuse"])
            change["refused"] = int(refused)
            change["o__ready"] = int(not refused and chance(random, mood["ready"]))
            change["grant"] = chance(random, mood["grant"])
            change["refusing"] = chance(random, mood["refusing"])
            change["report__ready"] = chance(random, mood["report"])
            detour = 0
            if live:
                if chance(random, mood["fault"]):
                    fault = random.choice((0, 1 << slot, 1 << slot, sparse(random, n), sparse(random, n) | 1 << slot))
                choice = books.wants_detour(fault)
                # A broadcast has no other dimension.
                detour = choice and chance(random, mood["detour"])
                change |= {"fault": fault, "detour_start": int(detour)}
                change |= {"detour_contrary": random.getrandbits(1), "detour_next": random.getrandbits(PORT_BITS)}
            change["rst"] = rst = chance(random, mood["reset"])
            reported = committed = 0
            if loads:
                reported, complete = books.load(packet, place)
                committed = packet.destination + 1 if complete and not books.discard else 0
                place += 1
            ready = books.ready
            outputs = yield change
            assert outputs["ready"] == ready, f"ready is {outputs['ready']}, with {books.held} held"
            assert outputs["busy"] == books.busy, f"busy is {outputs['busy']}, not {books.busy}"
            books.edge(change, outputs, reported, committed, fault, detour)
            if packet is not None and place == len(packet.words):
                packet = None
            change = {}


def _packet(random, config, address, slot, mood):
    """Return a packet for a slot, good or bad, as the slot is to judge it."""
    kind = random.choice(KINDS) if chance(random, mood["malformed"]) else random.choice(("unicast", "broadcast"))
    packet = make(random, config, address, kind)
    if packet.slots and not packet.slots >> slot & 1:
        # A unicast that this slot may send, if there is one, else another slot's.
        packet = packet._replace(slots=1 << slot)
    return packet


def watch(inputs, outputs, twin):
    """Name what is loaded, how it leaves, and what is reported."""
    before = recall(twin, None) or {}
    now = {"busy": outputs["busy"], "sent": before.get("sent", 0)}
    if inputs["rst"]:
        if outputs["busy"]:
            yield "reset"
        return
    if not outputs["ready"]:
        yield "not ready"
    if inputs["load"] and outputs["busy"]:
        yield "loaded while sending"
    if outputs["committed"]:
        yield "one word" if not before.get("loading") else "several words"
    now["loading"] = (before.get("loading") or inputs["load"]) and not (inputs["load"] and inputs["last"])
    if outputs["accept"]:
        yield "prefetched" if outputs["busy"] else "accepted"
        if not before.get("request"):
            yield "accepted in the first cycle of the request"
        now["head"] = 1
    if inputs["grant"] and not outputs["request"]:
        yield "stale grant"
    now["request"] = outputs["request"]
    if inputs.get("detour_start"):
        yield "detour"
        if inputs["detour_contrary"]:
            yield "contrary detour"
    if inputs["refused"]:
        yield "refused"
    if outputs["o__valid"]:
        if outputs["o__head"]:
            contrary = outputs["o__data"] >> twin.config.head_bits - 1
            yield "contrary head" if contrary else "plain head"
            if (outputs["o__data"] ^ inputs["address"]) & twin.config.nodes - 1 == 0:
                yield "broadcast head"
        yield "flit moves" if inputs["o__ready"] else "stall"
    if inputs["refusing"] and not inputs["grant"] and not outputs["request"] and not outputs["busy"]:
        yield "perhaps held back"
    if outputs["report__valid"]:
        yield PacketReason(outputs["report__reason"]).name
    recall(twin, now)


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["not ready", "loaded while sending", "one word", "accepted", "prefetched", "stale grant", "refused"]
    happen += ["accepted in the first cycle of the request", "plain head", "broadcast head", "flit moves", "stall"]
    happen += ["reset", "BAD_SLOT", "ADDRESS_BITS", "DATA_TOO_LONG"]
    if config.max_words > 1:
        happen.append("several words")
    if config.routing == "quasi-adaptive":
        happen.append("contrary head")
    if config.fault_tolerant:
        happen += ["detour", "UNDELIVERABLE"]
        if config.routing == "quasi-adaptive" or config.dim > 1:
            happen.append("contrary detour")
    return tuple(happen)


BENCH = Bench(
    unit="packet.output_slot:OutputSlot",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
