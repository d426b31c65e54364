"""The load network answers as the router that is chosen, and one that answers as another is refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Module
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet import load_network
from cubecast.tb.harness.formal import prove
from tests.packet.load_network_spec import AnswerSpec

CONFIG = PacketConfig(dim=2, rows=2, max_words=3)


def any_outputs(component):
    """Return a unit with the ports of another one, whose outputs do what they like."""

    class AnyOutputs(component):
        """Nothing inside."""

        def elaborate(self, platform):
            """Drive the outputs."""
            m = Module()
            for _, member, signal in self.signature.flatten(self):
                if member.flow == wiring.Out:
                    m.d.comb += signal.eq(AnySeq(len(signal)))
            return m

    return AnyOutputs


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """Routers and load nodes are anything: the network is about their ports alone."""
    for name in ("PacketRouter", "LoadNode"):
        monkeypatch.setattr(load_network, name, any_outputs(getattr(load_network, name)))


def test_answers_are_proven():
    """Of all routers."""
    prove(AnswerSpec(CONFIG), depth=1)


def test_answers_are_reached():
    """One of the last router in which every bit is set."""
    prove(AnswerSpec(CONFIG), mode="cover", depth=1)


def test_another_answer_is_refuted():
    """That of a neighbour."""
    prove(AnswerSpec(CONFIG, 1), mode="bmc", depth=1, expect="fail")
