"""Planner: what packets a chunk becomes, and the route of each, around known faults too."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import DIMENSION_BITS
from cubecast.golden.adapter.contract.word import AdapterReason, Policy, only_policy
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.stream import POLICY_BITS, Chunk, Order, faults
from cubecast.rtl.common.report import Report

__all__ = ["Planner"]

EXHAUSTED = 2
"""Value of ``pass``, shortest routes and detours being 0 and 1, when there is no candidate more."""


class State(Enum, shape=3):
    """How far the search for a route is."""

    IDLE = 0
    WALK = 1
    CANDIDATE = 2
    HOP = 3
    READY = 4
    FAILED = 5


class Planner(wiring.Component):
    """Make orders of chunks and of packets to be relayed; a chunk that is there in cycle t has its order in t + 1.

    While a fault is known a unicast's route is tried hop by hop, a hop in a cycle, and others after it: the shortest
    ones, those with detours, those over a neighbour.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    chunk__*, chunk_taken : in, and out
        The oldest chunk; it is planned to its end.
    row_index, row : out and in, n - b (at least 1) and 2**b
        A word of its bitmap.
    relay__valid, relay__destination, relay_taken : in, in, out, 1 and n and 1
        A packet to be relayed.
    order__*
        What is to be sent; a register.
    policy, draw : in, 2 and n
        How unicasts are routed, where there is not one policy alone, and random bits.
    fault__i__* : in
        The list of faulty links and nodes.
    cut : in, n
        Links of the node that are out of use.
    address : in, n
        Strap: the node's address.
    known : out
        Some fault is known.
    report__valid, report__reason, report__destination, report__ready
        Destinations without a route.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "chunk": In(Chunk(config)),
                "chunk_taken": Out(1),
                "row_index": Out(config.row_index_bits),
                "row": In(config.router.bitmap_bits),
                "relay": In(wiring.Signature({"valid": Out(1), "destination": Out(n)})),
                "relay_taken": Out(1),
                "order": Out(Order(config)),
                "policy": In(POLICY_BITS),
                "draw": In(n),
                **{name: member.flip() for name, member in faults(config).items()},
                "cut": In(n),
                "address": In(n),
                "known": Out(1),
                "report": Out(Report(n)),
            }
        )

    def elaborate(self, platform):
        """Build the order, the choice between chunks and relayed packets, and the search for routes."""
        m = Module()
        config, chunk, order = self.config, self.chunk, self.order
        n = config.dim
        # What is asked for in this cycle: an order, and a search.
        new = {
            name: Signal(member.shape, name=f"new_{name}")
            for name, member in Order(config).members.items()
            if name not in ("valid", "ready")
        }
        job = {"relayed": Signal(), "d": Signal(n), "r1": Signal(n), "r2": Signal(n)}
        issue, search, free, ends = Signal(), Signal(), Signal(), Signal()
        state, turn, place = Signal(State), Signal(), Signal(n)
        kept, kept_r1, kept_r2 = Signal(), Signal(n), Signal(n)
        m.d.comb += [
            free.eq(~order.valid | order.ready),
            ends.eq(~chunk.serial | place.all()),
            self.chunk_taken.eq(issue & new["release"]),
            self.relay_taken.eq(issue & new["relay"]),
            self.row_index.eq(place[config.router.bitmap_dims :]),
        ]
        with m.If(~new["relay"]):
            said = ("bank", "first", "final", "error", "count", "ordinal")
            m.d.comb += [new[name].eq(getattr(chunk, name)) for name in said]
        with m.If(free):
            m.d.sync += order.valid.eq(issue)
        with m.If(issue):
            m.d.sync += [getattr(order, name).eq(value) for name, value in new.items()]
            m.d.sync += turn.eq(~new["relay"])
        self._lost, self._settled = Signal(name="lost"), Signal(name="settled")
        if config.knows_faults:
            self._remember(m, place, new["send"])
        self._rest(m, state, turn, place, (kept, kept_r1, kept_r2), ends, free, new, issue, job, search)
        if config.knows_faults:
            entries = list(self.fault) if config.fault_entries else []
            m.d.comb += self.known.eq(self.cut.any() | Cat(entry.valid for entry in entries).any())
            self._search(m, entries, state, turn, place, (kept, kept_r1, kept_r2), ends, free, new, issue, job, search)
        return m

    def _rest(self, m, state, turn, place, keep, ends, free, new, issue, job, search):
        """Plan what needs no search, and begin searches."""
        config, chunk, relay = self.config, self.chunk, self.relay
        n, kept = config.dim, keep[0]
        relative, r1 = Signal(n), Signal(n)
        m.d.comb += relative.eq(chunk.node ^ self.address)
        chosen = {
            Policy.ECUBE: relative,
            Policy.EITHER: Mux(self.draw[0], relative, 0),
            Policy.RANDOM: relative & self.draw,
            # A bit below the lowest of the relative address would be the last of r1 and the first of r2.
            Policy.VALIANT: self.draw & (relative | -relative)[:n],
        }
        if (only := only_policy(config)) is not None:
            m.d.comb += r1.eq(chosen[only])
        else:
            with m.Switch(self.policy):
                for policy in (Policy.EITHER, Policy.RANDOM, Policy.VALIANT):
                    with m.Case(policy):
                        m.d.comb += r1.eq(chosen[policy])
                with m.Default():
                    m.d.comb += r1.eq(chosen[Policy.ECUBE])
        resting = state == State.IDLE
        relays = relay.valid & (~chunk.valid | turn) if config.knows_faults else C(0)
        with m.If(resting & relays):
            away = relay.destination ^ self.address
            m.d.comb += [
                search.eq(self.known),
                issue.eq(~self.known & free),
                *_set(new, relay=1, send=1, r1=away),
                *_set(job, relayed=1, d=relay.destination, r1=away),
            ]
        with m.Elif(resting & chunk.valid & chunk.serial):
            self._next_member(m, turn, place, ends, free, new, issue, job, search)
        with m.Elif(resting & chunk.valid):
            with m.If(chunk.kind == Kind.UNICAST):
                m.d.comb += [
                    search.eq(self.known & chunk.first),
                    issue.eq(~search & free),
                    *_set(new, send=chunk.first | kept, release=1, destination=chunk.node),
                    *_set(new, r1=Mux(chunk.first, r1, keep[1]), r2=Mux(chunk.first, relative ^ r1, keep[2])),
                    *_set(job, d=chunk.node, r1=r1, r2=relative ^ r1),
                ]
                with m.If(issue & chunk.first):
                    m.d.sync += [kept.eq(1), keep[1].eq(new["r1"]), keep[2].eq(new["r2"])]
            if config.router.multicast:
                with m.Elif(chunk.kind == Kind.SUBCUBE):
                    m.d.comb += [
                        issue.eq(free),
                        *_set(new, send=1, release=1, kind=Kind.SUBCUBE, r1=relative & ~chunk.mask, r2=chunk.mask),
                    ]
            if config.bitmaps:
                with m.Else():
                    self._next_row(m, turn, place, free, new, issue)

    def _remember(self, m, place, sent):
        """Keep for each node whether the message that is under way has no route to it any more."""
        m.submodules.told = told = memory.Memory(shape=1, depth=self.config.nodes, init=[])
        write, read = told.write_port(), told.read_port(domain="comb")
        m.d.comb += [
            *(port.addr.eq(place) for port in (write, read)),
            write.data.eq(~sent),
            write.en.eq(self._settled),
            self._lost.eq(read.data),
        ]

    def _next_row(self, m, turn, place, free, new, issue):
        """Plan the packet of a row; one that names nobody has none."""
        b, bits = self.config.router.bitmap_dims, self.config.router.bitmap_bits
        high, last = place[b:] ^ self.address[b:], place[b:].all() if self.config.rows > 1 else C(1)
        # Bit x of the bitmap is bit x XOR address of the row: a level of multiplexers for each bit of the address.
        level = list(self.row)
        for k in range(b):
            level = [Mux(self.address[k], level[x ^ 1 << k], level[x]) for x in range(bits)]
        bitmap = Cat(level[0] & high.any(), *level[1:])
        m.d.comb += [
            issue.eq(free & (bitmap.any() | last)),
            *_set(new, send=bitmap.any(), release=last, kind=Kind.BITMAP, r1=Cat(C(0, b), high), bitmap=bitmap),
        ]
        with m.If(~bitmap.any()):
            m.d.comb += _set(new, kind=0, r1=0)
        with m.If(free):
            m.d.sync += [place.eq(place + (1 << b)), turn.eq(1)]

    def _next_member(self, m, turn, place, ends, free, new, issue, job, search):
        """Plan the unicast to a member of a set, or go on to the next node."""
        chunk, away = self.chunk, place ^ self.address
        b = self.config.router.bitmap_dims
        named = Mux(
            chunk.kind == Kind.SUBCUBE, ~((place ^ chunk.node) & ~chunk.mask).any(), self.row.bit_select(place[:b], 1)
        )
        there = Signal()
        m.d.comb += there.eq(named & away.any() & ~(self._lost & ~chunk.first))
        with m.If(there):
            m.d.comb += [
                search.eq(self.known),
                issue.eq(~self.known & free),
                self._settled.eq(issue),
                *_set(new, send=1, release=ends, destination=place, r1=away),
                *_set(job, d=place, r1=away),
            ]
        with m.Else():
            m.d.comb += [issue.eq(ends & free), new["release"].eq(ends)]
        with m.If(issue | ~(ends | there)):
            m.d.sync += place.eq(place + 1)
            # Not at each place, or 2**n packets to be sent on would go between two of an own message.
            with m.If(place[:b].all()):
                m.d.sync += turn.eq(1)

    def _search(self, m, entries, state, turn, place, keep, ends, free, new, issue, job, search):
        """Walk along one route after the other until none of its hops is bad."""
        config, address = self.config, self.address
        n = config.dim
        relayed, second = Signal(), Signal()
        d, start, x, hop, r1, r2, at, left1, left2 = (
            Signal(n, name=name) for name in ("d", "start", "x", "hop", "r1", "r2", "at", "left1", "left2")
        )
        round_ = Signal(bits_for(EXHAUSTED))
        step, node, bad = Signal(n), Signal(n), Signal()
        m.d.comb += [
            node.eq(Mux(state == State.HOP, address, at)),
            step.eq(Mux(state == State.HOP, hop, Mux(left1.any(), _highest(left1), _lowest(left2)))),
            bad.eq(self._bad(entries, node, step)),
        ]
        doomed = Cat(entry.valid & ~entry.link & (entry.node == job["d"]) for entry in entries).any()
        relative = start ^ d
        tried_r1, tried_r2 = Signal(n), Signal(n)
        m.d.comb += [tried_r1.eq(relative ^ x), tried_r2.eq(x)]
        with m.If(search):
            m.d.sync += [
                relayed.eq(job["relayed"]),
                d.eq(job["d"]),
                *(register.eq(address) for register in (start, at)),
                *(register.eq(job["r1"]) for register in (r1, left1)),
                *(register.eq(job["r2"]) for register in (r2, left2)),
                *(register.eq(0) for register in (x, round_, second)),
                hop.eq(1),
                state.eq(Mux(doomed, State.FAILED, State.WALK)),
            ]
        further = Mux(hop[-1], State.FAILED, State.HOP)
        with m.Switch(state):
            with m.Case(State.WALK):
                m.d.sync += [at.eq(at ^ step), left1.eq(left1 & ~step)]
                with m.If(~left1.any()):
                    m.d.sync += left2.eq(left2 & ~step)
                with m.If(bad):
                    m.d.sync += state.eq(State.CANDIDATE)
                with m.Elif(~Mux(left1.any(), (left1 & ~step) | left2, left2 & ~step).any()):
                    m.d.sync += state.eq(State.READY)
            with m.Case(State.CANDIDATE):
                with m.If(round_ == EXHAUSTED):
                    m.d.sync += hop.eq(hop << second)
                    m.d.sync += state.eq(Mux(relayed, State.FAILED, Mux(second, further, State.HOP)))
                with m.Else():
                    turns = tried_r1.any() & tried_r2.any() & (_lowest(tried_r1) == _lowest(tried_r2))
                    detour = (x & ~relative).any()
                    if config.router.runs == 2:
                        m.d.sync += [x.eq(x + 1), round_.eq(round_ + x.all())]
                    else:
                        m.d.sync += round_.eq(EXHAUSTED)
                    with m.If((detour == round_) & ~turns):
                        m.d.sync += [
                            *(register.eq(tried_r1) for register in (r1, left1)),
                            *(register.eq(tried_r2) for register in (r2, left2)),
                            at.eq(start),
                            state.eq(State.WALK),
                        ]
            with m.Case(State.HOP):
                with m.If(bad | (d == address ^ hop)):
                    m.d.sync += [hop.eq(hop << 1), state.eq(further)]
                with m.Else():
                    m.d.sync += [start.eq(address ^ hop), second.eq(1), x.eq(0), round_.eq(0)]
                    m.d.sync += state.eq(State.CANDIDATE)
            with m.Case(State.READY):
                m.d.comb += [
                    issue.eq(free),
                    *_set(new, relay=relayed, send=1, release=ends & ~relayed, destination=Mux(relayed, 0, d)),
                    *_set(new, r1=Mux(second, hop, r1), r2=Mux(second, 0, r2)),
                ]
                with m.If(free):
                    m.d.sync += state.eq(State.IDLE)
                with m.If(free & ~relayed):
                    self._done(m, place, keep, new)
            with m.Case(State.FAILED):
                m.d.comb += _set(new, relay=relayed, release=ends & ~relayed)
                with m.If(free & ~self.report.valid):
                    m.d.comb += issue.eq(relayed | ends)
                    m.d.sync += [state.eq(State.IDLE), turn.eq(~relayed)]
                    with m.If(~relayed):
                        self._done(m, place, keep, new)
                    m.d.sync += [self.report.valid.eq(1), self.report.destination.eq(d)]
        m.d.comb += self.report.reason.eq(AdapterReason.NO_ROUTE)
        with m.If(self.report.valid & self.report.ready):
            m.d.sync += self.report.valid.eq(0)

    def _done(self, m, place, keep, new):
        """Go on to the next member of a set, or keep the header for the further chunks of the message."""
        with m.If(self.chunk.serial):
            m.d.comb += self._settled.eq(1)
            m.d.sync += place.eq(place + 1)
        with m.Else():
            m.d.sync += keep[0].eq(new["send"])
            with m.If(new["send"]):
                m.d.sync += [keep[1].eq(new["r1"]), keep[2].eq(new["r2"])]

    def _bad(self, entries, node, step):
        """Return whether a hop out of a node, over the link whose bit is set in ``step``, meets a fault."""

        def joins(end):
            """Return whether the link has this end."""
            return ~((node ^ end) & ~step).any()

        found = [(self.cut & step).any() & joins(self.address)]
        dimensions = Cat(step, C(0, (1 << DIMENSION_BITS) - len(step)))
        for entry in entries:
            link = dimensions.bit_select(entry.dimension, 1) & joins(entry.node)
            found.append(entry.valid & Mux(entry.link, link, node ^ step == entry.node))
        return Cat(found).any()


def _set(signals, **values):
    """Return assignments to signals by their names."""
    return [signals[name].eq(value) for name, value in values.items()]


def _lowest(mask):
    """Return the lowest bit that is set, alone."""
    return (mask & -mask)[: len(mask)]


def _highest(mask):
    """Return the highest bit that is set, alone."""
    return Cat(mask[k] & ~mask[k + 1 :].any() for k in range(len(mask)))
