"""A head goes only if its whole packet has room at the other end of the link, and margins that are too small fail."""

# amaranth: UnusedElaboratable=no
from functools import reduce
from itertools import pairwise
from operator import and_

import pytest
from amaranth.hdl import Signal

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.crosspoint.input import Input
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
    "two": config(depth=16, eject_depth=16, packet_limit=5, link_regs=2),
    "three": config(depth=16, eject_depth=16, packet_limit=8, link_regs=3, output_register=True),
    "block": config(depth=4, eject_depth=128, packet_limit=2),
    "faults": config(depth=4, eject_depth=4, packet_limit=2, fault_tolerant=True),
    "far_faults": config(depth=8, eject_depth=8, packet_limit=3, link_regs=1, fault_tolerant=True),
    "uneven_faults": config(depth=4, eject_depth=128, packet_limit=2, output_register=True, fault_tolerant=True),
    "two_faults": config(depth=16, eject_depth=16, packet_limit=5, link_regs=2, fault_tolerant=True),
    "three_faults": config(depth=16, eject_depth=16, packet_limit=5, link_regs=3, fault_tolerant=True),
}
"""Name to parameters: f and g are 0, 0; 0, 0; 1, 1; 1, 0; 2, 2; 4, 3; 0, 0; 0, 0; 1, 1; 1, 0; 2, 2; 3, 3."""

FARTHEST = config(depth=16, eject_depth=16, packet_limit=8, link_regs=3, output_register=True, fault_tolerant=True)
"""The most that f and g can be, 4 and 3, and the longest packets there."""

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


class Endless(Input):
    """A packet that a cut ends has no last word in the queues."""

    def elaborate(self, platform):
        """Say so at the end of the packet alone."""
        m = super().elaborate(platform)
        m.d.comb += self.last.eq(self.link.last)
        return m


class Flawless(Input):
    """A packet that a cut ends is as if it were whole."""

    def elaborate(self, platform):
        """Say nothing of the cut."""
        m = super().elaborate(platform)
        m.d.comb += self.error.eq(self.link.error)
        return m


class Whitewashes(Input):
    """What was wrong with a packet before is no longer known behind the link."""

    def elaborate(self, platform):
        """Say so of a cut alone."""
        m = super().elaborate(platform)
        m.d.comb += self.error.eq(self.cut)
        return m


class BlamesItself(Input):
    """A report is about the node that makes it."""

    def elaborate(self, platform):
        """Name it."""
        m = super().elaborate(platform)
        m.d.comb += self.report.destination.eq(self.address)
        return m


@pytest.mark.soak
@pytest.mark.parametrize("fault_tolerant", [False, True])
@pytest.mark.parametrize("link_regs", [1, 2, 3])
def test_link_of_three_dimensions_is_proven(link_regs, fault_tolerant):
    """The same with the next sets of three dimensions."""
    depth = 8 if link_regs == 1 else 16
    parameters = {"depth": depth, "eject_depth": depth, "link_regs": link_regs, "fault_tolerant": fault_tolerant}
    link = config(dim=3, packet_limit=3 if link_regs == 1 else 5, **parameters)
    prove(LinkSpec(link), depth=_seen(link))


@pytest.mark.parametrize("name", [*LINKS, pytest.param("farthest", marks=pytest.mark.soak)])
def test_link_is_proven(name):
    """No queue gets more than it holds, and no copy is lost without a report, for all time."""
    link = (LINKS | {"farthest": FARTHEST})[name]
    prove(LinkSpec(link), depth=_seen(link), unroll=False)


@pytest.mark.parametrize("name", ["wires", "registers", "three", "faults", "far_faults", "three_faults"])
def test_full_queues_are_reached(name):
    """Both queues of an input are full at once; with faults, both get an error tail."""
    prove(LinkSpec(LINKS[name]), mode="cover", depth=_filled(LINKS[name]))


@pytest.mark.parametrize(
    ("name", "broken"),
    [(name, {"slack": 1}) for name in SHORT]
    + [("wires", {"far": True}), ("faults", {"late": True})]
    + [("far_faults", {"guard": guard}) for guard in (Short, Silent, Old)]
    + [("two_faults", {"guard": guard}) for guard in (Short, Silent, Old)]
    + [("faults", {"enter": enter}) for enter in (Endless, Flawless, Whitewashes, BlamesItself)],
)
def test_a_margin_too_small_is_refuted(name, broken):
    """A flag that lasts one word too long, or comes a cycle later than it may; a cut that comes late, ends early, is
    not told, or leaves a packet without its end; an error that is forgotten, a report about another node."""
    prove(LinkSpec(LINKS[name], **broken), mode="bmc", depth=_filled(LINKS[name]), expect="fail")


def _seen(link):
    """Return cycles within which both ends know of a cut."""
    return 2 + 5 * link.forward * link.fault_tolerant


def _filled(link):
    """Return cycles within which queues are filled."""
    return 14 if link.depth < 16 else 26
