"""A head goes only if its whole packet has room at the other end of the link, and margins that are too small fail."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.tb.harness.formal import prove
from tests.crosspoint.link_spec import LinkSpec


def config(**parameters):
    """Return the parameters of a small router, unless told otherwise one whose links are never cut."""
    return CrosspointConfig(**{"dim": 2, "width": 8, "fault_tolerant": False} | parameters)


LINKS = {
    "wires": config(depth=4, eject_depth=4, packet_limit=2),
    "longest": config(depth=4, eject_depth=4, packet_limit=3),
    "registers": config(depth=8, eject_depth=8, packet_limit=3, link_regs=1),
    "output_register": config(depth=8, eject_depth=8, packet_limit=3, output_register=True),
    "block": config(depth=4, eject_depth=128, packet_limit=2),
    "faults": config(depth=4, eject_depth=4, packet_limit=2, fault_tolerant=True),
}
"""Name to parameters: f and g are 0, 0; 0, 0; 1, 1; 1, 0; 0, 0; 0, 0."""

SHORT = [name for name in LINKS if name != "block"]
"""Those whose queues are full after a few cycles."""


@pytest.mark.parametrize("name", LINKS)
def test_link_is_proven(name):
    """No queue gets more than it holds, for all time."""
    prove(LinkSpec(LINKS[name]), depth=2)


@pytest.mark.parametrize("name", ["wires", "registers", "faults"])
def test_full_queues_are_reached(name):
    """Both queues of an input are full at once; with faults, both get an error tail."""
    prove(LinkSpec(LINKS[name]), mode="cover", depth=16)


@pytest.mark.parametrize(
    ("name", "broken"),
    [(name, {"slack": 1}) for name in SHORT] + [("wires", {"far": True}), ("faults", {"late": True})],
)
def test_a_margin_too_small_is_refuted(name, broken):
    """A flag that lasts one word too long, or comes a cycle later than it may; a cut that comes late."""
    prove(LinkSpec(LINKS[name], **broken), mode="bmc", depth=14, expect="fail")
