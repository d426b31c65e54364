"""What a whole packet router has to promise, beside what its units do."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.rtl.packet.router import PacketRouter
from tests.harness.inside import register, unit
from tests.harness.spec import Spec, drive

__all__ = ["PacketRouterSpec"]


class PacketRouterSpec(Spec):
    """No packet is doubled, changed or sent astray, none is dropped or waits for ever, and the books balance.

    Neighbours are faithful and otherwise free: they send a head when ``ready`` was seen since the one before, contrary
    ones only while none is refused, then its words. So is the node, whose packets are unicasts in a slot that leads
    closer. No link is faulty.

    - A word chosen at will, which alone has a mark, leaves once at most, behind a head with its packet's destination,
      and by a port that leads there.
    - What faithful neighbours do, the router does: its heads say what they have to, and wait as long as they have to,
      contrary ones for a cycle in which none is refused, since the head before.
    - The packets that came in, less those that went out, are those in rows and banks; there is no report.
    - With a ``bound``, this alone: if the node injects packets without gaps, and neighbours and node always take what
      leaves, the word has left after so many cycles.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router: parallel links, without ``fault_tolerant``, packets of two words.
    bound : int, or None
        Cycles from the one in which the word comes.
    """

    unit = PacketRouter

    def __init__(self, config, unit=None, bound=None):
        self.bound = bound
        super().__init__(config, unit)

    def elaborate(self, platform):
        """Drive all ports, and follow the mark."""
        m = Module()
        dut, n = self.place(m), self.config.dim
        self.address = address = Signal(n)
        m.d.comb += [address.eq(AnyConst(n)), dut.address.eq(address)]
        self.destination = Signal(n)
        enters, leaves = [], []
        for j in range(n):
            enters.append(self._link_in(m, j))
            leaves.append(self._link_out(m, j))
        enters.append(self._inject(m))
        leaves.append(self._eject(m))
        came, went = Signal(), Signal()
        comes, goes = Cat(enter[0] for enter in enters), Cat(leave[0] for leave in leaves)
        m.d.comb += [
            Assume((comes & (comes - 1)) == 0),
            Assume(~(came & comes.any())),
        ]
        m.d.sync += [came.eq(came | comes.any()), went.eq(went | goes.any())]
        if self.bound is not None:
            age = Signal(range(self.bound + 2))
            with m.If(came & ~went & (age <= self.bound)):
                m.d.sync += age.eq(age + 1)
            m.d.comb += [Assert(age <= self.bound), Cover(went & (age > 8))]
            return m
        m.d.comb += [
            Assert(~goes.any() | (came & ~went)),
            Assert((goes & (goes - 1)) == 0),
            Assert(~dut.report.valid),
            Cover(went),
        ]
        for enter, destination in enters:
            with m.If(enter):
                m.d.sync += self.destination.eq(destination)
        for leave, destination, closer in leaves:
            m.d.comb += Assert(~leave | ((destination == self.destination) & closer))
        self._books(m)
        return m

    def _link_in(self, m, j):
        """Send what a faithful neighbour may send; return whether the mark comes, and its packet's destination."""
        link = self.dut.link_in[j]
        drive(m, link.valid, link.head, link.data)
        faithful, contrary, marked, goal = self._faithful(m, link, j, self.address, "in")
        m.d.comb += [Assume(faithful), Assume(~(contrary & link.refusing))]
        return marked, goal

    def _link_out(self, m, j):
        """Look at what leaves; return whether the mark does, its packet's destination, and whether that is closer."""
        link = self.dut.link_out[j]
        if self.bound is None:
            drive(m, link.ready, link.refusing)
        else:
            m.d.comb += [link.ready.eq(1), link.refusing.eq(0)]
        faithful, contrary, marked, goal = self._faithful(m, link, j, self.address ^ (1 << j), "out")
        unrefused = Signal(name=f"unrefused_{j}")
        m.d.sync += unrefused.eq(Mux(link.valid & link.head, 0, unrefused | ~link.refusing))
        if self.bound is None:
            m.d.comb += [Assert(faithful), Assert(~contrary | unrefused)]
        return marked, goal, (goal ^ self.address)[j]

    def _faithful(self, m, link, j, receiver, way):
        """Return whether a link of dimension ``j`` has what its receiver counts on; and what it has.

        That is a contrary head, and the mark, with its packet's destination.
        """
        config, n = self.config, self.config.dim
        ready, second = (Signal(name=f"{name}_{way}_{j}") for name in ("ready", "second"))
        left, goal = Signal(2, name=f"left_{way}_{j}"), Signal(n, name=f"goal_{way}_{j}")
        contrary, length = link.data[-1], link.data[config.width :][: config.length_bits]
        port, to = link.data[config.width + config.length_bits :][:PORT_BITS], link.data[:n]
        differs = to ^ receiver
        lowest = n
        for i in reversed(range(n)):
            lowest = Mux(differs[i], i, lowest)
        head = link.valid & link.head
        m.d.sync += [
            ready.eq(Mux(head, 0, ready | link.ready)),
            second.eq(link.valid & ~link.head),
        ]
        with m.If(head):
            m.d.sync += [left.eq(length), goal.eq(to)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        says = ~differs[j] & (link.data[n : config.width] == 0) & (length != 0) & (length <= config.max_words)
        says = says & (port == lowest) & (contrary == (port < j))
        faithful = (link.valid == ((left != 0) | head)) & (~head | (says & (left == 0) & ready))
        return faithful, head & contrary, link.valid & ~link.head & second & link.data[0], goal

    def _inject(self, m):
        """Inject unicasts, one after the other; return as for a link."""
        inject, config, n = self.dut.inject, self.config, self.config.dim
        drive(m, inject.valid, inject.data, inject.last, inject.slots)
        index, goal, slots = Signal(2), Signal(n), Signal(n)
        moved = inject.valid & ((inject.slots & ~inject.ready) == 0)
        m.d.comb += [
            Assume(~inject.valid | (inject.slots & (inject.slots - 1) == 0) & (inject.slots != 0)),
            Assume(~(inject.valid & (index == 0)) | ((inject.slots & (inject.data[:n] ^ self.address)) != 0)),
            Assume(~(inject.valid & (index == 0)) | (inject.data[n:] == 0)),
            Assume(~(inject.valid & (index != 0)) | (inject.slots == slots)),
            Assume(~inject.valid | (inject.last | (index < config.max_words - 1))),
        ]
        if self.bound is not None:
            m.d.comb += Assume(inject.valid | (index == 0))
        with m.If(moved):
            m.d.sync += index.eq(Mux(inject.last, 0, index + 1))
        with m.If(moved & (index == 0)):
            m.d.sync += [goal.eq(inject.data), slots.eq(inject.slots)]
        return moved & (index == 1) & inject.data[0], goal

    def _eject(self, m):
        """Look at what the node gets; return as for a link."""
        eject, n = self.dut.eject, self.config.dim
        if self.bound is None:
            drive(m, eject.ready)
        else:
            m.d.comb += eject.ready.eq(1)
        index, goal = Signal(2), Signal(n)
        moved = eject.valid & eject.ready
        if self.bound is None:
            m.d.comb += Assert(~moved | ~eject.error)
        with m.If(moved):
            m.d.sync += index.eq(Mux(eject.last, 0, index + 1))
        with m.If(moved & (index == 0)):
            m.d.sync += goal.eq(eject.data)
        return moved & (index == 2) & eject.data[0], goal, goal == self.address

    def _books(self, m):
        """Compare what the counters are told with what is inside."""
        n = self.config.dim
        told, rows, banks = Signal(8), [], []
        control = self._unit("control_port")
        m.d.sync += told.eq(told + sum(control.message_in) - sum(control.message_out))
        for i in range(n):
            rows += [*register(self.fragment, *self.inside, f"pbu_{i}", "cam", "occupied")]
            banks += [*register(self.fragment, *self.inside, "node_output_port", f"slot_{i}", "_filled")]
        m.d.comb += Assert(told == sum(rows) + sum(banks))

    def _unit(self, *path):
        """Return a unit of the router, for its ports."""
        return unit(self.fragment, *self.inside, *path)
