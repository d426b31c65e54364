"""The content-addressable memory keeps packets and their order, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE
from cubecast.rtl.packet.cam import Cam
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.cam_spec import CamSpec

CONFIG = PacketConfig(dim=2, width=6, rows=3)


class LosesALoad(Altered):
    """A packet that comes in the cycle in which another leaves is lost."""

    unit = Cam

    def alter(self, m, inner):
        """Hide the load."""
        m.d.comb += inner.load.eq(self.load & ~self.free)
        return ("load",)


class LosesARewrite(Altered):
    """A broadcast whose port changes in the cycle in which another packet comes sends a copy twice."""

    unit = Cam

    def alter(self, m, inner):
        """Hide the rewrite."""
        m.d.comb += inner.rewrite.eq(self.rewrite & ~self.load)
        return ("rewrite",)


class LosesAFree(Altered):
    """A packet that is done stays when the next port of another changes."""

    unit = Cam

    def alter(self, m, inner):
        """Hide the free."""
        m.d.comb += inner.free.eq(self.free & ~self.rewrite)
        return ("free",)


class FreesTheOther(Altered):
    """A packet is lost: it is marked as done when it is loaded with length 0."""

    unit = Cam

    def alter(self, m, inner):
        """Change its next port."""
        m.d.comb += inner.load_next.eq(Mux(self.load_length == 0, NONE, self.load_next))
        return ("load_next",)


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_cam_is_proven(rows):
    """Nothing lost or doubled, in order within a port, nothing corrupted by load, rewrite and free together."""
    routing = {"routing": "fixed", "fault_tolerant": False} if rows == 1 else {}
    prove(CamSpec(PacketConfig(dim=2, width=6, rows=rows, **routing)), depth=2, unroll=False)


@pytest.mark.soak
@pytest.mark.parametrize("rows", [3, 8])
def test_cam_of_three_dimensions_is_proven(rows):
    """With four next ports, and with more rows."""
    prove(CamSpec(PacketConfig(dim=3, width=7, rows=rows)), depth=2, unroll=False)


def test_everything_at_once_is_reached():
    """The last free row is loaded while another is freed and a third gets a new port."""
    prove(CamSpec(CONFIG), mode="cover", depth=6)


@pytest.mark.parametrize("broken", [LosesALoad, LosesARewrite, LosesAFree, FreesTheOther])
def test_broken_cam_is_refuted(broken):
    """A lost packet, a copy sent twice, a row that stays, a packet that nobody asks for."""
    prove(CamSpec(CONFIG, broken), mode="bmc", depth=5, expect="fail")
