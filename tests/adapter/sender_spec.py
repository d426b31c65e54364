"""What planner and emitter have to promise to the router."""

from types import SimpleNamespace

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.utils import bits_for

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.emitter import Emitter
from cubecast.rtl.adapter.planner import Planner
from tests.crosspoint.legal_head import is_legal
from tests.harness.inside import opened, register

__all__ = ["SenderSpec"]

WALK, HOP, READY, FAILED = 1, 3, 4, 5
"""States of the planner: a route is tried, a relay looked for, a route found, none found; 0: it has no job."""


class SenderSpec(wiring.Component):
    """Whatever is to be sent, faults, policy and random bits are, the router gets whole packets with legal headers.

    - A head is legal; ``golden/crosspoint/algorithms`` says which are.
    - Once offered, a word of a header, and everything beside the data, stays as it is until it is taken; from the head
      of a packet to its last word there is one in every cycle.
    - A packet has P words at most, ``error`` is beside ``last`` alone, and kind, r1 and r2 stay as in the head.

    What comes from chunker and relay store is as they promise: a chunk names somebody else than the node, has words for
    a packet, and stays until it is taken; a packet that is to be sent on is whole, and names another node.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node: n = 2; faults can be known.
    planner, emitter : class
        The designs to be checked; broken ones must be refuted.
    own : bool
        True: a chunk may name the node itself, which must be refuted.
    """

    def __init__(self, config: AdapterConfig, planner=Planner, emitter=Emitter, *, own=False):
        self.config, self.own = config, own
        self.planner, self.emitter = planner, emitter
        super().__init__({})

    def elaborate(self, platform):
        """Join the two, and follow the packet that is offered."""
        m = Module()
        config, router, limit = self.config, self.config.router, self.config.router.packet_limit
        planner, emitter = self.planner(config), self.emitter(config)
        m.submodules.planner = fragment = opened(planner)
        m.submodules.emitter = sends = opened(emitter)
        address = Signal(config.dim)
        m.d.comb += [address.eq(AnyConst(config.dim)), planner.address.eq(address), emitter.address.eq(address)]
        for unit in (planner, emitter):
            for path, member, port in unit.signature.flatten(unit):
                if member.flow == wiring.In and path[0] not in ("order", "address"):
                    m.d.comb += port.eq(AnySeq(len(port)))
        wiring.connect(m, planner.order, emitter.order)
        self._given(m, planner, emitter, address)

        inject = emitter.inject
        sent = Signal(bits_for(limit))
        route = Cat(inject.r1, inject.r2, inject.kind)
        fields = Cat(route, inject.last)
        waits, before, head = Signal(), Signal(len(fields)), Signal(len(route))
        moves = inject.valid & inject.ready
        m.d.sync += [waits.eq(inject.valid & ~inject.ready), before.eq(fields)]
        with m.If(moves):
            m.d.sync += [sent.eq(Mux(inject.last, 0, sent + 1)), head.eq(route)]
        order = emitter.order
        m.d.comb += [
            Assume(~order.relay | inject.last | ((sent < limit - 1) & ~inject.error)),
            Assume(~(order.relay & waits) | (inject.last == before[-1])),
            Assert(~inject.valid | (sent != 0) | is_legal(router, inject)),
            Assert(~waits | (inject.valid & (fields == before))),
            Assert((sent == 0) | (inject.valid & (route == head))),
            Assert(~inject.valid | inject.last | (sent < limit - 1)),
            Assert(~inject.valid | inject.last | ~inject.error),
            # The last word of the longest packet of each kind, and of one that is sent on.
            Cover(moves & inject.last & order.relay & (sent == limit - 1)),
            *(Cover(moves & inject.last & ~order.relay & (inject.kind == kind)) for kind in self._kinds),
        ]
        if self.planner is Planner and self.emitter is Emitter and not self.own:
            self._invariants(m, planner, fragment, register(sends, "sent"), sent)
        return m

    @property
    def _kinds(self):
        """The kinds of packets that there are."""
        return [Kind.UNICAST, *[Kind.SUBCUBE] * self.config.router.multicast, *[Kind.BITMAP] * self.config.bitmaps]

    def _given(self, m, planner, emitter, address):
        """Let chunks and packets be as chunker and relay store offer them."""
        config, limit = self.config, self.config.router.packet_limit
        chunk, relay = planner.chunk, planner.relay
        kept = Cat(getattr(chunk, name) for name in chunk.signature.members)
        offered, earlier = Signal(), Signal(len(kept))
        asked, towards = Signal(), Signal(config.dim)
        m.d.sync += [offered.eq(chunk.valid & ~planner.chunk_taken), earlier.eq(kept)]
        m.d.sync += [asked.eq(relay.valid & ~planner.relay_taken), towards.eq(relay.destination)]
        most = limit - 1 - ((chunk.kind == Kind.BITMAP) & ~chunk.serial)
        names_own = (chunk.node == address) & ((chunk.kind == Kind.UNICAST) | ~chunk.mask.any())
        m.d.comb += [
            Assume(~offered | (kept == earlier)),
            Assume(~asked | (relay.valid & (relay.destination == towards))),
            Assume(~relay.valid | (relay.destination != address)),
            Assume(~chunk.valid | ((chunk.count != 0) & (chunk.count <= most) & (chunk.kind != 3))),
            Assume(~chunk.valid | (chunk.kind == Kind.BITMAP) | ~names_own | self.own),
            Assume(~chunk.valid | ~(chunk.serial & (chunk.kind == Kind.UNICAST))),
        ]
        if not config.router.multicast:
            m.d.comb += Assume(chunk.serial | (chunk.kind == Kind.UNICAST))
        if not config.bitmaps:
            m.d.comb += Assume(chunk.serial | (chunk.kind != Kind.BITMAP))
        if config.router.runs == 1:
            m.d.comb += Assume(planner.policy == 0)

    def _invariants(self, m, planner, fragment, place, sent):
        """Make the statements inductive: every route that the planner holds is legal."""

        def unicast(r1, r2):
            """Return whether these are those of a legal unicast."""
            return is_legal(router, SimpleNamespace(kind=Const(Kind.UNICAST, 2), r1=r1, r2=r2, data=Const(0, 1)))

        router, limit = self.config.router, self.config.router.packet_limit
        names = ("state", "kept", "kept_r1", "kept_r2", "relayed", "d", "start", "hop", "second", "r1", "r2")
        state, kept, kept_r1, kept_r2, relayed, d, start, hop, second, r1, r2 = (
            register(fragment, name) for name in names
        )
        chunk, order = planner.chunk, planner.order
        ordered = SimpleNamespace(kind=order.kind, r1=order.r1, r2=order.r2, data=order.bitmap)
        searches = state != 0
        one_hop = hop.any() & ((hop & (hop - 1)) == 0)
        m.d.comb += [
            Assert(state <= FAILED),
            Assert(~kept | unicast(kept_r1, kept_r2)),
            Assert(~searches | Mux(relayed, planner.relay.valid, chunk.valid)),
            Assert(~searches | (start != d) | (state == FAILED)),
            Assert(~((state == WALK) | (state == READY)) | unicast(r1, r2)),
            Assert(~(searches & (state != FAILED)) | one_hop),
            Assert(~(relayed & searches) | ~(second | (state == HOP))),
            Assert(~order.valid | ~order.send | order.relay | (order.count != 0)),
            Assert(~order.valid | ~order.send | (order.count <= limit - 1 - (order.kind == Kind.BITMAP))),
            Assert(~order.valid | ~order.send | is_legal(router, ordered)),
            Assert(~(order.valid & order.relay) | (order.kind == Kind.UNICAST)),
            Assert((sent == 0) | (order.valid & order.send)),
            Assert((sent == 0) | order.relay | (sent <= order.count + (order.kind == Kind.BITMAP))),
            Assert(place == sent),
        ]
        if router.runs == 1:
            m.d.comb += Assert(register(fragment, "x") == 0)
