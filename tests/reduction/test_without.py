"""A crosspoint router that has no join unit beside it has nothing for one."""

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.tb.harness.verilog import verilog_of

ROUTER = "cubecast.rtl.crosspoint.router:CrosspointRouter"
NAMES = ("rop", "push_r")
"""What the wires of reductions are called."""


@pytest.mark.parametrize("contexts", [0, 1, 2])
def test_without_contexts_nothing_is_left(contexts: int) -> None:
    """No port, wire or requester; with one or two there are."""
    verilog = verilog_of(ROUTER, CrosspointConfig(dim=2), {"reduce": contexts})
    assert [name for name in NAMES if name in verilog] == (list(NAMES) if contexts else [])
    assert (verilog_of(ROUTER, CrosspointConfig(dim=2), {}) == verilog) == (not contexts)
