"""Crosspoint router of one node: queues, next sets, outputs, inputs, the node's ports, links and control port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, queue_shape
from cubecast.golden.crosspoint.contract.word import CONTEXTS, KIND_BITS, inputs_of, kept, outputs_of
from cubecast.rtl.common.control_port import ControlPort, serve, tell
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.report_collector import ReportCollector
from cubecast.rtl.common.router_ports import router_ports
from cubecast.rtl.crosspoint.block_queue import BlockQueue
from cubecast.rtl.crosspoint.ejection import Ejection
from cubecast.rtl.crosspoint.injection import Injection
from cubecast.rtl.crosspoint.input import Input
from cubecast.rtl.crosspoint.link import Eject, Inject, Link, ReduceIn, ReduceOut
from cubecast.rtl.crosspoint.link_guard import LinkGuard
from cubecast.rtl.crosspoint.link_pipe import LinkPipe
from cubecast.rtl.crosspoint.next_set import NextSet
from cubecast.rtl.crosspoint.output import Output
from cubecast.rtl.crosspoint.queue import Queue
from cubecast.rtl.crosspoint.run_end import RunEnd

__all__ = ["CrosspointRouter", "signature"]

HEADER = ("r1", "r2", "kind")
ENDS = ("over", "turns")


class CrosspointRouter(wiring.Component):
    """Router of one node of a hypercube.

    When nothing contends, a word that comes over a link in cycle c goes out over the next one in cycle c + 1 + f, and
    one injected in cycle t over h hops is at the ejection port in cycle t + h * (1 + f) + 2, one later with ejection
    queues in block RAM; f = ``forward``. Links come from RAM by way of the output's multiplexer unless f > 0.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    adapter : bool
        Whether a network adapter stands beside it.
    reduce : int
        Join units beside it, 0 to 2, whose words share the links with packets.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__push, ..._head, ..._last, ..._error, ..._data, ..._r1, ..._r2, ..._kind, ..._down
        Link from the neighbour in dimension j: n + 1, 1, 1, 1, w, n, n, 2 and 1 bits; r2 only with two runs or
        multicast, kind only with multicast, down only with fault tolerance.
    link_in__j__ready, link_in__j__ready_up : out
        Its flags; ready_up only with two runs.
    link_out__j__push, ..., link_out__j__ready, link_out__j__ready_up
        Link to it.
    inject__valid, inject__data, inject__last, inject__error, inject__r1, inject__r2, inject__kind, inject__ready
        Packets of the node.
    eject__valid, eject__data, eject__last, eject__error, eject__kind, eject__ready
        Packets for the node.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports as they happen; lane 0: input or injection, 1: output.
    multiple_faults : out
        More than one link is cut.
    adapter_report__valid, adapter_report__reason, adapter_report__destination, adapter_report__ready
        With ``adapter``: its reports; port n, lane 1.
    cut : out, n
        With ``adapter``, and with ``reduce`` where links have registers: links that are out of use.
    link_in__j__push_r, link_in__j__rop, link_in__j__ready_r, link_out__j__...
        With ``reduce``: words of a reduction, and room for one; 1, 4 and 1 bits.
    reduce_in__j__push_r, reduce_in__j__data, reduce_in__j__rop, reduce_in__j__last, reduce_in__j__error : out
        With ``reduce``: words that come over link j, while it is not cut; 1, w, 4, 1 and 1 bits.
    reduce_ready : in, n
        With ``reduce``: room for a word from each link; registers.
    reduce__j__request, reduce__j__data, reduce__j__rop, reduce__j__last, reduce__j__error, reduce__j__taken
        With ``reduce``: words for link j.
    link_in__j__push_r_1, link_in__j__ready_r_1, link_out__j__..., reduce_in_1__*, reduce_ready_1, reduce_1__*
        With two units: the same of the second; ``rop`` is of the one whose word is there.
    """

    def __init__(self, config: CrosspointConfig, *, adapter: bool = False, reduce: int = 0):
        self.config = config
        self.adapter = adapter
        self.contexts = CONTEXTS[:reduce]
        super().__init__(signature(config, adapter=adapter, reduce=reduce))

    def elaborate(self, platform):
        """Place the parts and connect them."""
        m = Module()
        config = self.config
        n = config.dim
        inputs = [place(m, f"input_{j}", Input, Port(router=config, port=j)) for j in range(n)]
        extra = {"reduce": len(self.contexts)} if self.contexts else {}
        outputs = [place(m, f"output_{j}", Output, Port(router=config, port=j), **extra) for j in range(n)]
        injection = place(m, "injection", Injection, config)
        ejection = place(m, "ejection", Ejection, config)
        guard = place(m, "link_guard", LinkGuard, config)
        collector = place(m, "report_collector", ReportCollector, config.reporting(adapter=self.adapter))
        control_port = place(m, "control_port", ControlPort, config.control)
        for i in range(config.ports):
            for j in outputs_of(config, i):
                self._crosspoint(m, i, j, injection if i == n else inputs[i], ejection if j == n else outputs[j])
        self._injection(m, injection)
        connect(m, ejection.eject, flipped(self.eject))
        connect(m, injection.report, collector.i[config.lanes * n])
        for j, (enter, leave) in enumerate(zip(inputs, outputs, strict=True)):
            self._links(m, j, enter, leave, control_port, extra)
            self._reductions(m, j, leave, control_port.cut[j])
            for lane, stream in enumerate((enter.report, leave.report)):
                connect(m, stream, collector.i[config.lanes * j + lane])
            m.d.comb += [
                enter.cut.eq(control_port.cut[j]),
                enter.young.eq(guard.young[j]),
                leave.cut.eq(control_port.cut[j]),
            ]
        m.d.comb += [unit.address.eq(self.address) for unit in (*inputs, *outputs, injection)]
        m.d.comb += guard.fault.eq(control_port.fault)
        if config.fault_tolerant:
            m.d.comb += [guard.link_down.eq(Cat(link.down for link in self.link_in)), control_port.down.eq(guard.down)]
        if self.adapter:
            connect(m, flipped(self.adapter_report), collector.i[config.lanes * n + 1])
        if "cut" in self.signature.members:
            m.d.comb += self.cut.eq(control_port.cut)
        columns = [*outputs, ejection]
        serve(m, self.control, control_port)
        m.d.comb += [
            control_port.message_in.eq(Cat(unit.message_in for unit in (*inputs, injection))),
            control_port.message_out.eq(Cat(unit.message_out for unit in columns)),
            control_port.word_out.eq(Cat(unit.word_out for unit in columns)),
            control_port.waited.eq(Cat(unit.waited for unit in columns)),
            self.multiple_faults.eq(control_port.multiple_faults),
        ]
        tell(m, collector, control_port, self.report)
        return m

    def _injection(self, m, injection):
        """Connect the node's port with its checks, its run end and its next set."""
        n = self.config.dim
        crosspoint = Crosspoint(router=self.config, input=n, output=n)
        end = place(m, f"run_end_{n}_{n}", RunEnd, crosspoint)
        first = place(m, f"next_set_{n}_{n}", NextSet, crosspoint)
        connect(m, flipped(self.inject), injection.inject)
        m.d.comb += [getattr(end, name).eq(getattr(self.inject, name)) for name in HEADER]
        m.d.comb += [getattr(first, name).eq(getattr(self.inject, name)) for name in ("data", *HEADER)]
        m.d.comb += [getattr(first, name).eq(getattr(end, name)) for name in ENDS]
        m.d.comb += injection.push_set.eq(first.push)

    def _crosspoint(self, m, i, j, source, output):
        """Place queue (i, j), with what it keeps of a word, and its next set; what it does not keep reads 0."""
        config = self.config
        n, shape, keeps = config.dim, queue_shape(config, i, j), kept(config, i, j)
        queue = place(m, f"queue_{i}_{j}", BlockQueue if shape.block else Queue, shape)
        word = self.inject if i == n else self.link_in[i]
        k = inputs_of(config, j).index(i)
        m.d.comb += [
            queue.push.eq(source.push[j]),
            source.room[j].eq(queue.room),
            queue.pop.eq(output.pop[k]),
            output.i[k].ne.eq(queue.ne),
        ]
        # From bit 0 of the RAM on, as the contract orders them.
        fields = {"data": word.data, "last": source.last, "error": source.error}
        places = {"r1": (0, keeps.r1), "r2": (keeps.r2_low, keeps.r2), "kind": (0, KIND_BITS * keeps.kind)}
        for name, (low, bits) in places.items():
            if bits:
                fields[name] = getattr(word, name)[low : low + bits]
        crosspoint = Crosspoint(router=config, input=i, output=j)
        if keeps.over:
            end = place(m, f"run_end_{i}_{j}", RunEnd, crosspoint)
            m.d.comb += [getattr(end, name).eq(fields[name]) for name in HEADER if name in fields]
            fields |= {name: getattr(end, name) for name in ENDS if getattr(keeps, name)}
        m.d.comb += queue.data.eq(Cat(fields.values()))
        head, low_bit = {}, 0
        for name, value in fields.items():
            low = places[name][0] if name in places else 0
            head[name] = Cat(C(0, low), queue.o[low_bit : low_bit + len(value)])
            low_bit += len(value)
        m.d.comb += [getattr(output.i[k], name).eq(head.get(name, 0)) for name in ("data", "last", "error", "kind")]
        if j == n:
            return
        following = place(m, f"next_set_{i}_{j}", NextSet, crosspoint)
        m.d.comb += [getattr(following, name).eq(head.get(name, 0)) for name in ("data", *HEADER, *ENDS)]
        m.d.comb += [
            output.i[k].push.eq(following.push),
            output.i[k].r1.eq(following.left_r1),
            output.i[k].r2.eq(following.left_r2),
        ]

    def _links(self, m, j, enter, leave, control_port, extra):
        """Connect the links of dimension j: registers for words where they leave, for flags where they come in."""
        port = Port(router=self.config, port=j)
        words = place(m, f"link_pipe_{j}_forward", LinkPipe, port, forward=True, **extra)
        flags = place(m, f"link_pipe_{j}_backward", LinkPipe, port, forward=False, **extra)
        link, out = self.link_in[j], self.link_out[j]
        for name in words.o.signature.members:
            sent = control_port.fault[j] if name == "down" else getattr(leave, name)
            m.d.comb += [getattr(words.i, name).eq(sent), getattr(out, name).eq(getattr(words.o, name))]
            if name in enter.link.signature.members:
                m.d.comb += getattr(enter.link, name).eq(getattr(link, name))
        rooms = {f"ready_r{context}": getattr(self, f"reduce_ready{context}")[j] for context in self.contexts}
        for name in flags.o.signature.members:
            m.d.comb += [
                getattr(flags.i, name).eq(rooms[name] if name in rooms else getattr(enter, name)),
                getattr(link, name).eq(getattr(flags.o, name)),
                getattr(leave, name).eq(getattr(out, name)),
            ]

    def _reductions(self, m, j, leave, cut):
        """Connect the join units with the links of dimension j."""
        link = self.link_in[j]
        for context in self.contexts:
            arrival, request = (getattr(self, f"{name}{context}")[j] for name in ("reduce_in", "reduce"))
            connect(m, flipped(request), getattr(leave, f"reduce{context}"))
            fields = [name for name in arrival.signature.members if name != "push_r"]
            m.d.comb += [getattr(arrival, name).eq(getattr(link, name)) for name in fields]
            m.d.comb += arrival.push_r.eq(getattr(link, f"push_r{context}") & ~cut)


def signature(config: CrosspointConfig, *, adapter: bool = False, reduce: int = 0) -> wiring.Signature:
    """Return the ports of a router with these parameters.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    adapter : bool
        With those for a network adapter beside it.
    reduce : int
        With those for so many join units beside it.
    """
    n = config.dim
    beside = {"adapter_report": In(Report(n))} if adapter else {}
    if adapter or (reduce and config.loses_words):
        beside["cut"] = Out(n)
    for context in CONTEXTS[:reduce]:
        beside |= {
            f"reduce_in{context}": Out(ReduceIn(config)).array(n),
            f"reduce_ready{context}": In(n),
            f"reduce{context}": In(ReduceOut(config)).array(n),
        }
    return router_ports(n, Link(config, reduce=reduce), Inject(config), Eject(config), beside)
