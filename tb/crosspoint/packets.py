"""Packets that a node sends: legal ones of every kind, and illegal ones of every reason."""

from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.tb.common.patterns import chance, sparse

__all__ = ["destinations", "header", "illegal_header", "packet", "reasons"]

SPREAD = 0x9E3779B1
"""Times this, a word's tag gives the bits that it does not reach by itself, the same ones every 32 bits.

The lowest bits of the product are left out, which are those of the place alone.
"""

TAG_BITS = 16
"""Bits of a word that its tag is seen in."""


def header(random, config):
    """Return r1, r2, kind and, for a bitmap, the first word (else None) of a legal packet."""
    n, b = config.dim, config.bitmap_dims
    while True:
        kind = random.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP)) if config.multicast else 0
        r1, r2 = sparse(random, n), sparse(random, n)
        if kind == Kind.UNICAST:
            r2 = r2 if config.runs == 2 else 0
            if (r1 or r2) and not (r1 and r2 and r1 & -r1 == r2 & -r2):
                return r1, r2, int(kind), None
        elif kind == Kind.SUBCUBE:
            r2 &= ~r1
            if r1 | r2:
                return r1, r2, int(kind), None
        else:
            r1 = r1 >> b << b
            bitmap = sparse(random, 1 << b) & ~(not r1)
            if bitmap:
                return r1, 0, int(kind), bitmap


def illegal_header(random, config):
    """Return r1, r2, kind and the first word (None: any) of a packet that goes nowhere."""
    n, b = config.dim, config.bitmap_dims
    some = 1 << random.randrange(n)
    found = [(0, 0, 0, None), (random.getrandbits(n), random.getrandbits(n), 3, None)]
    found.append((some, some, 0, None) if config.runs == 2 else (sparse(random, n), some, 0, None))
    if config.multicast:
        found += [(some, some | sparse(random, n), 1, None), (0, 0, 1, None), (0, some, 2, 2), (0, 0, 2, 0)]
        found += [(1 << random.randrange(b), 0, 2, 2), (0, 0, 2, 1 | sparse(random, 1 << b))]
        if config.width > 1 << b:
            found.append((0, 0, 2, 2 | 1 << random.randrange(1 << b, config.width)))
    else:
        found.append((some, 0, random.randrange(1, 3), None))
    return random.choice(found)


def packet(random, config, number, illegal=0.0, long=0.0):
    """Return the words of a packet as dicts of data, last, error, r1, r2 and kind; data tell packet and place.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the router.
    number : int
        Of the packet; its low bits are in every word but a bitmap.
    illegal, long : float
        Probability of a header that goes nowhere, and of more words than there may be.
    """
    r1, r2, kind, first = illegal_header(random, config) if chance(random, illegal) else header(random, config)
    limit = config.packet_limit
    count = (
        limit + random.randint(1, 3) if chance(random, long) else random.choice((1, random.randint(1, limit), limit))
    )
    low = min(4, config.width - 2)
    every = sum(1 << bit for bit in range(TAG_BITS, config.width, 32))
    words = []
    for place in range(count):
        tag = number << low | place % (1 << low)
        data = (tag & (1 << TAG_BITS) - 1 | (tag * SPREAD >> 8 & 0xFFFFFFFF) * every) & (1 << config.width) - 1
        if place == 0 and first is not None:
            data = first
        last = int(place == count - 1)
        words.append({"data": data, "last": last, "error": 0, "r1": r1, "r2": r2, "kind": kind})
    return words


def destinations(config, source, word):
    """Return the nodes that a legal packet with this head goes to."""
    r1, r2, kind = word["r1"], word["r2"], word["kind"]
    if kind == Kind.UNICAST:
        return {source ^ r1 ^ r2}
    if kind == Kind.SUBCUBE:
        found = {source ^ r1 ^ x for x in range(config.nodes) if not x & ~r2}
    else:
        found = {source ^ r1 ^ x for x in range(config.bitmap_bits) if word["data"] >> x & 1}
    return found - {source}


def reasons(config):
    """Return why heads can be illegal with these parameters."""
    found = [CrosspointReason.EMPTY, CrosspointReason.BAD_KIND]
    found.append(CrosspointReason.TURN_BACK if config.runs == 2 else CrosspointReason.SECOND_RUN)
    if config.multicast:
        found += [CrosspointReason.BAD_SET, CrosspointReason.OWN_SOURCE]
        if config.width > config.bitmap_bits:
            found.append(CrosspointReason.ADDRESS_BITS)
    return found
