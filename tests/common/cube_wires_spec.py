"""What a network has to promise about the wires between its nodes and its ports, whatever the nodes do."""

from amaranth.hdl import Assert, Cat, Cover, Module, Mux
from amaranth.lib import wiring

from cubecast.rtl.common import cube
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["CubeWiresSpec"]

LINKS = ("link_in", "link_out")

GATED = frozenset(
    {"a", "address", "b", "beats", "data", "destination", "error", "first", "head", "kind", "lane", "last", "more"}
    | {"ordinal", "path", "port", "reason", "rop", "source", "strobe"}
)
"""Members of streams that read 0 while they are not valid."""

PLAIN = {("came", "source")}
"""But for these, of load nodes."""


class CubeWiresSpec(wiring.Component):
    """Item v of each port is that of node v, 0 while its stream is not valid; links lead to neighbours.

    Nodes are emptied.

    Parameters
    ----------
    network : Cube
        The network.
    called : str
        What its nodes are called.
    hidden : sequence of str
        Ports of the nodes that the network keeps for itself, which are not looked at.
    other : int
        XOR of the address of the node that a link is expected to lead to with that of the neighbour; but for 0 it must
        be refuted.
    """

    def __init__(self, network, called, hidden=(), other=0):
        self.dut, self.called, self.hidden, self.other = network, called, hidden, other
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        network, count = self.dut, self.dut.config.nodes
        with emptying(cube):
            m.submodules.dut = fragment = opened(network)
        freed(m, network)
        nodes = [unit(fragment, f"{self.called}_{v}") for v in range(count)]
        for v, node in enumerate(nodes):
            m.d.comb += Assert(node.address == v)
            for j, link in enumerate(node.link_out):
                m.d.comb += equal(link, nodes[v ^ 1 << j ^ self.other].link_in[j])
                if network.probe:
                    self._probed(m, link, j, v)
            self._ports(m, node, v)
        m.d.comb += Cover(Cat(node.report.valid for node in nodes).all())
        return m

    def _probed(self, m, link, j, v):
        """Compare a link out of a node with the ports that show it."""
        for (name,), _, value in link.signature.flatten(link):
            vector = getattr(self.dut, f"link_{j}_{name}")
            shown = Mux(link.valid, value, 0) if name in GATED and hasattr(link, "valid") else value
            m.d.comb += Assert(vector.word_select(v, len(value)) == shown)

    def _ports(self, m, node, v):
        """Compare the ports of a node with its items of the network's."""
        for path, member, value in node.signature.flatten(node):
            if path[0] in ("address", *LINKS, *self.hidden):
                continue
            vector = getattr(self.dut, "_".join(path))
            gated = member.flow == wiring.Out and path[-1] in GATED and path not in PLAIN
            stream = getattr(node, path[0])
            shown = Mux(stream.valid, value, 0) if gated and hasattr(stream, "valid") else value
            m.d.comb += Assert(vector.word_select(v, len(value)) == shown)
