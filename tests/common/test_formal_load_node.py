"""What a load node never makes of its lists and of what waits; what lists its own node, or forgets, is refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from cubecast.golden.common.contract.load import MOST_WAITING, RATE_ONE, LoadShape, settings
from cubecast.golden.common.twins.load_node import LoadNode as Twin
from cubecast.rtl.common.load_node import LoadNode
from cubecast.tb.harness.formal import prove
from tests.common.backlog_spec import BacklogSpec
from tests.common.bounds_spec import BoundsSpec
from tests.common.offer_spec import OfferSpec
from tests.harness.altered import Altered

SHAPES = {
    "tables": LoadShape(dim=2, width=12, packet_limit=3, block_dims=1, tables=True, bitmaps=True),
    "whole": LoadShape(dim=2, width=12, packet_limit=3, block_dims=2),
    "singles": LoadShape(dim=2, width=12, packet_limit=3, block_dims=0),
}


def spec(shape, **still):
    """Return that no list has bit 0, the sender, and that the last of its blocks leaves with the message."""
    never = {"bitmap": 1, "done_blocks": 1 << (shape.nodes >> shape.block_dims) - 1}
    return BoundsSpec(LoadNode(shape), never=never, still=still)


@pytest.mark.parametrize("shape", SHAPES)
def test_lists_are_proven(shape):
    """With settings that let nobody send to itself."""
    prove(spec(SHAPES[shape], spanned=1), depth=1)


def test_a_list_with_its_sender_is_refuted():
    """A broadcast to all that the setting spans, the sender too."""
    prove(spec(SHAPES["tables"]), mode="bmc", depth=8, expect="fail")


def test_what_waits_is_never_forgotten():
    """Where one more could not be counted, none arrives; also beside a message that leaves."""
    prove(BacklogSpec(LoadNode(SHAPES["tables"])), depth=1)


def test_what_waits_grows():
    """A message comes while none leaves."""
    prove(BacklogSpec(LoadNode(SHAPES["tables"])), mode="cover", depth=8)


class Forgets(wiring.Component):
    """A count of what waits that begins anew behind the most that it can be."""

    def __init__(self):
        super().__init__({"arrives": In(1)})

    def elaborate(self, platform):
        """Count."""
        m = Module()
        backlog = Signal(2, name="backlog")
        m.d.sync += backlog.eq(backlog + self.arrives)
        return m


def test_a_count_that_forgets_is_refuted():
    """After four messages."""
    prove(BacklogSpec(Forgets()), mode="bmc", depth=8, expect="fail")


def test_a_message_stays_on_offer_when_no_more_can_wait():
    """As many wait as can be counted and one more would come: the one on offer stays, until its router is ready."""
    shape = SHAPES["whole"]
    node, given = Twin(shape), dict.fromkeys(settings(shape), 1)
    given |= {"rate": RATE_ONE, "length": 2, "broadcast": 0, "listed": 0, "share": 0, "other_share": 0}
    node.step(given | {"load": 1})
    node.step(given)
    node.backlog = MOST_WAITING - 1
    steps = [node.step(given | {"enable": 1, "inject__ready": int(cycle in (1, 4))}) for cycle in range(8)]
    assert all(step["inject__valid"] and not step["idle"] for step in steps)
    assert [step["arrived"] for step in steps] == [0, 1, 0, 0, 0, 0, 1, 0]
    assert node.backlog == MOST_WAITING


class OffersTwo(Altered):
    """Nothing is on offer while one message waits; the last one stays."""

    unit = LoadNode

    def alter(self, m, inner):
        """Hide it."""
        waits = Signal(2)
        with m.If(inner.arrived & ~waits.all()):
            m.d.sync += waits.eq(waits + 1)
        m.d.comb += self.inject.valid.eq(inner.inject.valid & waits[1])
        return ("inject__valid",)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_waits_is_offered(shape):
    """However many messages that are."""
    prove(OfferSpec(SHAPES[shape]), depth=1)


def test_an_offer_is_reached():
    """With two that wait."""
    prove(OfferSpec(SHAPES["whole"]), mode="cover", depth=8)


def test_a_last_message_that_is_not_offered_is_refuted():
    """It is drawn, and waits."""
    prove(OfferSpec(SHAPES["whole"], OffersTwo), mode="bmc", depth=8, expect="fail")
