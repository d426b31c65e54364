"""Testbench of the load node: every kind of traffic, a router that stalls, and packets of true and of false words."""

from cubecast.golden.crosspoint.algorithms.packets import turns_back
from cubecast.golden.crosspoint.contract.load import (
    NUMBER_BITS,
    RATE_ONE,
    SHARE_ONE,
    Policy,
    route_settings,
    settings,
)
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "noise", "traffic"]

SHARES = (0, SHARE_ONE // 5, SHARE_ONE)


def traffic(random, config):
    """Return random settings of one load node."""
    shares = (*SHARES, random.randint(0, SHARE_ONE))
    found = {f"{name}_seed": random.randrange(1, 1 << 32) for name in ("arrival", "target", "way", "length")}
    found |= _message(random, config) | _routes(random, config)
    length, most = found["length"], found.get("spanned", config.nodes - 1).bit_count() or 1
    members = random.choice((1, 2, most, random.randint(1, most)))
    return found | {
        # The last two leave hardly a message waiting.
        "rate": random.choice((0, RATE_ONE, RATE_ONE // (2 * length), RATE_ONE // (5 * length))),
        "policy": int(random.choice(tuple(Policy))),
        "listed": max(found["broadcast"], random.choice(shares)),
        "members": min(members, most),
    }


def _message(random, config):
    """Return random settings that any message may have for itself."""
    shares = (*SHARES, random.randint(0, SHARE_ONE))
    length = random.choice((1, 1, 2, config.packet_limit, random.randint(1, 3 * config.packet_limit)))
    length = 255 if chance(random, 0.05) else length
    most = 256 - length if chance(random, 0.1) else min(8, 256 - length)
    return {
        "length": length,
        "spread": random.choice((1, random.randint(1, most))),
        "other": random.randint(1, 40),
        "other_share": random.choice((0, *shares)),
        "fixed": random.randrange(1, config.nodes),
        "share": random.choice(shares),
        "broadcast": random.choice((0, 0, *shares)) if config.multicast else 0,
    }


def _routes(random, config):
    """Return where messages can go, and how: often anywhere, by all ways."""
    every = (1 << config.nodes) - 1
    found = {name: random.choice((every, random.getrandbits(config.nodes))) for name in route_settings(config)}
    if "free" in found:
        ways = [_way(random, config, relative) for relative in range(config.nodes)]
        for k in range(config.dim):
            found[f"way_{k}"] = sum((way >> k & 1) << relative for relative, way in enumerate(ways))
    if "spanned" in found:
        some, lacking = random.getrandbits(config.nodes), every ^ 1 << random.choice((1, config.nodes - 1))
        found["spanned"] = random.choice((every, every, lacking, some, 0, 0)) & ~1
    return found


def _way(random, config, relative):
    """Return an r1 by which a packet does not turn back."""
    while True:
        r1 = random.randrange(config.nodes)
        if not relative or not turns_back(r1, relative ^ r1):
            return r1


def noise(random, config, nodes=1):
    """Return any values of the settings of some nodes, for a cycle in which they do not matter."""
    return {name: random.getrandbits(nodes * bits) for name, bits in settings(config).items()}


def stimulus(random, config):
    """Run rounds of settings with resets between some, until what waits is sent; packets come all the time."""
    drawing = moods(random, 60, ready=(0.05, 0.5, 1.0), eject=(0.0, 0.3, 1.0), false=(0.0, 0.0, 0.3))
    coming = []
    while True:
        quiet = {"rst": random.randrange(2), "load": 0, "enable": 0, "inject__ready": 0, "eject__valid": 0}
        yield quiet | noise(random, config)
        change = {"rst": 0, "load": 1, "address": random.randrange(config.nodes)} | traffic(random, config)
        for cycle in range(random.choice((60, 100, 300))):
            mood = next(drawing)
            change |= {"enable": int(cycle % 100 < 80), "inject__ready": chance(random, mood["ready"])}
            if not coming:
                coming = _packet(random, config, mood["false"])
            change["eject__valid"] = chance(random, mood["eject"])
            if change["eject__valid"]:
                change |= coming.pop(0)
            yield change
            change = {"load": chance(random, 0.005)}
            if chance(random, 0.02):
                # What lists are drawn of stays as it is.
                message = _message(random, config)
                change |= message | {"listed": random.randint(message["broadcast"], SHARE_ONE)}


def _packet(random, config, false):
    """Return the words of a packet that comes, as changes of the ports; with this probability one word is wrong."""
    kind = random.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP)) if config.multicast else 0
    size, mask = config.width, (1 << config.width) - 1
    words = [random.getrandbits(config.bitmap_bits)] * (kind == Kind.BITMAP)
    word = random.getrandbits(NUMBER_BITS + config.dim)
    # The sink takes packets that are longer than a router lets through.
    for _ in range(random.randint(1, config.packet_limit if chance(random, 0.95) else 300)):
        words.append(word)
        word = (word << 1 & mask | word >> size - 1) ^ 1
    error = chance(random, false / 2)
    if chance(random, false):
        place = random.randrange(len(words))
        wrong = random.choice(("bit", "lost", "twice"))
        if wrong == "bit":
            words[place] ^= 1 << random.randrange(size)
        elif wrong == "twice":
            words.insert(place, words[place])
        elif len(words) > 1:
            del words[place]
    last = len(words) - 1
    return [
        {
            "eject__data": word,
            "eject__last": int(i == last),
            "eject__error": error * (i == last),
            "eject__kind": int(kind),
        }
        for i, word in enumerate(words)
    ]


def watch(inputs, outputs, twin):
    """Name what is generated, sent and found."""
    before = recall(twin, outputs)
    if inputs["rst"]:
        return
    if outputs["arrived"]:
        yield "arrived"
    if outputs["sent__head"]:
        yield Kind(outputs["sent__kind"]).name
        yield "closes" if outputs["sent__closes"] else "goes on"
        if outputs["sent__kind"] == Kind.UNICAST:
            yield "first run" if outputs["sent__r1"] else "second run"
            if outputs["sent__r1"] and outputs["sent__r2"]:
                yield "two runs"
        if outputs["sent__everyone"]:
            yield f"broadcast as {Kind(outputs['sent__kind']).name}"
    if outputs["inject__valid"] and not inputs["inject__ready"]:
        yield "stalls"
    if outputs["refused"]:
        single = outputs["sent__r1"] | outputs["sent__r2"]
        yield f"refused {'broadcast' if outputs['sent__everyone'] else 'unicast' if single else 'list'}"
    if before is not None and outputs["idle"] and not before["idle"]:
        yield "all sent"
    if outputs["came__done"]:
        yield "bad" if outputs["came__bad"] else "whole"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ["arrived", "closes", "goes on", "UNICAST", "first run", "stalls", "all sent", "bad", "whole"]
    happen += ["SUBCUBE", "BITMAP", "broadcast as SUBCUBE"] * config.multicast
    happen += ["second run", "two runs"] * (config.runs == 2)
    happen += ["refused unicast"] * config.fault_tolerant
    happen += ["broadcast as BITMAP", "refused broadcast", "refused list"] * (config.fault_tolerant * config.multicast)
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.load_node:LoadNode",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
