"""Pass buffer, local port and receiver lose nothing and stay in step with the messages; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.collective.local_port import LocalPort
from cubecast.rtl.collective.pass_buffer import PassBuffer
from cubecast.rtl.collective.receiver import CollectiveReceiver
from cubecast.rtl.collective.registers import CollectiveRegisters
from cubecast.tb.harness.formal import prove
from tests.collective.local_port_spec import LocalPortSpec
from tests.collective.pass_buffer_spec import PassBufferSpec
from tests.collective.receiver_spec import CollectiveReceiverSpec
from tests.collective.vector_memory_spec import VectorMemorySpec
from tests.common.bounds_spec import BoundsSpec
from tests.harness.altered import Altered
from tests.harness.together import Together

ROUTER = {"dim": 2, "width": 16, "max_dest": 2, "max_data": 4}
CONFIG = CollectiveConfig(router=Config(**ROUTER), max_vector=3)
WITH_SOURCE = CollectiveConfig(router=Config(**ROUTER, source_field=True), max_vector=3)


class LosesAPush(Altered):
    """A word that comes in the cycle in which another leaves is lost."""

    unit = PassBuffer

    def alter(self, m, inner):
        """Hide the push."""
        m.d.comb += inner.store.push.eq(self.store.push & ~self.pop)
        return ("store__push",)


class LosesAPop(Altered):
    """A word that leaves in the cycle in which another comes leaves twice."""

    unit = PassBuffer

    def alter(self, m, inner):
        """Hide the pop."""
        m.d.comb += inner.pop.eq(self.pop & ~self.store.push)
        return ("pop",)


class MixesUp(Altered):
    """A word that comes into an empty buffer comes out changed."""

    unit = PassBuffer

    def alter(self, m, inner):
        """Change its mark."""
        m.d.comb += inner.store.i_final.eq(self.store.i_final & (inner.store.level != 0))
        return ("store__i_final",)


class BothSee(Altered):
    """The host sees what comes for the collectives."""

    unit = LocalPort

    def alter(self, m, inner):
        """Show it."""
        m.d.comb += self.host_eject.valid.eq(self.eject.valid)
        return ("host_eject__valid",)


class LetsGo(Altered):
    """The port is given away in the middle of a message that comes."""

    unit = LocalPort

    def alter(self, m, inner):
        """Let every word be the last for the unit."""
        m.d.comb += [inner.eject.last.eq(1), self.host_eject.last.eq(self.eject.last)]
        m.d.comb += self.unit_eject.last.eq(self.eject.last)
        return ("eject__last", "host_eject__last", "unit_eject__last")


class TakesForNobody(Altered):
    """A word for one side is taken because the other is ready."""

    unit = LocalPort

    def alter(self, m, inner):
        """Take it."""
        m.d.comb += self.eject.ready.eq(self.host_eject.ready | self.unit_eject.ready)
        return ("eject__ready",)


class MissesTheEnd(Altered):
    """A message that ends with an error has no end."""

    unit = CollectiveReceiver

    def alter(self, m, inner):
        """Hide the end."""
        m.d.comb += inner.i.last.eq(self.i.last & ~self.i.error)
        return ("i__last",)


class HoldsUp(Altered):
    """All messages wait as a ring's do."""

    unit = CollectiveReceiver

    def alter(self, m, inner):
        """Take nothing while a ring's word would not be taken."""
        m.d.comb += inner.i.valid.eq(self.i.valid & self.ring_ready)
        m.d.comb += self.i.ready.eq(inner.i.ready & self.ring_ready)
        return ("i__valid", "i__ready")


class KeepsTheRest(Altered):
    """What is left of a ring's message waits after an abort."""

    unit = CollectiveReceiver

    def alter(self, m, inner):
        """Hide the abort."""
        m.d.comb += inner.cut_short.eq(0)
        return ("cut_short",)


def test_small_units_are_proven():
    """All claims, for all time: a buffer of five words, and the receiver in both formats."""
    specs = (PassBufferSpec(CONFIG), LocalPortSpec(CONFIG), CollectiveReceiverSpec(CONFIG))
    prove(Together(*specs, CollectiveReceiverSpec(WITH_SOURCE)), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """A word comes while another leaves an almost full buffer; the unit keeps the port to the end; a dropped end."""
    specs = (PassBufferSpec, LocalPortSpec, CollectiveReceiverSpec)
    prove(Together(*(spec(CONFIG, purpose="reach") for spec in specs)), mode="cover", depth=8)


def test_broken_ones_are_refuted():
    """All planted bugs violate a claim."""
    planted = {
        PassBufferSpec: [LosesAPush, LosesAPop],
        LocalPortSpec: [BothSee, LetsGo],
        CollectiveReceiverSpec: [MissesTheEnd, KeepsTheRest],
    }
    refuted = [spec(CONFIG, unit, purpose="refute") for spec, units in planted.items() for unit in units]
    prove(Together(*refuted), mode="cover", depth=8)


@pytest.mark.soak
def test_the_smallest_buffer_is_proven():
    """The same with two words."""
    prove(PassBufferSpec(CollectiveConfig(router=CONFIG.router, max_vector=1)), depth=2)


@pytest.mark.soak
def test_more_broken_ones_are_refuted():
    """All planted bugs violate a claim."""
    planted = {PassBufferSpec: [MixesUp], LocalPortSpec: [TakesForNobody], CollectiveReceiverSpec: [HoldsUp]}
    refuted = [spec(CONFIG, unit, purpose="refute") for spec, units in planted.items() for unit in units]
    prove(Together(*refuted), mode="cover", depth=8)


def test_sends_are_proven():
    """No more than there are neighbours, whatever is written, as the sequencer's proof takes for granted."""
    prove(BoundsSpec(CollectiveRegisters(CONFIG), {"own__sends": CONFIG.dim}), depth=1)


def test_fewer_sends_are_refuted():
    """One for each neighbour."""
    prove(BoundsSpec(CollectiveRegisters(CONFIG), {"own__sends": CONFIG.dim - 1}), mode="bmc", depth=4, expect="fail")


def test_no_word_is_written_beyond_the_vector():
    """It has three words in four rows; the last one is written."""
    prove(VectorMemorySpec(CONFIG), depth=1)


def test_the_last_word_is_written():
    """And one beyond it is not."""
    prove(VectorMemorySpec(CONFIG), mode="cover", depth=1)


def test_a_word_more_is_refuted():
    """In the fourth row."""
    prove(VectorMemorySpec(CONFIG, more=1), mode="bmc", depth=1, expect="fail")
