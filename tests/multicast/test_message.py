"""Message formats of sections 6.2 and 7.4 of the dissertation, and of the source field."""

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode


@pytest.mark.parametrize(
    ("changes", "destinations", "words"),
    [
        ({}, [7, 20], [2, 7, 20, 0, 99]),
        ({"fault_tolerant": False}, [7, 20], [2, 7, 20, 6, 99]),
        ({"source_field": True}, [7, 20], [2, 7, 20, 0, 6, 99]),
        ({"max_dest": 1}, [7, 20], [2, 7, 20, 31, 99]),
        ({}, None, [31, 31, 99]),
        ({"fault_tolerant": False}, None, [31, 6, 99]),
        ({"source_field": True}, None, [31, 31, 6, 99]),
    ],
)
def test_header(changes, destinations, words):
    """k, the list, then Control (ones only when the message travels by broadcast) or S, then the payload."""
    assert encode(Config(dim=5, **changes), 6, destinations, [99]) == words
