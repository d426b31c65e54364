"""AXI ports in front of a node or a network: AXI4-Stream for its streams of words, AXI4-Lite for its registers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.axi import Axi, Slave, Stream
from cubecast.rtl.common.axi_control import AxiControl, axi_lite
from cubecast.rtl.common.cube import vectors
from cubecast.rtl.common.instance import place

__all__ = ["AxiPorts"]

STREAM = ("data", "valid", "ready", "last", "user")


class AxiPorts(wiring.Component):
    """A unit whose processor's side is AXI; everything else of it stays as it is.

    A word taken at a stream in cycle c is the word that the unit takes in cycle c; where ``tuser`` names slots, it is
    the word that is offered to them from cycle c + 1 on. A word that the unit offers in cycle c is there in cycle c,
    but for streams that are kept: what is taken from the unit in cycle c is there from cycle c + 1 on, and stays. No
    AXI input reaches an output without a register. Every port of a network is a packed vector, with node v's value as
    item v; payload of AXI4-Lite answers reads 0 there while its valid bit is 0.

    Parameters
    ----------
    unit : class
        Component; takes ``config``. Of a network every port is a packed vector.
    ports : Signature
        Ports of the unit, of a network those of a node.
    config : configuration
        Parameters of the unit.
    axi : Axi
        Which of the ports become AXI.
    called : str
        What its instance is called.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn`` (active low, synchronous), as users of AXI
        expect. False: ``clk`` and ``rst``, as all units have them.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    <stream>_tdata, <stream>_tvalid, <stream>_tready, <stream>_tlast, <stream>_tuser
        For each stream of words, a packet each: tdata is whole bytes; tuser has the fields that ``axi`` gives it, and
        <stream>_tid, if there is one, another.
    <slave>_* : AXI4-Lite slave, 32 bits
        For each register port.
    All else : as the unit has it.

    Source: AMBA AXI4-Stream and AXI4-Lite; docs/axi.md.
    """

    def __init__(
        self,
        unit: type[wiring.Component],
        ports: wiring.Signature,
        config: object,
        axi: Axi,
        *,
        called: str,
        axi_clock: bool = False,
    ):
        self.config, self.axi_clock = config, axi_clock
        self._unit, self._axi, self._called = unit, axi, called
        inner = vectors(ports, axi.nodes) if axi.nodes else dict(ports.members)
        replaced = [each.port for each in (*axi.streams, *axi.slaves)]
        hidden = {
            name for name in inner for port in replaced if name == port or (axi.nodes and name.startswith(f"{port}_"))
        }
        self._kept = {name: member for name, member in inner.items() if name not in hidden}
        members: dict[str, wiring.Member] = {"aclk": In(1), "aresetn": In(1)} if axi_clock else {}
        members |= {name: member for name, member in self._kept.items() if name == "address"}
        for stream in axi.streams:
            bits = dict.fromkeys(STREAM, 1) | {"data": stream.data_bits, "user": stream.user_bits}
            bits |= {"id": stream.ident[1]} if stream.ident else {}
            for name, width in bits.items():
                flow = In if stream.into != (name == "ready") else Out
                members[f"{stream.prefix}_t{name}"] = flow(width * axi.items)
        for slave in axi.slaves:
            for name, member in axi_lite(slave.config).items():
                members[f"{slave.prefix}_{name}"] = member.flow(member.shape * axi.items)
        super().__init__(members | self._kept)

    def elaborate(self, platform):
        """Place the unit and a slave for each register port of each node, and connect them."""
        m = Module()
        if self.axi_clock:
            m.domains.sync = ClockDomain()
            m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        inside = place(m, self._called, self._unit, self.config)
        for name, member in self._kept.items():
            outer, inner = getattr(self, name), getattr(inside, name)
            if member.is_port:
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
                continue
            for one, other in zip(outer, inner, strict=True) if member.dimensions else [(outer, inner)]:
                connect(m, flipped(one), other)
        for node in range(self._axi.items):
            for stream in self._axi.streams:
                if not stream.into:
                    self._out(m, stream, inside, node)
                elif stream.slots:
                    self._held(m, stream, inside, node)
                else:
                    self._into(m, stream, inside, node)
            for slave in self._axi.slaves:
                self._registers(m, slave, inside, node)
        return m

    def _item(self, inside, port, field, node):
        """Return a field of a stream or a register port of a node."""
        if not self._axi.nodes:
            return getattr(getattr(inside, port), field)
        vector = getattr(inside, self._axi.inside(port, field))
        return vector.word_select(node, len(vector) // self._axi.nodes)

    def _outer(self, name, node):
        """Return what belongs to a node of an AXI port."""
        vector = getattr(self, name)
        return vector.word_select(node, len(vector) // self._axi.items)

    def _stream(self, stream: Stream, inside, node):
        """Return the AXI side of a stream, and a function that gives the fields of the other side."""
        outer = [self._outer(f"{stream.prefix}_t{name}", node) for name in STREAM]
        return outer, lambda field: self._item(inside, stream.port, field, node)

    def _out(self, m, stream, inside, node):
        """Connect a stream of words that leave, by way of a register where the unit may take back what it offers."""
        (data, valid, ready, last, user), inner = self._stream(stream, inside, node)
        marks = [inner("error") & inner("last"), *(inner(name) for name, _ in stream.beside)]
        offered = {"valid": inner("valid"), "data": inner("data"), "last": inner("last"), "user": Cat(marks)}
        taken = inner("ready")
        if stream.kept:
            start = f"kept_{stream.port}_{node}" if self._axi.nodes else f"kept_{stream.port}"
            kept = {name: Signal(len(value), name=f"{start}_{name}") for name, value in offered.items()}
            with m.If(taken):
                m.d.sync += [kept[name].eq(value) for name, value in offered.items()]
            offered = kept
        m.d.comb += [
            valid.eq(offered["valid"]),
            data.eq(offered["data"]),
            last.eq(offered["last"]),
            user.eq(offered["user"]),
            taken.eq(~valid | ready if stream.kept else ready),
        ]
        if stream.ident:
            m.d.comb += self._outer(f"{stream.prefix}_tid", node).eq(inner(stream.ident[0]))

    def _into(self, m, stream, inside, node):
        """Connect a stream of words that come."""
        (data, valid, ready, last, user), inner = self._stream(stream, inside, node)
        m.d.comb += [
            inner("valid").eq(valid),
            inner("data").eq(data),
            inner("last").eq(last),
            *(inner(name).eq(user[part.low : part.low + part.bits]) for name, part in stream.user.items()),
            ready.eq(inner("ready")),
        ]

    def _held(self, m, stream, inside, node):
        """Hold a word until all slots that it is for have room, so that ``tready`` is a function of registers."""
        (data, valid, ready, last, user), inner = self._stream(stream, inside, node)
        suffix = f"_{node}" if self._axi.nodes else ""
        full, moves = Signal(name=f"held_full{suffix}"), Signal(name=f"held_moves{suffix}")
        held = {"data": Signal(stream.width, name=f"held_data{suffix}"), "last": Signal(name=f"held_last{suffix}")}
        slots = Signal(stream.slots, name=f"held_slots{suffix}")
        m.d.comb += [
            inner("valid").eq(full),
            inner("data").eq(held["data"]),
            inner("last").eq(held["last"]),
            inner("slots").eq(slots),
            moves.eq(full & ~(Mux(slots.any(), slots, 1) & ~inner("ready")).any()),
            ready.eq(~full | moves),
        ]
        with m.If(moves):
            m.d.sync += full.eq(0)
        with m.If(valid & (~full | moves)):
            m.d.sync += [full.eq(1), held["data"].eq(data), held["last"].eq(last), slots.eq(user)]

    def _registers(self, m, slave: Slave, inside, node):
        """Place a slave in front of a register port."""
        name = f"axi_{slave.port}" + (f"_{node}" if self._axi.nodes else "")
        registers = place(m, name, AxiControl, slave.config)
        for field, member in axi_lite(slave.config).items():
            outer, inner = self._outer(f"{slave.prefix}_{field}", node), getattr(registers, f"s_axi_{field}")
            if member.flow == In:
                m.d.comb += inner.eq(outer)
            elif self._axi.nodes and field in ("bresp", "rdata", "rresp"):
                m.d.comb += outer.eq(Mux(getattr(registers, f"s_axi_{field[0]}valid"), inner, 0))
            else:
                m.d.comb += outer.eq(inner)
        for field in ("address", "write", "write_data"):
            m.d.comb += self._item(inside, slave.port, field, node).eq(getattr(registers.control, field))
        m.d.comb += registers.control.read_data.eq(self._item(inside, slave.port, "read_data", node))
