"""Outputs of the crossbar let packets pass whole and in turns, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Cat, Mux, Signal

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.crossbar_output_spec import CrossbarOutputSpec

CONFIG = PacketConfig(dim=2, width=6)


class NeverClosed(Altered):
    """The receiver is not asked whether it has room."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Be open."""
        m.d.comb += inner.open.eq(1)
        return ("open",)


class ChoosesEarly(Altered):
    """The next packet is chosen while words of the one before are still to be read."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Be closing always."""
        m.d.comb += inner.closing.eq(~0)
        return ("closing",)


class LetsGo(Altered):
    """The first requester loses the output after every flit."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Let each of its flits be the last."""
        m.d.comb += [inner.i[0].last.eq(1), self.o.last.eq(inner.o.last & (~inner.i[0].ready | self.i[0].last))]
        return "i__0__last", "o__last"


class FirstComesLast(Altered):
    """The first requester is seen only when no other requests."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Hide its request."""
        m.d.comb += inner.request.eq(Cat(self.request[0] & ~self.request[1:].any(), self.request[1:]))
        return ("request",)


class SeesOne(Altered):
    """With two requests or more, nobody is chosen."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Hide them."""
        m.d.comb += inner.request.eq(Mux(self.request & (self.request - 1), 0, self.request))
        return ("request",)


class IgnoresCut(Altered):
    """Flits leave over a cut link."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Show each that is taken."""
        m.d.comb += self.o.valid.eq(Cat(i.valid & i.ready & ~i.bad for i in self.i).any())
        return ("o__valid",)


class LosesAWord(Altered):
    """A word of the first requester that has a 1 is taken and does not leave."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += self.o.valid.eq(inner.o.valid & ~(self.i[0].ready & ~self.i[0].head & self.i[0].data[0]))
        return ("o__valid",)


class StaysCut(Altered):
    """A cut that has ended while no packet passed is seen by the next one."""

    unit = CrossbarOutput

    def alter(self, m, inner):
        """Show it until a head has been taken."""
        was = Signal()
        with m.If(Cat(i.ready & i.head for i in self.i).any()):
            m.d.sync += was.eq(0)
        with m.Elif(self.cut):
            m.d.sync += was.eq(1)
        m.d.comb += inner.cut.eq(self.cut | was)
        return ("cut",)


@pytest.mark.soak
def test_crossbar_output_of_three_dimensions_is_proven():
    """The same with four requesters."""
    prove(CrossbarOutputSpec(PacketConfig(dim=3, width=7), 4), depth=3)


@pytest.mark.parametrize(("count", "local"), [(2, False), (3, False), (5, False), (3, True)])
def test_crossbar_output_is_proven(count, local):
    """One grant, only on request and with room; whole packets; a bound on waiting; no report lost: for all time."""
    prove(CrossbarOutputSpec(CONFIG, count, local=local), depth=3, unroll=False)


def test_the_statements_are_not_empty():
    """A packet is chosen while another passes; the bound on waiting is reached."""
    prove(CrossbarOutputSpec(CONFIG, 3), mode="cover", depth=16)


@pytest.mark.parametrize(
    "broken", [NeverClosed, ChoosesEarly, LetsGo, FirstComesLast, SeesOne, IgnoresCut, LosesAWord, StaysCut]
)
def test_broken_crossbar_output_is_refuted(broken):
    """No room, too early, mixed, starved, left standing, over a cut link, lost, dropped: all are found."""
    prove(CrossbarOutputSpec(CONFIG, 3, unit=broken), mode="bmc", depth=20, expect="fail")
