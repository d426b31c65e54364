"""Testbench of the input controller: packets over a link, malformed ones and broken ones, and a CAM in any state."""

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.packet import Head
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "MOODS", "Incoming", "faults"]

MOODS = {
    "start": (0.05, 0.5, 1.0),
    "malformed": (0.0, 0.0, 0.5),
    "contrary": (0.0, 0.0, 0.5, 1.0),
    "broadcast": (0.0, 0.2, 1.0),
    "short": (0.0, 0.5, 1.0),
    "gap": (0.0, 0.0, 0.5),
    "cut_short": (0.0, 0.0, 0.1),
    "noise": (0.0, 0.0, 0.05),
}
"""What an :class:`Incoming` asks of a mood: how often packets come, and what is wrong with them."""


def _lowbit(config, mask):
    """Return the index of the lowest one, LOCAL without any."""
    return (mask & -mask).bit_length() - 1 if mask else config.local


class Incoming:
    """The far end of a link: packets for the node, one after the other.

    Parameters
    ----------
    random
        What everything is drawn from.
    config : PacketConfig
        Parameters of the router.
    address, dimension : int
        The node, and the dimension of the link.
    """

    def __init__(self, random, config, address, dimension):
        self.random, self.config, self.address, self.dimension = random, config, address, dimension
        self.left = 0

    def head(self, mood):
        """Return a head as a neighbour sends it; by the mood one thing of it is wrong."""
        random, config, i = self.random, self.config, self.dimension
        contrary = config.contrary and i > 0 and chance(random, mood["contrary"])
        broadcast = not contrary and chance(random, mood["broadcast"])
        away = sparse(random, config.dim) & ~(1 << i)
        if contrary:
            away |= 1 << random.randrange(i)
        else:
            away &= -1 << i
        next_port = i + 1 if broadcast else _lowbit(config, away)
        head = {
            "contrary": int(contrary),
            "next_port": next_port,
            "length": 1 if chance(random, mood["short"]) else random.randint(1, config.max_words),
            "destination": self.address ^ (random.getrandbits(config.dim) | 1 << i if broadcast else away),
        }
        if chance(random, mood["malformed"]):
            kind = random.choice(("length", "destination", "next_port", "contrary", "triangle"))
            if kind == "length":
                above = range(config.max_words + 1, 1 << config.length_bits)
                head["length"] = random.choice((0, above[0], random.choice(above)) if above else (0,))
            elif kind == "destination":
                head["destination"] |= 1 << random.randrange(config.dim, config.width)
            elif kind == "next_port":
                head["next_port"] = random.choice((random.getrandbits(PORT_BITS), random.randrange(config.ports)))
            elif kind == "contrary":
                head["contrary"] ^= 1
            else:
                away |= 1 << random.randrange(config.dim)
                away &= ~(1 << i)
                contrary = random.getrandbits(1)
                head |= {"destination": self.address ^ away, "next_port": _lowbit(config, away), "contrary": contrary}
        return Head(**head)

    def next(self, mood, ready):
        """Return the values of the link in the next cycle: valid, head, data, cut_short.

        A head comes where the far end may send one (``ready``), words follow it; by the mood there are gaps,
        packets cut short, and now and then a head or a word where none belongs.
        """
        random, config = self.random, self.config
        noise = chance(random, mood["noise"])
        cut_short = chance(random, mood["cut_short"]) and (self.left > 0 or noise)
        new = chance(random, mood["start"]) and ready if not self.left else 0
        if noise:
            new = chance(random, 0.5)
        if new and not cut_short:
            head = self.head(mood)
            self.left = head.length
            return {"valid": 1, "head": 1, "data": head.encode(config), "cut_short": chance(random, mood["cut_short"])}
        data = random.getrandbits(config.head_bits)
        if cut_short:
            self.left = 0
            return {"valid": chance(random, 0.5), "head": chance(random, 0.3), "data": data, "cut_short": 1}
        valid = int(noise or (self.left > 0 and not chance(random, mood["gap"])))
        if valid and self.left:
            self.left -= 1
        return {"valid": valid, "head": 0 if valid else chance(random, 0.2), "data": data, "cut_short": 0}


def faults(config, inputs, free_rows, refusing):
    """Return the names of everything that is wrong with the head in this cycle."""
    head = Head.decode(config, inputs["data"])
    i, away = inputs["dimension"], inputs["address"] ^ head.destination & config.nodes - 1
    expected = i + 1 if away >> i & 1 else _lowbit(config, away)
    checks = {
        "length 0": head.length == 0,
        "length above the most": head.length > config.max_words,
        "stray destination bits": head.destination >= config.nodes,
        "not the port expected": head.next_port != expected,
        "contrary, but not its port": head.contrary and head.next_port > i,
        "not contrary, but its port": not head.contrary and head.next_port < i,
        "contrary, where none exist": head.contrary and not config.contrary,
        "no row": not free_rows,
        "refused": head.contrary and refusing,
    }
    return [name for name, wrong in checks.items() if wrong]


def stimulus(random, config):
    """Send packets of every kind; rows, links and the reset come and go as they like, the straps with a reset."""
    drawing = moods(
        random,
        40,
        **MOODS,
        rows=(0.0, 0.3),
        cut=(0.0, 0.0, 0.1),
        repair=(0.3, 1.0),
        hasty=(0.0, 0.3),
        reset=(0.0, 0.0, 0.03),
    )
    while True:
        address, dimension = random.getrandbits(config.dim), random.randrange(config.dim)
        far = Incoming(random, config, address, dimension)
        change = {"rst": 0, "address": address, "dimension": dimension, "free_rows": config.rows}
        rst = cut = ready = 0
        while not rst:
            mood = next(drawing)
            cut = int(not chance(random, mood["repair"]) if cut else chance(random, mood["cut"]))
            change |= far.next(mood, ready or chance(random, mood["hasty"]))
            if cut and chance(random, mood["hasty"]):
                change |= random.choice(({"cut_short": 1, "valid": 0}, {"valid": 1, "head": 1}))
            if chance(random, 0.2):
                few = random.choice((0, 1, 1, random.randint(0, config.rows), config.rows))
                change["free_rows"] = few if chance(random, mood["rows"]) else config.rows
            rst = chance(random, mood["reset"])
            outputs = yield change | {
                "rst": rst,
                "cut": cut,
                "calm": chance(random, 0.7),
                "ram_row": random.randrange(config.rows),
                "all_contrary": chance(random, 0.7),
            }
            ready = outputs["ready"]
            change = {}


def watch(inputs, outputs, twin):
    """Name what heads are taken or why not, and how packets go on and end."""
    config = twin.config
    left = vars(twin).get("noted") or 0
    valid, head, cut, cut_short = (inputs[name] for name in ("valid", "head", "cut", "cut_short"))
    yield "ready" if outputs["ready"] else "not calm" if not inputs["calm"] else "not ready"
    if outputs["ready"] and not inputs["free_rows"]:
        yield "ready without a row, cut"
    if outputs["refusing"]:
        yield "refusing"
    if inputs["rst"] and (left or outputs["load"]):
        yield "reset"
    if outputs["report"]:
        yield PacketReason(outputs["reason"]).name
    if left:
        if cut:
            yield from ("cut", "cut and a head" if valid and head else "cut and cut short" if cut_short else "cut")
            left = 0
        elif cut_short:
            yield "cut short and a head" if valid and head else "cut short and a word" if valid else "cut short"
            left = 0
        elif valid and head:
            yield "head within a packet"
            left = 0
        elif valid:
            left -= 1
            yield "word" if left else "final word"
        else:
            yield "gap"
    elif valid and head:
        wrong = faults(config, inputs, inputs["free_rows"], outputs["refusing"])
        decoded = Head.decode(config, inputs["data"])
        if cut:
            yield "head over a cut link"
        elif wrong:
            yield f"malformed: {wrong[0]}" if len(wrong) == 1 else "malformed in several ways"
            if wrong == ["length above the most"] and decoded.length == config.max_words + 1:
                yield "malformed: one word too many"
        else:
            broadcast = (inputs["address"] ^ decoded.destination) >> inputs["dimension"] & 1
            yield "head of a broadcast" if broadcast else "head of a unicast"
            yield "head for the node" if decoded.next_port == config.local else "head for a link"
            if decoded.contrary:
                yield "contrary head"
            if decoded.length == 1:
                yield "packet of one word"
            if cut_short:
                yield "head, and cut short of nothing"
            left = decoded.length
    elif valid:
        yield "word without a packet"
    elif cut_short:
        yield "cut short of nothing"
    recall(twin, 0 if inputs["rst"] else left)


def events(config, extra, options):
    """Return what can happen with these packets and routings."""
    happen = ["ready", "not calm", "not ready", "reset", "final word", "cut", "cut and a head", "cut and cut short"]
    happen += ["cut short", "cut short and a head", "cut short and a word", "head within a packet", "gap"]
    happen.append("head over a cut link")
    happen += ["malformed: length 0", "malformed: stray destination bits", "malformed: not the port expected"]
    happen += ["malformed: no row", "malformed in several ways", "head of a broadcast", "head of a unicast"]
    happen += ["head for the node", "head for a link", "packet of one word", "head, and cut short of nothing"]
    happen += ["word without a packet", "cut short of nothing", "ready without a row, cut"]
    happen += [PacketReason.LINK_PROTOCOL.name, PacketReason.TRUNCATED.name, PacketReason.INPUT_CUT.name]
    if config.max_words > 1:
        happen.append("word")
    if config.max_words + 1 < 1 << config.length_bits:
        happen += ["malformed: length above the most", "malformed: one word too many"]
    if config.contrary:
        happen += ["contrary head", *(["refusing", "malformed: refused"] if config.contrary_rule else [])]
        happen.append("malformed: contrary, but not its port")
    else:
        happen.append("malformed: contrary, where none exist")
    happen.append("malformed: not contrary, but its port")
    return tuple(happen)


BENCH = Bench(
    unit="packet.input_controller:InputController",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.packet.contract.unruled:UnruledConfig",
)
