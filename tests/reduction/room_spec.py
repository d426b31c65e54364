"""What the flags of the join unit have to promise to its neighbours."""

import dataclasses

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import Register
from cubecast.rtl.reduction.unit import ReductionUnit
from tests.harness.inside import opened, register

__all__ = ["Generous", "QueueRoomSpec"]


class Generous(ReductionConfig):
    """The same node with a queue that has room for one word too many."""

    @property
    def queue_shape(self):
        """Count one word less."""
        shape = super().queue_shape
        return dataclasses.replace(shape, most=shape.most + 1)


class QueueRoomSpec(wiring.Component):
    """No queue of the unit ever gets a word that it has no place for.

    Neighbours send a word in any cycle in which the flag lets them, f registers before it comes and g behind the flag.
    Free are what the host writes (but TREE while words are under way), the node, the links that take words.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config):
        self.config = config
        super().__init__({})

    def elaborate(self, platform):
        """Send over all links, and count what is under way."""
        m = Module()
        config, n, depth = self.config, self.config.dim, self.config.reduce_depth
        forward, backward = config.router.forward, config.router.backward
        dut = ReductionUnit(config)
        m.submodules.dut = fragment = opened(dut)
        inputs = [signal for _, member, signal in dut.signature.flatten(dut) if member.flow == wiring.In]
        sends = [link.push_r for link in dut.link]
        m.d.comb += [port.eq(AnySeq(len(port))) for port in inputs if not any(port is push for push in sends)]
        flags = [dut.ready_r]
        for age in range(backward):
            flags.append(Signal(n, name=f"flag_{age}"))
            m.d.sync += flags[-1].eq(flags[-2])
        words = [Signal(n, name="sent")]
        m.d.comb += words[0].eq(AnySeq(n) & flags[-1])
        for age in range(forward):
            words.append(Signal(n, name=f"word_{age}"))
            m.d.sync += words[-1].eq(words[-2])
        m.d.comb += [push.eq(words[-1][j]) for j, push in enumerate(sends)]

        running = register(fragment, "registers", "running")
        enabled, aborts = (register(fragment, "registers", f"CTRL_{name}") for name in ("enable", "abort"))
        quiet, full = [~running, ~dut.ready_r.any(), *(~word.any() for word in (*flags[1:], *words[1:]))], []
        tree = {name: register(fragment, "registers", f"TREE_{name}") for name in ("parent", "a", "b")}
        for name, end in (("a", "a"), ("b", "b"), ("d", "parent")):
            count = register(fragment, f"queue_{name}", "count")
            ne = register(fragment, f"queue_{name}", "ne")
            select = Cat(tree[end] == j for j in range(n))
            under_way = sum(((word & select).any() for word in words[1:]), count)
            if config.reduce_register:
                kept = Cat(register(fragment, f"link_{j}_push_r") for j in range(n))
                under_way = under_way + (kept & select).any()
                quiet.append(~kept.any())
            quiet.append(count == 0)
            full.append(count == depth)
            m.d.comb += [Assert(count <= depth), Assert(ne == (count != 0)), Assert(under_way <= depth)]
            if type(config) is ReductionConfig:
                # Make it inductive: the older a flag, the less is left. At the root, queue d has no link.
                for age, flag in enumerate(flags):
                    left = depth - 1 - backward + age
                    m.d.comb += Assert(~(flag & select).any() | (under_way <= left))
        own = register(fragment, "queue_own", "count")
        m.d.comb += [Assert(own <= depth), Assert(register(fragment, "queue_own", "ne") == (own != 0))]
        writes, data = dut.control.write, dut.control.write_data
        links = [data[low : low + 4] for low in (0, 4, 8)]
        apart = [
            (one != other) | (one >= n)
            for one, other in ((0, 1), (0, 2), (1, 2))
            for one, other in [(links[one], links[other])]
        ]
        held = [tree["parent"], tree["a"], tree["b"]]
        m.d.comb += [
            Assume(~writes | (dut.control.address != Register.TREE) | (Cat(quiet).all() & Cat(apart).all())),
            Assert(running == (enabled & ~aborts)),
            *(
                Assert(register(fragment, "registers", end) == Cat(tree[end] == j for j in range(n)))
                for end in ("parent", "a", "b")
            ),
            *(Assert((held[x] != held[y]) | (held[x] >= n)) for x, y in ((0, 1), (0, 2), (1, 2))),
            Cover(Cat(full).all()),
        ]
        return m
