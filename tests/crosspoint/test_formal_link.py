"""A head goes only if its whole packet has room at the other end of the link, and margins that are too small fail."""

# amaranth: UnusedElaboratable=no
from functools import reduce
from itertools import pairwise
from operator import and_

import pytest
from amaranth.hdl import Signal

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.crosspoint.link_guard import LinkGuard
from cubecast.tb.harness.formal import prove
from tests.crosspoint.link_spec import LinkSpec
from tests.harness.altered import Altered


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
    "far_faults": config(depth=8, eject_depth=8, packet_limit=3, link_regs=1, fault_tolerant=True),
    "uneven_faults": config(depth=4, eject_depth=128, packet_limit=2, output_register=True, fault_tolerant=True),
}
"""Name to parameters: f and g are 0, 0; 0, 0; 1, 1; 1, 0; 0, 0; 0, 0; 1, 1; 1, 0."""

SHORT = [name for name, link in LINKS.items() if not link.block_eject]
"""Those whose queues are full after a few cycles."""


class Short(Altered):
    """A cut lasts as long as its cause."""

    unit = LinkGuard

    def alter(self, m, inner):
        """Forget the past."""
        m.d.comb += self.down.eq(self.link_down)
        return ("down",)


class Silent(Altered):
    """Heads that come while the link is cut are taken for none."""

    unit = LinkGuard

    def alter(self, m, inner):
        """No cut is young."""
        m.d.comb += self.young.eq(0)
        return ("young",)


class Old(Altered):
    """A cut is young for a cycle less."""

    unit = LinkGuard

    def alter(self, m, inner):
        """Take it for older."""
        past = [Signal.like(self.fault) for _ in range(2 * inner.config.forward)]
        m.d.sync += [later.eq(now) for now, later in pairwise([self.fault | self.link_down, *past])]
        m.d.comb += self.young.eq(~reduce(and_, past))
        return ("young",)


@pytest.mark.soak
@pytest.mark.parametrize("fault_tolerant", [False, True])
def test_link_of_three_dimensions_is_proven(fault_tolerant):
    """The same with the next sets of three dimensions."""
    link = config(dim=3, depth=8, eject_depth=8, packet_limit=3, link_regs=1, fault_tolerant=fault_tolerant)
    prove(LinkSpec(link), depth=7 if fault_tolerant else 2)


@pytest.mark.parametrize("name", LINKS)
def test_link_is_proven(name):
    """No queue gets more than it holds, and no copy is lost without a report, for all time."""
    # Long enough to see what each end knows of a cut.
    depth = 7 if LINKS[name].fault_tolerant and LINKS[name].forward else 2
    prove(LinkSpec(LINKS[name]), depth=depth, unroll=False)


@pytest.mark.parametrize("name", ["wires", "registers", "faults", "far_faults"])
def test_full_queues_are_reached(name):
    """Both queues of an input are full at once; with faults, both get an error tail."""
    prove(LinkSpec(LINKS[name]), mode="cover", depth=16)


@pytest.mark.parametrize(
    ("name", "broken"),
    [(name, {"slack": 1}) for name in SHORT]
    + [("wires", {"far": True}), ("faults", {"late": True})]
    + [("far_faults", {"guard": guard}) for guard in (Short, Silent, Old)],
)
def test_a_margin_too_small_is_refuted(name, broken):
    """A flag that lasts one word too long, or comes a cycle later than it may; a cut that comes late, ends early or is
    not told."""
    prove(LinkSpec(LINKS[name], **broken), mode="bmc", depth=14, expect="fail")
