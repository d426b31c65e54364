"""Messages that a node sends: legal ones of every kind, and illegal ones of every reason; and packets that come in."""

import functools

from cubecast.golden.adapter.contract.word import header_places, tag_places
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.common.patterns import chance, sparse

__all__ = ["header", "message", "packet", "tag"]


def header(config, kind, node, mask=0):
    """Return the header of a message."""
    fields = zip(header_places(config).values(), (node, mask, kind), strict=True)
    return sum(value << place.low for place, value in fields)


def tag(config, **fields):
    """Return the tag of a packet; fields that are not named are 0."""
    places = tag_places(config)
    return sum((value & (1 << places[name].width) - 1) << places[name].low for name, value in fields.items())


def message(random, config, address, illegal=0.0, data=None):
    """Return the words of a message as data, last and error.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the node.
    address : int
        Of the sender.
    illegal : float
        Probability of a message that goes nowhere.
    data : sequence of int, optional
        Its words of data; default: random ones, of up to four packets.
    """
    n, b, limit = config.dim, config.router.bitmap_dims, config.router.packet_limit
    kind = random.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP))
    node, mask = random.randrange(config.nodes), sparse(random, n)
    if kind == Kind.UNICAST and node == address:
        node ^= 1 << random.randrange(n)
    if kind == Kind.SUBCUBE and node == address:
        mask = mask or 1
    rows = []
    if kind == Kind.BITMAP:
        shape = random.choice(("few", "many", "many", "subcube", "half", "half"))
        draw = random.getrandbits if shape == "many" else functools.partial(sparse, random)
        rows = [draw(1 << b) for _ in range(config.rows)]
        if shape in ("subcube", "half"):
            # A subcube, or all but one of the half of the cube that the sender is not in.
            apart = 1 << random.randrange(n)
            base, free = (node, random.getrandbits(n)) if shape == "subcube" else (address ^ apart, ~apart)
            named = sum(1 << x for x in range(config.nodes) if not (x ^ base) & ~free)
            named ^= 1 << (base ^ (random.randrange(config.nodes) & free)) if shape == "half" else 0
            rows = [named >> (row << b) & (1 << (1 << b)) - 1 for row in range(config.rows)]
        own = config.rows * [0]
        own[address >> b] = 1 << address % (1 << b)
        if not any(row & ~bit for row, bit in zip(rows, own, strict=True)):
            rows[address >> b] |= own[address >> b] ^ 1 << (address ^ 1) % (1 << b)
    if data is None:
        count = random.choice((1, 2, limit - 1, limit, random.randint(1, 4 * limit)))
        data = [random.getrandbits(config.width) for _ in range(count)]
    words = [header(config, kind, node, mask), *rows, *data]
    if chance(random, illegal):
        words = _spoilt(random, config, address, words)
    ends = [{"data": word, "last": 0, "error": chance(random, 0.2)} for word in words]
    ends[-1]["last"] = 1
    return ends


def _spoilt(random, config, address, words):
    """Return the words of a message that is illegal."""
    n, b, w = config.dim, config.router.bitmap_dims, config.width
    data, rows = words[-1:], [sparse(random, 1 << b) for _ in range(config.rows)]
    list_of = header(config, Kind.BITMAP, random.randrange(config.nodes))
    own = [0] * config.rows
    own[address >> b] = random.getrandbits(1) << address % (1 << b)
    found = [
        words[:1],
        [list_of, *rows[: random.randint(0, config.rows)]],
        [header(config, 3, random.randrange(config.nodes)), *data],
        [header(config, Kind.UNICAST, address, sparse(random, n)), *data],
        [header(config, Kind.SUBCUBE, address), *data],
        [list_of, *own, *data],
    ]
    if w > 2 * n + 2:
        found.append([words[0] | 1 << random.randrange(2 * n + 2, w), *data])
    if w > 1 << b:
        rows[random.randrange(config.rows)] |= 1 << random.randrange(1 << b, w)
        found.append([list_of, *rows, *data])
    return random.choice(found)


def packet(random, config, address, elsewhere=0.0):
    """Return the words of a packet that comes in, as data, last, error and kind; it may have been ended early.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the node.
    address : int
        Of the node.
    elsewhere : float
        Probability of a unicast whose tag names another node.
    """
    limit = config.router.packet_limit
    kind = random.choice(tuple(Kind)) if config.router.multicast else Kind.UNICAST
    if kind == Kind.BITMAP and not config.bitmaps:
        kind = Kind.SUBCUBE
    destination = address if kind == Kind.UNICAST else 0
    if chance(random, elsewhere):
        kind, destination = Kind.UNICAST, address ^ random.randrange(1, config.nodes)
    fields = {"destination": destination, "source": random.randrange(config.nodes), "path": sparse(random, config.dim)}
    fields["ordinal"] = random.randrange(1 << config.ordinal_bits)
    first = tag(config, **fields, first=random.getrandbits(1), final=random.getrandbits(1))
    words = [first, *(random.getrandbits(config.width) for _ in range(random.randint(1, limit - 1)))]
    if kind == Kind.BITMAP:
        words = [random.getrandbits(config.router.bitmap_bits), *words][:limit]
    ended = chance(random, 0.1)
    if ended:
        words = words[: random.randint(1, len(words))]
    shown = [{"data": word, "last": 0, "error": 0, "kind": int(kind)} for word in words]
    shown[-1] |= {"last": 1, "error": int(ended or chance(random, 0.1))}
    return shown
