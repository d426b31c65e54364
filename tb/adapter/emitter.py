"""Testbench of the emitter: orders of every kind, and a router that stalls."""

from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def order(random, config):
    """Return an order as a planner gives it, without prefix."""
    n, limit, router = config.dim, config.router.packet_limit, config.router
    kinds = [Kind.UNICAST, *([Kind.SUBCUBE] * router.multicast), *([Kind.BITMAP] * config.bitmaps)]
    kind = random.choice(kinds)
    relay = chance(random, 0.3) if config.knows_faults else 0
    found = dict.fromkeys(("bank", "release", "first", "final", "error", "destination", "bitmap", "ordinal"), 0)
    found |= {"relay": relay, "send": chance(random, 0.8), "kind": 0, "count": 0}
    found |= {"r1": sparse(random, n), "r2": sparse(random, n) if router.runs == 2 or kind == Kind.SUBCUBE else 0}
    if not relay:
        most = limit - (2 if kind == Kind.BITMAP else 1)
        found |= {name: random.getrandbits(1) for name in ("bank", "release", "first", "final", "error")}
        found |= {"kind": int(kind), "count": random.choice((1, most, random.randint(1, most)))}
        found["ordinal"] = random.randrange(1 << config.ordinal_bits)
        if kind == Kind.BITMAP:
            found["bitmap"] = random.getrandbits(router.bitmap_bits)
        if kind == Kind.UNICAST:
            found["destination"] = random.randrange(config.nodes)
    return found


def stimulus(random, config):
    """Give one order after the other."""
    drawing = moods(random, 60, load=(0.1, 1.0), ready=(0.1, 0.7, 1.0), reset=(0.0, 0.005))
    while True:
        rst, now, words = 0, None, []
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if now is None and chance(random, mood["load"]):
                now = order(random, config)
                words = [
                    {"data": random.getrandbits(config.width), "last": 0, "error": chance(random, 0.1)}
                    for _ in range(random.randint(1, config.router.packet_limit))
                ]
                words[-1]["last"] = 1
            outputs = yield {
                "rst": rst,
                "order__valid": int(now is not None),
                **{f"order__{name}": value for name, value in (now or {}).items()},
                "word": random.getrandbits(config.width),
                **{f"relay__{name}": value for name, value in (words[0] if words else {}).items()},
                "inject__ready": chance(random, mood["ready"]),
                "address": random.randrange(config.nodes) if now is None else 1,
            }
            if outputs["relay_pop"]:
                words.pop(0)
            if outputs["order__ready"]:
                now = None


def watch(inputs, outputs, twin):
    """Name packets and where they stall."""
    place = recall(twin, twin.place) or 0
    if inputs["rst"]:
        if place:
            yield "reset"
        return
    if not inputs["order__valid"]:
        return
    order = {name: inputs[f"order__{name}"] for name in ("relay", "send", "kind", "count")}
    what = "relay" if order["relay"] else f"kind {order['kind']}"
    if outputs["inject__valid"] and not inputs["inject__ready"]:
        yield f"{what} stalls at {min(place, 2)}"
    if outputs["order__ready"]:
        yield f"{what} sent" if order["send"] else f"{what} not sent"
        if order["send"] and not order["relay"]:
            yield "one word" if order["count"] == 1 else "many words"
            if outputs["inject__error"]:
                yield "error"
    if outputs["freed"]:
        yield "freed" if order["send"] else "freed without a packet"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    router, limit = config.router, config.router.packet_limit
    names = ["kind 0", *["kind 1"] * router.multicast, *["kind 2"] * config.bitmaps, *["relay"] * config.knows_faults]
    happen = ["reset", "one word", "error", "freed", "freed without a packet", *["many words"] * (limit > 2)]
    for name in names:
        happen += [f"{name} {what}" for what in ("sent", "not sent", "stalls at 0", "stalls at 1")]
    return (*happen, *(["kind 2 stalls at 2"] * config.bitmaps))


BENCH = Bench(
    unit="adapter.emitter:Emitter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
