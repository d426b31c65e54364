"""What a load node never makes of its lists, and one that lists its own node is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.common.contract.load import LoadShape
from cubecast.rtl.common.load_node import LoadNode
from cubecast.tb.harness.formal import prove
from tests.common.bounds_spec import BoundsSpec

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
