"""Testbench of the load node: every kind of traffic, a router that stalls, and packets of true and of false words."""

import dataclasses
import itertools

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.load import (
    KIND_BITS,
    MOST_WAITING,
    RATE_ONE,
    SHARE_ONE,
    Kind,
    Policy,
    route_settings,
    settings,
)
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.load_node import LoadNode
from cubecast.golden.common.twins.ports import bits
from cubecast.tb.common.patterns import LEFT, chance, moods, pack, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END", "access", "beside_links", "moves", "overload", "sends"]

SHARES = (0, SHARE_ONE // 5, SHARE_ONE)


def traffic(random, shape):
    """Return random settings of one load node."""
    shares = (*SHARES, random.randint(0, SHARE_ONE))
    found = {f"{name}_seed": random.randrange(1, 1 << 32) for name in ("arrival", "target", "way", "length")}
    found |= _message(random, shape) | _routes(random, shape)
    length, most = found["length"], found.get("spanned", shape.nodes - 1).bit_count() or 1
    members = random.choice((1, 2, most, random.randint(1, most)))
    return found | {
        # The last two leave hardly a message waiting.
        "rate": random.choice((0, RATE_ONE, RATE_ONE // (2 * length), RATE_ONE // (5 * length))),
        "policy": int(random.choice(tuple(Policy))),
        "listed": max(found["broadcast"], random.choice(shares)),
        "members": min(members, most),
    }


def _message(random, shape):
    """Return random settings that any message may have for itself."""
    shares = (*SHARES, random.randint(0, SHARE_ONE))
    length = random.choice((1, 1, 2, shape.packet_limit, random.randint(1, min(255, 3 * shape.packet_limit))))
    length = 255 if chance(random, 0.05) else length
    most = 256 - length if chance(random, 0.1) else min(8, 256 - length)
    return {
        "length": length,
        "spread": random.choice((1, random.randint(1, most))),
        "other": random.randint(1, 40),
        "other_share": random.choice((0, *shares)),
        "fixed": random.randrange(1, shape.nodes),
        "share": random.choice(shares),
        "broadcast": random.choice((0, 0, *shares)) if shape.multicast else 0,
    }


def _routes(random, shape):
    """Return where messages can go, and how: often anywhere, by all ways."""
    every = (1 << shape.nodes) - 1
    found = {name: random.choice((every, random.getrandbits(shape.nodes))) for name in route_settings(shape)}
    if "free" in found:
        ways = [_way(random, shape, relative) for relative in range(shape.nodes)]
        for k in range(shape.dim):
            found[f"way_{k}"] = sum((way >> k & 1) << relative for relative, way in enumerate(ways))
    if "spanned" in found:
        some, lacking = random.getrandbits(shape.nodes), every ^ 1 << random.choice((1, shape.nodes - 1))
        found["spanned"] = random.choice((every, every, lacking, some, 0, 0)) & ~1
    return found


def _way(random, shape, relative):
    """Return an r1 by which a packet does not turn back between its runs."""
    while True:
        r1 = random.randrange(shape.nodes)
        r2 = relative ^ r1
        if not relative or not r1 or r1 & -r1 != r2 & -r2:
            return r1


def noise(random, shape, nodes=1):
    """Return any values of the settings of some nodes, for a cycle in which they do not matter."""
    return {name: random.getrandbits(nodes * width) for name, width in settings(shape).items()}


QUIET = 4
"""Cycles of reset in which settings are any."""


def overload(random, shape, count, cycles):
    """Run the load network of any routers in rounds with settings of their own, each to its end."""
    everyone = (1 << shape.nodes) - 1
    for _ in range(count):
        for _ in range(QUIET):
            yield {"rst": 1, "load": 0, "enable": 0} | noise(random, shape, shape.nodes)
        nodes = [_short(random, shape) for _ in range(shape.nodes)]
        found = {name: pack([node[name] for node in nodes], width) for name, width in settings(shape).items()}
        yield {"rst": 0, "load": everyone} | found
        cycle = quiet = 0
        while quiet < 60:
            addresses = pack([random.getrandbits(ADDRESS_BITS) for _ in range(shape.nodes)], ADDRESS_BITS)
            outputs = yield {"load": 0, "enable": everyone * (cycle < cycles), "control_address": addresses}
            moves = outputs["sent_valid"] or outputs["came_valid"] or outputs["idle"] != everyone or cycle < cycles
            quiet = 0 if moves else quiet + 1
            cycle += 1
            assert not outputs["report_valid"], "a packet is refused or lost"
            assert not outputs["came_done"] & outputs["came_bad"], "a packet is not whole"


def _short(random, shape):
    """Return settings of a node whose messages are short."""
    found = traffic(random, shape)
    rate = random.choice((RATE_ONE // 50, RATE_ONE // 3, RATE_ONE)) // found["members"]
    short = {"length": random.choice((1, 2, shape.packet_limit + 1)), "spread": random.randint(1, 3), "rate": rate}
    return found | short | {"other_share": found["other_share"] // 8}


def moves(inputs, outputs, twin):
    """Name what happens anywhere in a load network."""
    if inputs["rst"]:
        return
    for node in bits(outputs["sent_begins"]):
        yield Kind(outputs["sent_whom"] >> KIND_BITS * node & (1 << KIND_BITS) - 1).name
    if outputs["came_done"]:
        yield "came"
    if outputs["control_read_data"]:
        yield "register read"


def beside_links(random, shape, flags):
    """Run a load router in rounds of settings; the far ends of its links open and close, and send nothing.

    Where there are tables, some rounds reach nobody at first: a message is refused in every cycle, each by settings of
    its own. In one of them so many are that numbers of packets have eleven bits then.
    """
    drawing = moods(random, 50, ready=(0.1, 0.7, 1.0))
    for count in itertools.count():
        yield {"rst": 1, "load": 0, "enable": 0} | noise(random, shape)
        found = traffic(random, shape)
        change = {"rst": 0, "load": 1, "address": random.randrange(shape.nodes)} | found
        refused = (1040 if count == 4 else random.choice((0, 40))) if shape.tables else 0
        nobody = {"rate": RATE_ONE, **{name: 0 for name in ("reached", "spanned") if name in found}}
        for cycle in range(refused + random.choice((60, 300))):
            mood = next(drawing)
            if cycle < refused:
                change |= _another(random, shape) | nobody
            elif refused and cycle == refused:
                change |= found | {"rate": RATE_ONE}
            elif chance(random, 0.1):
                change |= _another(random, shape)
            change |= {"enable": 1, **access(random, shape.dim)}
            for j in range(shape.dim):
                change |= {f"link_out__{j}__{name}": chance(random, mood["ready"]) for name in flags}
            yield change
            change = {"load": 0}


def _another(random, shape):
    """Return settings for another message; what lists are drawn of stays as it is, and ways may be none."""
    found = _message(random, shape) | _routes(random, shape)
    listed = random.choice((found["broadcast"], random.randint(found["broadcast"], SHARE_ONE)))
    found |= {"policy": int(random.choice(tuple(Policy))), "listed": listed, "rate": RATE_ONE >> random.randrange(8)}
    if "free" in found and chance(random, 0.5):
        # Short unicasts; a router refuses what turns back, and says so.
        found |= {f"way_{k}": random.getrandbits(shape.nodes) for k in range(shape.dim)}
        found |= {"free": 0, "broadcast": 0, "listed": 0, "length": 1, "other_share": 0}
    found.pop("spanned", None)
    return found


def access(random, dim):
    """Return an access to a router's registers: most often a read, now and then a write, of the list of faults too.

    The log, one register of many with more to tell than others, comes more often.
    """
    write = chance(random, 0.01)
    address = Register.LOG if chance(random, 0.1) else random.getrandbits(ADDRESS_BITS)
    address = Register.FAULT if write and chance(random, 0.5) else address
    data = random.choice((0, sparse(random, dim), random.getrandbits(DATA_BITS)))
    return {"control__address": int(address), "control__write": int(write), "control__write_data": data}


def sends(inputs, outputs, twin):
    """Name what a load router sends, and what it says."""
    before = recall(twin, inputs["rst"])
    if inputs["rst"] or before is None:
        return
    if outputs["sent__valid"]:
        yield "sent"
    if outputs["sent__begins"] and not outputs["sent__valid"]:
        yield "a word of the router's own"
    if outputs["control__read_data"]:
        yield "register read"
    if inputs["control__write"] and inputs["control__address"] == Register.FAULT:
        yield "faults written"
    if not outputs["idle"] and not outputs["sent__valid"]:
        yield "stalls"
    if outputs["refused"]:
        yield "refused"


def stimulus(random, shape):
    """Run rounds of settings with resets between some, until what waits is sent; packets come all the time."""
    drawing = moods(
        random, 60, ready=(0.05, 0.5, 1.0), eject=(0.0, 0.3, 1.0), false=(0.0, 0.0, 0.3), heading=(0.0, 0.0, 0.5)
    )
    coming = []
    while True:
        resets = random.randrange(2)
        quiet = {"rst": resets, "load": 0, "enable": 0, "inject__ready": 0, "eject__valid": 0}
        # Without a reset a message may be drawn even now, which only settings that mean something may say.
        yield quiet | (noise(random, shape) if resets else {})
        change = {"rst": 0, "load": 1, "address": random.randrange(shape.nodes)} | traffic(random, shape)
        for cycle in range(random.choice((60, 100, 300))):
            mood = next(drawing)
            change |= {"enable": int(cycle % 100 < 80), "inject__ready": chance(random, mood["ready"])}
            change["inject__heading"] = chance(random, mood["heading"]) * (not shape.bitmaps)
            if not coming:
                coming = _packet(random, shape, mood["false"])
            change["eject__valid"] = chance(random, mood["eject"])
            if change["eject__valid"]:
                change |= coming.pop(0)
            yield change
            change = {"load": chance(random, 0.005)}
            if chance(random, 0.02):
                # What lists are drawn of stays as it is.
                message = _message(random, shape)
                change |= message | {"listed": random.randint(message["broadcast"], SHARE_ONE)}


def _packet(random, shape, false):
    """Return the words of a packet that comes, as changes of the ports; with this probability one word is wrong."""
    kind = random.choice((Kind.ONE, Kind.ONE, Kind.ALL, Kind.LIST)) if shape.multicast else 0
    size, mask = shape.width, (1 << shape.width) - 1
    words = [random.getrandbits(shape.block)] * (shape.bitmaps and kind == Kind.LIST)
    words += [random.getrandbits(size) for _ in range(shape.lead)]
    word = random.getrandbits(shape.number_bits + shape.dim)
    # The sink takes packets that are longer than a router lets through.
    for _ in range(random.randint(1, shape.packet_limit if chance(random, 0.95) else 300)):
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
    if outputs["sent__begins"]:
        yield Kind(outputs["sent__whom"]).name
        yield "closes" if outputs["sent__closes"] else "goes on"
        if outputs["sent__whom"] == Kind.ONE:
            yield "first run" if outputs["sent__r1"] else "second run"
            if outputs["sent__r1"] and outputs["sent__r2"]:
                yield "two runs"
        if outputs["sent__everyone"]:
            yield f"broadcast as {Kind(outputs['sent__whom']).name}"
        if not outputs["sent__valid"]:
            yield "a word of the router's own"
    if outputs["inject__valid"] and not inputs["inject__ready"]:
        yield "stalls"
    if outputs["refused"]:
        single = outputs["sent__r1"] | outputs["sent__r2"]
        yield f"refused {'broadcast' if outputs['sent__everyone'] else 'unicast' if single else 'list'}"
    if before is not None and outputs["idle"] and not before["idle"]:
        yield "all sent"
    if outputs["came__done"]:
        yield "bad" if outputs["came__bad"] else "whole"


def events(shape, extra, options):
    """Return what must happen with these parameters."""
    happen = ["arrived", "closes", "goes on", "ONE", "first run", "stalls", "all sent", "bad", "whole"]
    happen += ["ALL", "LIST", "broadcast as ALL"] * shape.multicast
    happen += [] if shape.bitmaps else ["a word of the router's own"]
    happen += ["second run", "two runs"] * (shape.runs == 2)
    happen += ["refused unicast"] * shape.tables
    happen += ["broadcast as LIST", "refused broadcast", "refused list"] * (shape.tables * shape.multicast)
    return tuple(happen)


BENCH = Bench(
    unit="common.load_node:LoadNode",
    config="cubecast.golden.common.contract.load:LoadShape",
    stimulus=stimulus,
    events=events,
    watch=watch,
)

WAITING = MOST_WAITING - 20
"""Messages that wait after a reset, so many that there is soon no room for one more."""


class NearEnd(LoadNode):
    """The twin, with numbers of packets and messages that wait near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        self.number = LEFT & self._tag
        self.backlog = WAITING


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.common.load_node:NearEnd",
    presets={"number": LEFT, "backlog": WAITING},
    events=("arrived", "closes", "goes on", "ONE", "stalls", "bad", "whole"),
)
"""The same with numbers that come to the end of their range."""
