"""Everybody around one node with collectives: neighbours and ring members that do what the node's tables say."""

from collections import deque

from cubecast.golden.collective.contract.bundles import COUNT_BITS
from cubecast.golden.collective.contract.registers import Register, entries
from cubecast.golden.collective.contract.segment import Kind
from cubecast.tb.collective.messages import STRANGE, arrival, noise, segments
from cubecast.tb.common.patterns import chance, sparse

__all__ = ["Peer", "Plan"]

MOST_ENDS = (1 << COUNT_BITS) - 1
"""The greatest number in a register ENDS."""


class Plan:
    """Tables of one operation of one node, and who has a part in it.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CollectiveConfig
        Parameters of the node.
    ring : int
        Whether it is a ring rather than a merge.
    length : int
        Words of the vector that the host gives next.
    enabled : float
        Probability that the local port belongs to the collectives.
    many : float
        Probability that a merge has as many pieces as can come; if not 0, places that nobody looks at are any.
    """

    def __init__(self, random, config, ring, length, enabled=1.0, many=0.0):
        n, most = config.dim, config.max_relays
        self.layout = entries(config)
        self.ring, self.length = ring, length
        self.receive = random.choice((0, sparse(random, n)))
        self.ends = [random.choice((0, 0, 0, 1, 2)) for _ in range(n)]
        # Their pieces are short, see Peer.
        self.many = bool(many and not ring and chance(random, many))
        if self.many:
            self.receive, self.ends = (1 << n) - 1, [MOST_ENDS] * n
        self.expected = self.receive.bit_count() + sum(self.ends)
        self.sends = random.choice((0, 1, random.randint(0, n)))
        self.dimensions = random.sample(range(n), n)
        self.places = sorted(random.randint(0, length) for _ in range(n))
        if many:
            # The first piece is at zero whatever its register says, and there are no more pieces than are sent.
            for i in (0, *range(max(1, self.sends), n)):
                self.places[i] = random.getrandbits(16)
        self.stage, self.result, self.spread = random.randrange(n), random.randrange(3), sparse(random, n)
        self.empty, self.operation = chance(random, 0.15), 0
        relays = random.choice((0, min(1, most), random.randint(0, min(most, 4))))
        others = [j for j in range(n) if not self.receive >> j & 1]
        self.relays = []
        for _ in range(relays):
            first = int(bool(others) and chance(random, 0.5))
            come = random.choice(others if first else range(n))
            self.relays.append((come, random.randrange(n), first, random.getrandbits(1)))
        self.enable = chance(random, enabled)
        self.own, self.next_member = chance(random, 0.7), random.getrandbits(n)
        if ring:
            self.expected = random.choice((0, 1, 2, 4)) or int(not self.own)
        self.way, self.detour = random.choice((1, random.getrandbits(8))), chance(random, 0.3)

    @property
    def command(self):
        """Return what is written to COMMAND."""
        fields = {"ring": self.ring, "operation": self.operation, "result": self.result, "empty": self.empty}
        return self.layout["COMMAND"].pack(start=1, **fields)

    def writes(self):
        """Return the addresses and values of the registers."""
        layout = self.layout
        table = {
            Register.RECEIVE: self.receive,
            Register.EXPECT: self.expected,
            Register.SENDS: layout["SENDS"].pack(count=self.sends, stage=self.stage, way=self.way, detour=self.detour),
            Register.SPREAD: self.spread,
            Register.RELAYS: len(self.relays),
            Register.NEXT: layout["NEXT"].pack(member=self.next_member, own=self.own),
        }
        table[Register.ENABLE] = self.enable
        table |= {Register.ENDS + j: count for j, count in enumerate(self.ends)}
        pieces = zip(self.dimensions, self.places, strict=True)
        table |= {
            Register.SEND + i: layout["SEND"].pack(dimension=j, place=place) for i, (j, place) in enumerate(pieces)
        }
        for e, (come, to, first, end) in enumerate(self.relays):
            table[Register.RELAY + e] = layout["RELAY"].pack(**{"from": come}, to=to, first=first, end=end)
        return [(int(address), int(value)) for address, value in table.items()]


class Peer:
    """Sends what the node waits for, when the node has said that it takes it, and some that it does not.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CollectiveConfig
        Parameters of the node.
    address : int
        Of the node.
    """

    def __init__(self, random, config, address):
        self.random, self.config, self.address = random, config, address
        self.pieces, self.late = [], []
        self.plan = None
        self.waiting, self.left, self.result_sent, self.kind = 0, 0, False, None

    def begin(self, plan):
        """Take part in an operation from now on; pieces of the last one that have not gone out are forgotten."""
        random, kept, self.late = self.random, [], []
        self.plan, self.waiting, self.result_sent = plan, plan.receive, False
        self.left = plan.sends + len(plan.relays)
        if plan.ring:
            messages = []
            for _ in range(plan.expected):
                origin = random.choice((plan.next_member, random.getrandbits(self.config.dim)))
                messages += self._piece(Kind.RING, origin, self._words(self.config.max_vector))
            kept.append(deque(messages))
        else:
            for j in plan.dimensions[: plan.sends]:
                kept.append(deque([self._credit(Kind.CREDIT, j)]))
            for _, to, _, end in plan.relays:
                kept.append(deque([self._credit(Kind.END_CREDIT if end else Kind.RELAY_CREDIT, to)]))
            if chance(random, 0.5):
                # What is sent for a credit must wait for it, although one of the last operation was there.
                self.late, kept = kept, []
        self.pieces = kept

    def _words(self, most):
        """Return the words of a piece."""
        random, size = self.random, self.config.segment
        count = min(most, random.choice((0, 1, size, random.randint(0, 2 * size + 1), random.randint(0, most))))
        return [random.getrandbits(self.config.width) for _ in range(count)]

    def _piece(self, kind, place, words):
        """Return the messages of a piece."""
        random = self.random
        stage = self.plan.stage if chance(random, 0.7) else random.getrandbits(4)
        hops = random.choice((0, 1, random.getrandbits(8)))
        error = chance(random, 0.2) if kind == Kind.RING else 0
        return segments(random, self.config, kind, place, words, stage=stage, hops=hops, error=error)

    def _credit(self, kind, j):
        """Return the message with which the neighbour in dimension j gives a credit."""
        return kind, arrival(self.random, self.config, kind, self.address ^ 1 << j, hops=1)

    def _data(self):
        """Let a neighbour send a piece that is merged."""
        place = self.random.randint(0, self.plan.length)
        left = self.plan.length - place
        words = self._words(min(left, 1) if self.plan.many else left)
        if chance(self.random, 0.03):
            words = self._words(self.config.max_vector)
        self.pieces.append(deque(self._piece(Kind.DATA, place, words)))

    def sent(self, message):
        """Answer a message that the node has sent."""
        if message["error"] or self.plan is None or self.plan.ring:
            return
        self.left -= message["kind"] in (Kind.DATA, Kind.RELAY) and message["final"]
        for destination in message["destinations"]:
            j = (destination ^ self.address).bit_length() - 1
            # A list that the host makes up can hold the node's own address, which is in no dimension.
            if message["kind"] == Kind.CREDIT and j >= 0 and self.waiting >> j & 1:
                self.waiting &= ~(1 << j)
                self._data()
            elif message["kind"] in (Kind.CREDIT, Kind.RELAY_CREDIT):
                place = self.random.getrandbits(16)
                self.pieces.append(deque(self._piece(Kind.RELAY, place, self._words(self.config.max_vector))))
            elif message["kind"] == Kind.END_CREDIT:
                for _ in range(message["hops"]):
                    self._data()

    @property
    def may_merge(self):
        """Whether the node has sent all pieces: those who merge them can come to a result."""
        return self.left <= 0

    def awaited(self):
        """Send the result, once."""
        if not self.result_sent and self.plan is not None:
            self.result_sent = True
            count = self.plan.length + (chance(self.random, 0.1) if self.plan.length < self.config.max_vector else 0)
            words = [self.random.getrandbits(self.config.width) for _ in range(count)]
            self.pieces.append(deque(self._piece(Kind.RESULT, 0, words)))

    def next(self, alien):
        """Return the words of the next message, or none; ``alien``: probability of one that nobody waits for."""
        random = self.random
        if self.late and chance(random, 0.02):
            self.pieces.append(self.late.pop())
        self.pieces = [piece for piece in self.pieces if piece]
        if chance(random, alien):
            ring = self.plan is not None and self.plan.ring
            kind = random.choice([kind for kind in (*Kind, STRANGE) if ring or kind != Kind.RING])
            words = noise(random, self.config, kind)
        elif self.pieces:
            kind, words = random.choice(self.pieces).popleft()
        else:
            return []
        self.kind = kind
        return words
