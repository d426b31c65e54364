"""Every bit of a cube's packed vectors is that of its node, and a cube with two crossed nodes is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.rtl.common.cube import Cube
from cubecast.tb.harness.formal import prove
from tests.common.cube_spec import CubeSpec


class Crosses(Cube):
    """The vectors of nodes 1 and 2 are exchanged."""

    def _assemble(self, m):
        """Assemble, and give the two each other's input."""
        nodes = super()._assemble(m)
        for here, there in ((1, 2), (2, 1)):
            m.d.comb += nodes[here].given.eq(self.given.word_select(there, len(nodes[here].given)))
        return nodes


@pytest.mark.parametrize("dim", [2, pytest.param(3, marks=pytest.mark.soak)])
def test_cube_is_proven(dim):
    """All vectors and links."""
    prove(CubeSpec(dim=dim), depth=1)


def test_vectors_that_differ_are_reached():
    """Each node has an item of its own."""
    prove(CubeSpec(), mode="cover", depth=1)


def test_crossed_nodes_are_refuted():
    """Two items in each other's place."""
    prove(CubeSpec(Crosses), mode="bmc", depth=1, expect="fail")
