"""Crossbar: packet buffer units, buffer slots and the detour on one side, links and the node on the other."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.rtl.packet.link import Flit

__all__ = ["Crossbar", "Requester"]


class Requester(wiring.Signature):
    """What a packet buffer unit, a buffer slot or the detour has to do with the crossbar.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    ports : int
        Number of outputs it can ask for.
    refusable : bool
        Its packets can be refused by their receiver.
    """

    def __init__(self, config: PacketConfig, ports: int, *, refusable: bool = True):
        members = {
            "request": Out(ports),
            "accept": Out(ports),
            "closing": Out(1),
            "flit": Out(Flit(config)),
            "grant": In(ports),
        }
        if refusable:
            members["refused"] = In(1)
        super().__init__(members)


class Crossbar(wiring.Component):
    """Connect every requester with the outputs that it has packets for; one crossbar_output per output. No latency.

    The requesters of output j < n are, in this order, slot j, the detour, and the packet buffer units of the other
    dimensions (only of the lower ones where there are no contrary packets: the upper triangle); those of output n all
    packet buffer units.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    pbu__i__request, pbu__i__accept, pbu__i__closing, pbu__i__flit, pbu__i__grant
        Packet buffer unit i; request, accept and grant have a bit for each output.
    slot__j__request, slot__j__accept, slot__j__closing, slot__j__flit, slot__j__grant, slot__j__refused
        Buffer slot j, which has packets for output j only.
    detour__request, detour__accept, detour__closing, detour__flit, detour__grant, detour__refused
        Packets on their way around a faulty link, n bits; only with ``fault_tolerant``.
    open : in, n + 1
        A packet can be sent.
    cut, refused : in, n
        The link is out of use; the receiver refused the packet that is being sent.
    o__p__valid, o__p__head, o__p__last, o__p__bad, o__p__data, o__p__ready
        Flits that leave by output p.
    report__j__valid, report__j__reason, report__j__destination, report__j__ready
        Reports about packets dropped at output j.
    waited, word_out, packet_out : out, n + 1
        A request stands without being chosen; a head or word, the end of a packet leaves in this cycle.

    Source: Buzzard 1988, section 5.4.3, figure 5.5.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        n, ports = config.dim, config.ports
        members = {
            "pbu": In(Requester(config, ports, refusable=False)).array(n),
            "slot": In(Requester(config, 1)).array(n),
            "open": In(ports),
            "cut": In(n),
            "refused": In(n),
            "o": Out(Flit(config)).array(ports),
            "report": Out(Report(config.dim)).array(n),
            "waited": Out(ports),
            "word_out": Out(ports),
            "packet_out": Out(ports),
        }
        if config.fault_tolerant:
            members["detour"] = In(Requester(config, n))
        super().__init__(members)

    def elaborate(self, platform):
        """Place the outputs; gather what comes back to a requester from several of them."""
        m = Module()
        config = self.config
        n = config.dim
        back = {requester: {} for requester in self._requesters()}
        for p in range(config.ports):
            names = self._column(p)
            output = place(m, f"output_{p}", CrossbarOutput, config, count=len(names), local=p == n)
            connect(m, output.o, flipped(self.o[p]))
            m.d.comb += [
                output.open.eq(self.open[p]),
                self.waited[p].eq(output.waited),
                self.word_out[p].eq(output.word_out),
                self.packet_out[p].eq(output.packet_out),
            ]
            if p < n:
                connect(m, output.report, flipped(self.report[p]))
                m.d.comb += [output.cut.eq(self.cut[p]), output.refused.eq(self.refused[p])]
            else:
                m.d.comb += [output.cut.eq(0), output.refused.eq(0), output.report.ready.eq(1)]
            for k, name in enumerate(names):
                requester = self._requesters()[name]
                bit = 0 if name[0] == "slot" else p
                flit = requester.flit
                m.d.comb += [
                    output.request[k].eq(requester.request[bit]),
                    output.accept[k].eq(requester.accept[bit]),
                    output.closing[k].eq(requester.closing),
                    *(
                        getattr(output.i[k], field).eq(getattr(flit, field))
                        for field in ("valid", "head", "last", "bad", "data")
                    ),
                ]
                back[name][bit] = (output.grant[k], output.i[k].ready, output.refused_to[k])
        for name, requester in self._requesters().items():
            for bit in range(len(requester.grant)):
                m.d.comb += requester.grant[bit].eq(back[name][bit][0] if bit in back[name] else 0)
            m.d.comb += requester.flit.ready.eq(reduce(or_, [ready for _, ready, _ in back[name].values()]))
            if name[0] != "pbu":
                m.d.comb += requester.refused.eq(reduce(or_, [refused for _, _, refused in back[name].values()]))
        return m

    def _requesters(self):
        """Return all requesters by kind and number."""
        found = {("pbu", i): self.pbu[i] for i in range(self.config.dim)}
        found |= {("slot", j): self.slot[j] for j in range(self.config.dim)}
        return found | ({("detour", 0): self.detour} if self.config.fault_tolerant else {})

    def _column(self, p):
        """Return the requesters of output p in the arbiter's order."""
        n = self.config.dim
        if p == n:
            return [("pbu", i) for i in range(n)]
        units = [("pbu", i) for i in range(n) if i < p or (i > p and self.config.contrary)]
        # Slot and detour share a cell of the arbiter, so that neither keeps the other from sending contrary packets.
        return [("slot", p), *([("detour", 0)] if self.config.fault_tolerant else []), *units]
