"""The load network answers as the router that is chosen, and one that answers as another is refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assert, Module
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet import load_network
from cubecast.tb.harness.formal import prove
from tests.harness.inside import opened, unit

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


class AnswerSpec(wiring.Component):
    """Every bit of the answer of a control port comes out.

    Parameters
    ----------
    other : int
        XOR of the address of the router whose answer is expected with that of the chosen one; but for 0 it must be
        refuted.
    """

    def __init__(self, other=0):
        self.other = other
        super().__init__({})

    def elaborate(self, platform):
        """Compare the answer with the routers' own."""
        m = Module()
        network = load_network.LoadNetwork(CONFIG)
        m.submodules.dut = fragment = opened(network)
        for _, member, signal in network.signature.flatten(network):
            if member.flow == wiring.In:
                m.d.comb += signal.eq(AnySeq(len(signal)))
        routers = [unit(fragment, f"router_{node ^ self.other}") for node in range(CONFIG.nodes)]
        answers = Array(router.control.read_data for router in routers)
        m.d.comb += Assert(network.control_read_data == answers[network.choose])
        return m


def test_answers_are_proven():
    """Of all routers."""
    prove(AnswerSpec(), depth=1)


def test_another_answer_is_refuted():
    """That of a neighbour."""
    prove(AnswerSpec(1), mode="bmc", depth=1, expect="fail")
