"""The node input port always has room for what it let in, and a broken one is refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.node_input_port import NodeInputPort
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.node_input_port_spec import EndsSpec, NodeInputPortSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=2, fifo_depth=5)
"""The least FIFO: one packet, and two flits of the one before."""

THREE = PacketConfig(dim=3, width=7, max_words=3, fifo_depth=6)


class OpensEarly(Altered):
    """It opens with room for a word less than it needs."""

    def unit(self, config):
        """Build it for shorter packets; the ports are the same."""
        return NodeInputPort(dataclasses.replace(config, max_words=config.max_words - 1))

    def alter(self, m, inner):
        """Change nothing else."""
        return ()


class AlwaysOpen(Altered):
    """It opens whatever there is in it."""

    unit = NodeInputPort

    def alter(self, m, inner):
        """Be open."""
        m.d.comb += self.open.eq(1)
        return ("open",)


@pytest.mark.parametrize("config", [CONFIG, pytest.param(THREE, marks=pytest.mark.soak)])
def test_the_fifo_never_overflows(config):
    """With the output of the crossbar and requesters of any speed, for all time."""
    prove(NodeInputPortSpec(config), depth=2, unroll=False)


def test_the_last_place_is_used():
    """No smaller FIFO would do."""
    prove(NodeInputPortSpec(CONFIG), mode="cover", depth=12)


@pytest.mark.parametrize("broken", [OpensEarly, AlwaysOpen])
def test_broken_node_input_port_is_refuted(broken):
    """A word that is written over another one is found."""
    prove(NodeInputPortSpec(CONFIG, broken), mode="bmc", depth=14, expect="fail")


class GoesOn(Altered):
    """What ended early goes on for the node."""

    unit = NodeInputPort

    def alter(self, m, inner):
        """Hide that it is the last word."""
        m.d.comb += self.eject.last.eq(inner.eject.last & ~inner.eject.error)
        return ("eject__last",)


def test_what_ended_early_ends_for_the_node():
    """Whatever comes from the crossbar, for all time."""
    prove(EndsSpec(CONFIG), mode="pdr")


def test_an_early_end_is_reached():
    """The node sees one."""
    prove(EndsSpec(CONFIG), mode="cover", depth=4)


def test_an_early_end_that_is_none_is_refuted():
    """The node would wait for more."""
    prove(EndsSpec(CONFIG, GoesOn), mode="bmc", depth=4, expect="fail")
