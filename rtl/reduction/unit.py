"""Reduction unit: joins words of the node and of its children, and gives the results to them."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS
from cubecast.golden.reduction.contract.word import FIELDS
from cubecast.rtl.common.control_port import serve
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.select import selected
from cubecast.rtl.crosspoint.link import ReduceIn, ReduceOut
from cubecast.rtl.crosspoint.queue import Queue
from cubecast.rtl.reduction.down import Down
from cubecast.rtl.reduction.join import Join
from cubecast.rtl.reduction.link import Own, Result, fields_of, operators
from cubecast.rtl.reduction.link_pick import LinkPick
from cubecast.rtl.reduction.registers import Registers

__all__ = ["ReductionUnit"]


class ReductionUnit(wiring.Component):
    """Join unit of a node, on a tree that the host configures.

    When nothing contends, a word that the node offers in cycle t is on the link to the parent in t + 3; one on a link
    from child a in cycle c is there in c + 3 + x, one from child b in c + 2 + x, and a result on the link from the
    parent in cycle c is on those to the children in c + 1 + x; x = 1 with ``reduce_register``, else 0.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.

    Ports
    -----
    link__j__push_r, link__j__data, link__j__rop, link__j__last, link__j__error : in, 1 and w and 4 and 1 and 1
        Words that come over link j.
    ready_r : out, n
        Room for a word from link j; registers.
    cut : in, n
        Links that are cut, where links have registers: the words in these are lost, and what follows is marked.
    output__j__request, output__j__data, output__j__rop, output__j__last, output__j__error, output__j__taken
        Words for link j: 1, w, 4, 1, 1 bits out; taken in.
    own__valid, own__data, own__rop, own__last, own__ready : 1, w, 4, 1 bits in; ready out
        Words of the node.
    result__valid, result__data, result__last, result__error, result__ready : 1, w, 1, 1 bits out; ready in
        Results for the node.
    control__address, control__write, control__write_data, control__read_data : 4, 1, 32, 32
        Registers.
    alarm : out
        Something is wrong, see the register STATUS.
    operator_1__valid, ..._a, ..._b, ..._rop, ..._y, operator_2__... : out, 1 and w and w and 4; y in, w
        With ``operator_latency``: operands for the operators of the node, and what these make of them.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "link": In(ReduceIn(config.router)).array(n),
                "ready_r": Out(n),
                **({"cut": In(n)} if config.router.loses_words else {}),
                "output": Out(ReduceOut(config.router)).array(n),
                "own": In(Own(config)),
                "result": Out(Result(config)),
                "control": In(RegisterPort(ADDRESS_BITS)),
                "alarm": Out(1),
                **operators(config),
            }
        )

    def elaborate(self, platform):
        """Place the parts and connect them."""
        m = Module()
        config = self.config
        registers = place(m, "registers", Registers, config)
        join = place(m, "joined", Join, config)
        down = place(m, "down", Down, config)
        queues = {name: place(m, f"queue_{name}", Queue, config.queue_shape) for name in ("own", "a", "b", "d")}
        running, parent, a, b = registers.running, registers.parent, registers.a, registers.b
        root, turned, pushed = Signal(), Signal(), Signal()
        picks, arrivals = {}, self._arrivals(m)
        broken, breaks = self._broken(m, running, {"a": a, "b": b, "d": parent})
        for name, links in (("a", a), ("b", b), ("d", parent)):
            picks[name] = pick = place(m, f"link_pick_{name}", LinkPick, config)
            m.d.comb += pick.select.eq(links)
            for inner, arrival in zip(pick.link, arrivals, strict=True):
                m.d.comb += [getattr(inner, field).eq(value) for field, value in arrival.items()]
        heads = {name: fields_of(config, queue.o) for name, queue in queues.items()}
        m.d.comb += [
            root.eq(~parent.any()),
            turned.eq(root & join.o.taken),
            pushed.eq(self.own.valid & self.own.ready),
            # Abort takes the node's words and drops them.
            self.own.ready.eq(registers.abort | (running & (queues["own"].level != config.reduce_depth))),
            queues["own"].push.eq(running & pushed),
            queues["own"].data.eq(Cat(self.own.data, self.own.rop, self.own.last, self.own.rop[-1])),
        ]
        for name in ("a", "b"):
            m.d.comb += [
                queues[name].push.eq(running & picks[name].push),
                queues[name].data.eq(_packed(picks[name], *broken[name])),
            ]
        m.d.comb += [
            queues["d"].push.eq(Mux(root, turned, running & picks["d"].push)),
            queues["d"].data.eq(Mux(root, _packed(join.o), _packed(picks["d"], *broken["d"]))),
        ]
        for name, head in (("own", join.own), ("a", join.a), ("b", join.b)):
            m.d.comb += [head.ne.eq(queues[name].ne), queues[name].pop.eq(head.pop)]
            m.d.comb += [getattr(head, field).eq(heads[name][field]) for field in FIELDS]
        m.d.comb += [
            down.d.ne.eq(queues["d"].ne),
            queues["d"].pop.eq(down.d.pop),
            self.result.valid.eq(down.result.valid),
            down.result.ready.eq(self.result.ready),
            *(getattr(self.result, field).eq(heads["d"][field]) for field in ("data", "last", "error")),
        ]
        for unit in (join, down):
            m.d.comb += [unit.running.eq(running), unit.has_a.eq(a.any()), unit.has_b.eq(b.any())]
        m.d.comb += [join.member.eq(registers.member), down.deliver.eq(registers.deliver)]
        for name in operators(config):
            connect(m, getattr(join, name), flipped(getattr(self, name)))
        self._outputs(m, registers, join, down, heads["d"])
        m.d.comb += join.o.taken.eq(
            join.o.valid & Mux(root, queues["d"].level != config.reduce_depth, self._taken(parent))
        )
        room = Cat(selected((a[j], b[j], parent[j]), self._rooms(queues)) for j in range(config.dim))
        m.d.sync += self.ready_r.eq(Mux(running, room, 0))
        self._events(m, registers, join, down, queues, heads["d"], picks, breaks)
        return m

    def _arrivals(self, m):
        """Return the words that come over the links, in this cycle or, out of registers, in the one before.

        Registers stand before the link picks, so that a link ends at them and not behind a choice among links.
        """
        arrivals = []
        for j, link in enumerate(self.link):
            fields = {name: getattr(link, name) for name in link.signature.members}
            if self.config.reduce_register:
                kept = {name: Signal.like(value, name=f"link_{j}_{name}") for name, value in fields.items()}
                m.d.sync += [kept[name].eq(value) for name, value in fields.items()]
                fields = kept
            arrivals.append(fields)
        return arrivals

    def _broken(self, m, running, links):
        """Return what tells of each queue that its link was cut since the unit runs, and what tells of a cut now."""
        broken, breaks = {name: () for name in links}, []
        if self.config.router.loses_words:
            for name, link in links.items():
                lost, cut = Signal(name=f"broken_{name}"), Signal(name=f"break_{name}")
                m.d.comb += cut.eq(running & (self.cut & link).any())
                m.d.sync += lost.eq(running & (lost | cut))
                broken[name] = (lost,)
                breaks.append(cut)
        return broken, breaks

    def _rooms(self, queues):
        """Return the flags of the queues that links lead to."""
        return [queues[name].room for name in ("a", "b", "d")]

    def _taken(self, links):
        """Return whether a word goes over one of these links."""
        return (links & Cat(output.taken for output in self.output)).any()

    def _outputs(self, m, registers, join, down, head):
        """Ask for the link to the parent with what is joined, for those to the children with the results."""
        for j, output in enumerate(self.output):
            up = registers.parent[j]
            m.d.comb += output.request.eq(
                (up & join.o.valid) | (registers.a[j] & down.ask_a) | (registers.b[j] & down.ask_b)
            )
            m.d.comb += [getattr(output, field).eq(Mux(up, getattr(join.o, field), head[field])) for field in FIELDS]
        m.d.comb += [down.taken_a.eq(self._taken(registers.a)), down.taken_b.eq(self._taken(registers.b))]

    def _events(self, m, registers, join, down, queues, head, picks, breaks):
        """Tell the registers what happens, and connect their port."""
        serve(m, self.control, registers)
        running, leaves = registers.running, Signal()
        busy = [pick.push for pick in picks.values()] if self.config.reduce_register else []
        m.d.comb += [
            leaves.eq(running & down.d.pop),
            registers.late_wait.eq(Cat(join.wait_own, join.wait_a, join.wait_b)),
            registers.down_wait.eq(running & queues["d"].ne),
            registers.mismatch.eq(join.mismatch),
            registers.bad_result.eq(reduce(or_, breaks, leaves & head["error"])),
            registers.up.eq(join.o.taken),
            registers.down.eq(leaves),
            registers.link_wait.eq(join.o.valid & ~join.o.taken),
            registers.idle.eq(join.empty & ~Cat(*(queue.ne for queue in queues.values()), *busy).any()),
            self.alarm.eq(registers.alarm),
        ]


def _packed(word, *lost):
    """Return a word as a queue keeps it; marked, if words before it were lost."""
    fields = {field: getattr(word, field) for field in FIELDS}
    return Cat((fields | {"error": reduce(or_, lost, word.error)}).values())
