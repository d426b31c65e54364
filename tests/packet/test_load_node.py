"""The load node beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.load_node import LoadNode


@pytest.mark.parametrize(
    ("values", "queue", "message"),
    [
        ({"max_words": 2}, 16, "max_words must be an integer from 3 to 63 where load is measured, not 2"),
        ({"width": 15}, 16, "width must be an integer from 16 to 64 where load is measured, not 15"),
        ({}, 12, "queue must be a power of two, at least 2, not 12"),
        ({}, 1, "queue must be a power of two, at least 2, not 1"),
    ],
)
def test_what_it_cannot_be(values, queue, message):
    """Parameters that leave no room for what a packet carries are refused when it is made."""
    with pytest.raises(ValueError, match=message):
        LoadNode(PacketConfig(dim=3, **values), queue=queue)
