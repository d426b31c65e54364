"""The collective unit gives its sequencer what that is proven for, and one that does not is refuted."""

# amaranth: UnusedElaboratable=no
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.collective.unit import CollectiveUnit
from cubecast.tb.harness.formal import prove
from tests.collective.collective_unit_spec import SequencerPlacedSpec

CONFIG = CollectiveConfig(router=Config(dim=2, max_dest=2, width=16, max_data=4), max_vector=3, max_relays=2)


class TellsBoth(CollectiveUnit):
    """What is done for the pass sequencer is done for both."""

    def _send(self, m):
        """Tell both."""
        super()._send(m)
        m.d.comb += self.sequencer.request.done.eq(self.sender.done)


def test_what_surrounds_the_sequencer_is_proven():
    """For all time, whatever receiver, collector and the others do."""
    prove(SequencerPlacedSpec(CONFIG), depth=2, unroll=False)


def test_a_request_that_is_done_is_reached():
    """A word of a message after the other."""
    prove(SequencerPlacedSpec(CONFIG), mode="cover", depth=10)


def test_what_is_done_for_another_one_is_refuted():
    """It was never granted."""
    prove(SequencerPlacedSpec(CONFIG, TellsBoth), mode="bmc", depth=10, expect="fail")
