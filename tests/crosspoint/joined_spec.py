"""What two routers that are joined have to promise: a word that enters leaves, once."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import queue_shape
from cubecast.golden.crosspoint.contract.word import inputs_of, kept, outputs_of
from cubecast.rtl.crosspoint.router import CrosspointRouter
from tests.harness.altered import Altered
from tests.harness.inside import opened, register, row
from tests.harness.spec import drive

__all__ = ["JoinedSpec"]


class JoinedSpec(wiring.Component):
    """Two whole routers, every link of one joined to the same link of the other: no word is lost, none is doubled.

    Both nodes offer anything, and take words whenever they like; a header is relative to its source, so a packet may
    cross the links as often as it can in a cube. One word that gets past the checks of an injection port, of any
    packet, is marked, in bit 0 of its data; the other bits are 0, which nothing looks at.

    - The mark leaves once, at one of the ejection ports, and not before it has entered.
    - While it is inside it is at one place: once no word is in any queue and none is at an ejection port, it has left.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers: no multicast, no faults, no registers on links, P = 2, ``pause_limit`` 0.
    unit : class
        The router; a broken one must be refuted.
    """

    def __init__(self, config: CrosspointConfig, unit=CrosspointRouter):
        self.config, self.unit = config, unit
        super().__init__({})

    def elaborate(self, platform):
        """Join the routers, mark a word, and find it in every cycle."""
        m = Module()
        self.join(m)
        entering, leaving = self._ports(m)
        entered, left = Signal(), Signal()
        m.d.sync += [entered.eq(entered | entering.any()), left.eq(left | leaving.any())]
        queues = self.queues()
        ports = Cat(router.eject.valid for router in self.routers)
        there = [marked for queue in queues for marked in queue.marks()]
        there += [router.eject.valid & router.eject.data[0] for router in self.routers]
        m.d.comb += [
            Assume((entering & (entering - 1) == 0) & ~(entered & entering.any())),
            Assert(~leaving.any() | (entered & ~left & (leaving & (leaving - 1) == 0))),
            Assert(Cat(queue.ne for queue in queues).any() | ports.any() | (left == entered)),
            Cover(leaving[0] & Cat(queue.count == queue.depth for queue in queues).any()),
        ]
        if not self.inside:
            m.d.comb += [Assert(sum(there) == (entered & ~left)), Assert(entered | ~left)]
            self._invariants(m, queues)
        return m

    def join(self, m):
        """Make two routers parts of the specification, each link of one joined to that of the other."""
        self.routers = [self.unit(self.config) for _ in range(2)]
        self.fragments = [opened(router) for router in self.routers]
        m.submodules.zero, m.submodules.one = self.fragments
        self.inside = ("inner",) if issubclass(self.unit, Altered) else ()
        for here, there in (self.routers, self.routers[::-1]):
            for leaves, enters in zip(here.link_out, there.link_in, strict=True):
                wiring.connect(m, leaves, enters)

    def queues(self):
        """Return the queues of both routers."""
        places = [(i, j) for i in range(self.config.ports) for j in outputs_of(self.config, i)]
        return [Queue(self, number, i, j) for number in range(2) for i, j in places]

    def _ports(self, m):
        """Drive the nodes' ports; return where the mark enters, and where it leaves."""
        entering, leaving = Signal(2), Signal(2)
        for number, router in enumerate(self.routers):
            inject, eject = router.inject, router.eject
            drive(m, inject.valid, inject.last, inject.error, inject.r1, inject.r2, inject.kind, eject.ready)
            mark = AnySeq(1)
            m.d.comb += [
                inject.data.eq(mark),
                entering[number].eq(mark & self.injection(number).push.any()),
                leaving[number].eq(eject.valid & eject.ready & eject.data[0]),
            ]
        return entering, leaving

    def injection(self, number):
        """Return the injection unit of a router."""
        fragment = self.fragments[number]
        for name in (*self.inside, "injection"):
            fragment = fragment.find_subfragment(name)
        return fragment.origins[0]

    def _invariants(self, m, queues):
        """Make it inductive: which packets are under way, what their headers can be, and how much room there is."""
        config = self.config
        n, limit = config.dim, config.packet_limit
        for queue in queues:
            last = Const(0, 1)
            for age, word in enumerate(queue.words):
                there = queue.count > age
                head = ~queue.locked if age == 0 else last
                last = word[config.width]
                m.d.comb += Assert(~there | head | last)
                if queue.j < n:
                    m.d.comb += Assert(~there | ~head | self._legal(queue, word))
                    m.d.comb += Assert(~there | self._ends(queue, word))
            held = self._holds(queue)
            newest = Array(word[config.width] for word in queue.words)[(queue.count - 1)[:2]]
            m.d.comb += [
                Assert(queue.ne == (queue.count != 0)),
                Assert((queue.read_row + queue.count)[: len(queue.read_row)] == queue.write_row),
                Assert(queue.count + Mux(held, limit - 1, 0) <= queue.depth),
                Assert(Mux(queue.ne, ~newest, queue.locked) == held),
                Assert(~self._flag(queue) | (queue.count <= queue.depth - limit)),
            ]
        for number in range(2):
            for j in range(n + 1):
                column = "ejection" if j == n else f"output_{j}"
                lock, busy = (self.register(number, column, name) for name in ("lock", "busy"))
                m.d.comb += [Assert((lock & (lock - 1)) == 0), Assert(busy == lock.any())]
                if j < n:
                    hold = self.register(number, column, "hold")
                    queued = sum(1 << k for k in outputs_of(config, j))
                    m.d.comb += [
                        Assert((hold & (hold - 1)) == 0),
                        Assert((hold & ~queued) == 0),
                        Assert(busy == hold.any()),
                    ]
            hold, inside, count = (self.register(number, "injection", name) for name in ("hold", "inside", "count"))
            m.d.comb += [
                Assert((hold & (hold - 1)) == 0),
                Assert(~hold.any() | (inside & (count == limit - 1))),
            ]

    def register(self, number, *path):
        """Return a register of a router."""
        return register(self.fragments[number], *self.inside, *path)

    def _holds(self, queue):
        """Return whether whoever writes into a queue is within a packet for it."""
        if queue.i == self.config.dim:
            return self.register(queue.number, "injection", "hold")[queue.j]
        return self.register(1 - queue.number, f"output_{queue.i}", "hold")[queue.j]

    def _flag(self, queue):
        """Return whether a flag lets a packet into a queue."""
        if queue.i == self.config.dim:
            return self.register(queue.number, "injection", "open_flag")
        flags = self.register(queue.number, f"input_{queue.i}", "ready")
        return flags | self.register(queue.number, f"input_{queue.i}", "ready_up") if queue.j > queue.i else flags

    def _legal(self, queue, word):
        """Return whether a header can be one that stands in a queue to a link.

        In the first run the highest bit of r1 is the link's; with r1 empty, the second run begins there. Neither turns
        back. Behind that, and with one run, any header can be there.
        """
        i, j, n = queue.i, queue.j, self.config.dim
        if i < j or self.config.runs == 1:
            return Const(1, 1)
        low = self.config.width + 2
        r1, r2 = word[low : low + j + 1], word[low + j + 1 : low + j + 1 + n]
        turns = Cat(r1[k] & ~r1[:k].any() & r2[k] & ~r2[:k].any() for k in range(j + 1)).any()
        return Mux(r1.any(), r1[j] & ~turns, r2[j] & ~r2[:j].any())

    def _ends(self, queue, word):
        """Return whether what a queue keeps of a word's runs, over and turns, is what r1 and r2 beside it say."""
        j, keeps, n = queue.j, kept(self.config, queue.i, queue.j), self.config.dim
        if not keeps.over:
            return Const(1, 1)
        low = self.config.width + 2
        r1, r2 = word[low : low + keeps.r1], word[low + keeps.r1 : low + keeps.r1 + keeps.r2]
        over = r1[:j] == 0
        if not keeps.turns:
            return word[-1] == over
        left = Cat(r2[k] & (r1[j] if k == j else 1) for k in range(n))
        return word[-2:] == Cat(over, over & (left != 0))


class Queue:
    """A queue of one of the routers, as its inside shows it.

    Parameters
    ----------
    spec : JoinedSpec
        The routers.
    number : int
        Which one.
    i, j : int
        Its input and output.
    """

    def __init__(self, spec, number, i, j):
        self.number, self.i, self.j = number, i, j
        fragment, path = spec.fragments[number], (*spec.inside, f"queue_{i}_{j}")
        self.depth = queue_shape(spec.config, i, j).depth
        self.read_row, self.write_row, self.count, self.ne = (
            register(fragment, *path, name) for name in ("read_row", "write_row", "count", "ne")
        )
        rows = [(self.read_row + age)[: len(self.read_row)] for age in range(self.depth)]
        self.words = [row(fragment, *path, "words", address=address) for address in rows]
        column = "ejection" if j == spec.config.dim else f"output_{j}"
        self.locked = spec.register(number, column, "lock")[inputs_of(spec.config, j).index(i)]

    def marks(self):
        """Return for each place whether the mark is there."""
        return [(self.count > age) & word[0] for age, word in enumerate(self.words)]
