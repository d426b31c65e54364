"""Testbench of the planner: chunks of messages of every kind, packets to be sent on, faults that come and go."""

from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.faults import FaultList
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


class Chunks:
    """Chunks of messages, as a chunker offers them.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the node.
    address : int
        Of the node.
    """

    def __init__(self, random, config, address):
        self.random, self.config, self.address = random, config, address
        self.left, self.bank, self.shown = 0, 0, None

    def next(self, load, known):
        """Return the stream in this cycle."""
        random, config = self.random, self.config
        if self.shown is None and chance(random, load):
            first = not self.left
            if first:
                self.left = random.choice((1, 2, 4))
                self.message = self._header(known)
            self.left -= 1
            self.shown = {
                "bank": self.bank,
                **self.message,
                "first": int(first),
                "final": int(not self.left),
                "error": chance(random, 0.2),
                "count": random.randrange(1, config.router.packet_limit),
                "ordinal": random.randrange(1 << config.ordinal_bits),
            }
            self.bank ^= 1
        return {"chunk__valid": int(self.shown is not None)} | {
            f"chunk__{name}": value for name, value in (self.shown or {}).items()
        }

    def _header(self, known):
        """Return what the header of a legal message says."""
        random, config, router = self.random, self.config, self.config.router
        kind = random.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP))
        node = random.randrange(config.nodes)
        if kind == Kind.UNICAST and node == self.address:
            node ^= 1 << random.randrange(config.dim)
        packets = config.bitmaps if kind == Kind.BITMAP else router.multicast
        serial = kind != Kind.UNICAST and (chance(random, known) or not packets)
        mask = sparse(random, config.dim) or (node == self.address)
        return {"kind": int(kind), "node": node, "mask": int(mask), "serial": int(serial)}


def stimulus(random, config):
    """Offer chunks and packets, and let an emitter take orders."""
    n = config.dim
    drawing = moods(
        random,
        200,
        load=(0.1, 1.0, 1.0),
        relay=(0.0, 0.0, 0.1, 1.0),
        ready=(0.1, 0.5, 1.0),
        change=(0.0, 0.003, 0.03, 0.1),
        known=(0.0, 0.5, 1.0),
        row=(0.0, 0.1, 1.0),
        report=(0.01, 1.0, 1.0),
        reset=(0.0, 0.005),
    )
    rows = 1 << config.router.bitmap_dims
    while True:
        address = random.randrange(config.nodes)
        chunks, faults = Chunks(random, config, address), FaultList(random, config)
        rst, relay, row, policy = 0, None, 0, 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if relay is None and chance(random, mood["relay"]):
                relay = address ^ random.randrange(1, config.nodes)
            if chance(random, mood["row"]):
                row = sparse(random, rows)
            if config.router.runs == 2 and chance(random, 0.02):
                policy = random.randrange(4)
            outputs = yield {
                "rst": rst,
                **chunks.next(mood["load"], mood["known"]),
                **faults.next(mood["change"], mood["known"]),
                "row": row,
                "relay__valid": int(relay is not None),
                "relay__destination": relay or 0,
                "order__ready": chance(random, mood["ready"]),
                "policy": policy,
                "draw": random.getrandbits(n) if config.router.runs == 2 else 0,
                "address": address,
                "report__ready": chance(random, mood["report"]),
            }
            if outputs["chunk_taken"]:
                chunks.shown = None
            if outputs["relay_taken"]:
                relay = None


def watch(inputs, outputs, twin):
    """Name states, orders, and how routes were found."""
    address, ones = inputs["address"], twin.config.nodes - 1
    state = twin.state.name
    before = recall(twin, (state, twin.second, twin.round)) or ("IDLE", False, 0)
    if inputs["rst"]:
        if before[0] != "IDLE":
            yield "reset in a search"
        return
    if inputs["policy"] and inputs["chunk__valid"] and not outputs["known"]:
        yield f"policy {inputs['policy']}"
    if before[0] in ("WALK", "CANDIDATE") and state == "READY":
        yield "by relay" if before[1] else f"round {before[2]}"
    if before[0] != "FAILED" and state == "FAILED":
        yield f"none for {'one to be sent on' if twin.relayed else 'an own one'}"
    if before[0] == "READY" and state == "READY" and inputs["order__ready"] == 0:
        yield "a route waits"
    if before[0] == "FAILED" and state == "FAILED" and outputs["report__valid"]:
        yield "a report waits for another"
    if outputs["report__valid"]:
        yield "report"
    if inputs["chunk__valid"] and inputs["chunk__serial"] and not inputs["chunk__first"]:
        lost = twin.told[twin.place]
        if before[0] == "FAILED" and state == "IDLE":
            yield "a destination is lost inside a message"
        if state == "IDLE" and lost and twin.place != address:
            yield "a destination stays lost"
    order = {name: outputs[f"order__{name}"] for name in ("relay", "send", "release", "kind", "r1", "r2")}
    if outputs["order__valid"] and inputs["order__ready"]:
        what = "relay" if order["relay"] else f"kind {order['kind']}"
        yield f"{what} sent" if order["send"] else f"{what} not sent"
        if order["relay"] and inputs["chunk__valid"]:
            yield "before a chunk"
        if not order["relay"] and inputs["relay__valid"]:
            yield "before a packet to be sent on"
        if order["kind"] == 0 and order["r1"] and order["r2"]:
            yield "two runs"
    if inputs["chunk__valid"] and inputs["chunk__serial"]:
        yield "place 0" if not twin.place else "place last" if twin.place == ones else "place between"
        if twin.place == address:
            yield "place own"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    two, multicast = config.router.runs == 2, config.router.multicast
    happen = ["kind 0 sent", "kind 0 not sent"]
    happen += ["kind 1 sent"] * multicast + ["kind 2 sent"] * config.bitmaps
    happen += ["place 0", "place last", "place between", "place own"]
    happen += ["two runs", *(f"policy {policy}" for policy in (1, 2, 3))] * two
    if config.knows_faults:
        happen += ["reset in a search", "by relay", "round 0", "none for an own one", "report"]
        happen += ["none for one to be sent on", "relay sent", "relay not sent", "a route waits"]
        happen += ["before a chunk", "before a packet to be sent on", *["round 1"] * two]
        happen += ["a destination is lost inside a message", "a destination stays lost"]
        # Failures follow each other where faulty nodes are listed.
        happen += ["a report waits for another"] * bool(config.fault_entries)
    return tuple(happen)


BENCH = Bench(
    unit="adapter.planner:Planner",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
