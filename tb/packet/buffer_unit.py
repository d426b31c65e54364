"""Testbenches of the packet buffer unit: packets of every kind at random, and two scripts of exact cycles."""

from cubecast.golden.packet.contract.packet import Head
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.input_controller import MOODS, Incoming, faults

__all__ = ["BENCH", "ORDER", "TIMING"]


def stimulus(random, config):
    """Send packets of every kind; the crossbar grants as it likes, and takes its time to pass the flits on.

    Grants are mostly for what was requested, one port or several, and stay until they are accepted; hostile moods
    grant anything. The link is cut and repaired, and the straps change with a reset.
    """
    drawing = moods(
        random,
        60,
        **MOODS,
        grant=(0.02, 0.2, 1.0, 1.0),
        several=(0.0, 0.3),
        contend=(0.0, 0.0, 0.5),
        take=(0.2, 0.6, 1.0, 1.0),
        report=(0.1, 1.0),
        cut=(0.0, 0.0, 0.02),
        repair=(0.05, 0.5),
        hasty=(0.0, 0.0, 0.3),
        hostile=(0.0, 0.0, 0.0, 0.5),
        reset=(0.0, 0.0, 0.0, 0.01),
    )
    while True:
        address, dimension = random.getrandbits(config.dim), random.randrange(config.dim)
        far = Incoming(random, config, address, dimension)
        change = {"rst": 0, "address": address, "dimension": dimension, "grant": 0}
        outputs, rst, cut, grant = {"ready": 0, "refusing": 0, "request": 0, "accept": 0}, 0, 0, 0
        while not rst:
            mood = next(drawing)
            cut = int(not chance(random, mood["repair"]) if cut else chance(random, mood["cut"]))
            may = outputs["ready"] or chance(random, mood["hasty"])
            kind = mood | {"contrary": 0.0} if outputs["refusing"] and not chance(random, 0.5) else mood
            change |= far.next(kind, may)
            # A port that was accepted, or is no longer asked for, is not granted any more.
            grant &= outputs["request"] & ~outputs["accept"]
            if chance(random, mood["grant"]) and (not grant or chance(random, mood["several"])):
                few = sparse(random, config.ports) & outputs["request"]
                grant |= few if chance(random, mood["several"]) else few & -few
            rst = chance(random, mood["reset"])
            outputs = yield change | {
                "rst": rst,
                "cut": cut,
                "grant": sparse(random, config.ports) if chance(random, mood["hostile"]) else grant,
                "o__ready": chance(random, mood["take"]),
                "report__ready": chance(random, mood["report"]),
            }
            change = {}


def watch(inputs, outputs, twin):
    """Name what comes in and goes out, what happens together, and how packets are cut through and cut off."""
    config = twin.config
    noted = recall(twin, None) or {"started": False, "through": False, "together": None, "left": 0, "free": config.rows}
    accepted, accept, receiving = outputs["accepted"], outputs["accept"], outputs["receiving"]
    free, ready = outputs["free_rows"], inputs["o__ready"]
    valid, busy = outputs["o__valid"], noted["started"]
    if noted["together"] == free:
        yield "load, start and free in one cycle"
    if not free:
        yield "full, ready because of the cut" if outputs["ready"] else "full"
    if outputs["refusing"]:
        yield "refusing"
    if outputs["report__valid"]:
        moved = inputs["report__ready"]
        yield PacketReason(outputs["report__reason"]).name if moved else "report waits"
    if inputs["rst"] and free < config.rows:
        yield "reset"
    yield from _arrivals(inputs, outputs, config, free, noted["left"])
    if accept:
        yield "to the node" if accept == 1 << config.local else "to a link"
        yield "start with the final flit" if busy else "start"
        if receiving and free == config.rows - 1:
            yield "cut through"
        if inputs["grant"] & inputs["grant"] - 1:
            yield "several grants"
        fit = inputs["grant"] & outputs["request"]
        if fit & fit - 1:
            which = "the lowest" if accept == fit & -fit else "a higher"
            yield f"the oldest granted is of {which} port"
    elif inputs["grant"] and not busy:
        yield "grant of nothing"
    elif inputs["grant"]:
        yield "grant waits"
    if busy and not outputs["closing"] and outputs["request"]:
        yield "another packet asks early"
    if valid:
        name = "head" if outputs["o__head"] else "bad flit" if outputs["o__bad"] else "word"
        yield f"{name} moves" if ready else f"{name} stalls"
        if outputs["o__bad"] and noted["through"]:
            yield "truncated while it is cut through"
        if outputs["o__head"]:
            away = inputs["address"] ^ Head.decode(config, outputs["o__data"]).destination
            broadcast = away >> inputs["dimension"] & 1
            yield "copy of a broadcast" if broadcast else "unicast"
    elif busy and noted["through"] and receiving:
        yield "caught up with the words that come"
    done = valid and outputs["o__last"] and ready
    started = bool(accept or (busy and not done))
    through = bool(receiving and free == config.rows - 1) if accept else noted["through"] and started
    together = free if accepted and accept else None
    left = Head.decode(config, inputs["data"]).length if accepted else 0
    if inputs["rst"]:
        started, through, together = False, False, None
    recall(twin, {"started": started, "through": through, "together": together, "left": left, "free": free})


def _arrivals(inputs, outputs, config, free, length):
    """Name what the link brings; ``length`` is that of a packet whose head came in the cycle before."""
    head = inputs["valid"] and inputs["head"]
    if outputs["receiving"]:
        if inputs["cut"]:
            yield "cut while a packet comes"
        elif inputs["cut_short"]:
            yield "cut short in the first cycle" if length else "cut short"
        elif head:
            yield "head within a packet"
        elif inputs["valid"]:
            yield "packet of one word" if length == 1 else "word comes"
    elif inputs["cut"]:
        if head:
            yield "head over a cut link"
    elif outputs["accepted"]:
        if not free - 1:
            yield "load of the last row"
    elif head:
        wrong = faults(config, inputs, free, outputs["refusing"])
        yield f"malformed: {wrong[0]}" if len(wrong) == 1 else "malformed in several ways"


def events(config, extra, options):
    """Return what can happen with so many rows, and with this routing."""
    happen = ["full", "full, ready because of the cut", "report waits", "reset", "to the node", "to a link", "start"]
    happen += ["cut through", "several grants", "grant of nothing", "grant waits", "head moves", "head stalls"]
    happen += ["word moves", "word stalls", "bad flit moves", "bad flit stalls", "truncated while it is cut through"]
    happen += ["copy of a broadcast", "unicast", "caught up with the words that come", "cut while a packet comes"]
    happen += ["cut short in the first cycle", "head within a packet", "packet of one word", "head over a cut link"]
    happen += ["load of the last row", "malformed: length 0", "malformed: stray destination bits", "malformed: no row"]
    happen += ["malformed: not the port expected"]
    happen += [PacketReason.LINK_PROTOCOL.name, PacketReason.TRUNCATED.name, PacketReason.INPUT_CUT.name]
    if config.max_words > 1:
        happen += ["word comes", "cut short"]
    if config.rows > 1:
        happen += ["start with the final flit", "another packet asks early"]
        happen += ["the oldest granted is of the lowest port", "the oldest granted is of a higher port"]
    if config.rows > 2:
        happen.append("load, start and free in one cycle")
    if config.contrary:
        happen += ["refusing", *(["malformed: refused"] if config.rows < 6 else [])]
    return tuple(happen)


def _links(config, i):
    """Return a head for the next link above dimension i, and the values of its link."""
    head = Head(next_port=i + 1, length=config.max_words, destination=1 << i + 1)
    return {"valid": 1, "head": 1, "data": head.encode(config)}


def timing(random, config):
    """Send packets to an empty unit whose requests are granted in the cycle after: every cycle of them is checked.

    A head that comes in cycle c is asked for in c + 1, granted in c + 2 and offered in c + 3, its words in the cycles
    after it, without a gap; word k comes in cycle c + k and goes on in c + k + 3.
    """
    yield {"address": 0, "dimension": 0, "o__ready": 1, "report__ready": 1}
    head = _links(config, 0)
    for _ in range(3):
        words = [random.getrandbits(config.width) for _ in range(config.max_words)]
        seen, asked, outputs = [], [], {"request": 0, "accept": 0}
        for cycle in range(config.max_words + 8):
            change = {"valid": 0, "head": 0}
            if cycle == 0:
                change = head
            elif cycle <= len(words):
                change = {"valid": 1, "head": 0, "data": words[cycle - 1]}
            outputs = yield change | {"grant": outputs["request"] & ~outputs["accept"]}
            asked.append(outputs["request"])
            if outputs["o__valid"]:
                seen.append((cycle, outputs["o__head"], outputs["o__last"], outputs["o__data"]))
        sent = Head(next_port=config.local, length=len(words), destination=2).encode(config)
        flits = [(1, 0, sent), *((0, int(place == len(words)), word) for place, word in enumerate(words, 1))]
        wanted = [(3 + place, *flit) for place, flit in enumerate(flits)]
        assert seen == wanted, f"flits (cycle, head, last, data) are {seen}, not {wanted}"
        assert asked[:3] == [0, 2, 2] and not any(asked[3:]), f"requests are {asked}"
        assert outputs["free_rows"] == config.rows, "the row is not free again"


def order(random, config):
    """Fill the unit with packets for one port and another in turn; those of one port leave in the order they came.

    Each port is granted alone, the later one first; then any port is.
    """
    yield {"address": 0, "dimension": 0, "o__ready": 0, "report__ready": 1}
    for first in (1 << config.local, 2, 0):
        sent = {2: [], 1 << config.local: []}
        for place in range(config.rows):
            port, destination = ((1, 2), (config.local, 0))[place % 2]
            head = Head(next_port=port, length=1, destination=destination)
            yield {"valid": 1, "head": 1, "data": head.encode(config), "grant": 0}
            # The word tells which packet it is.
            yield {"head": 0, "data": place}
            sent[1 << port].append(place)
        outputs = yield {"valid": 0, "o__ready": 1}
        came = {2: [], 1 << config.local: []}
        port = 0
        for _ in range(6 * config.rows):
            request = outputs["request"]
            outputs = yield {"grant": request & first or request}
            if outputs["o__valid"] and not outputs["o__head"]:
                came[port].append(outputs["o__data"])
            port = outputs["accept"] or port
        assert came == sent, f"packets left in the order {came}, but came in the order {sent}"
        assert outputs["free_rows"] == config.rows, "rows are not free again"


UNIT = "packet.buffer_unit:PacketBufferUnit"

BENCH = Bench(unit=UNIT, stimulus=stimulus, events=events, watch=watch)

TIMING = Bench(unit=UNIT, stimulus=timing)

ORDER = Bench(unit=UNIT, stimulus=order)
