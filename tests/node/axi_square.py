"""Four packet nodes with AXI wired as a square, each with ports of its own, for drivers that know one bus each."""

from amaranth import ClockDomain, ClockSignal, Module, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect

from cubecast.rtl.common.instance import place
from cubecast.rtl.node.axi_node import AxiNode, signature

__all__ = ["AxiSquare"]


class AxiSquare(wiring.Component):
    """2**n nodes; the AXI ports, ``irq``, ``watch`` and ``early`` of node v begin with ``n<v>_``.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the nodes.
    """

    def __init__(self, config):
        self.config = config
        ports = {
            name: member
            for name, member in signature(config).members.items()
            if name.startswith(("s_axi_", "m_axi_")) or name in ("irq", "early")
        }
        self._names = ports
        members = {f"n{v}_{name}": member for v in range(config.nodes) for name, member in ports.items()}
        members |= {f"n{v}_watch": signature(config).members["watch"] for v in range(config.nodes)}
        super().__init__({"aclk": In(1), "aresetn": In(1), **members})

    def elaborate(self, platform):
        """Place the nodes and connect them."""
        m = Module()
        m.domains.sync = ClockDomain()
        m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        nodes = [place(m, f"node_{v}", AxiNode, self.config) for v in range(self.config.nodes)]
        for v, node in enumerate(nodes):
            m.d.comb += node.address.eq(v)
            for j, link in enumerate(node.link_out):
                connect(m, link, nodes[v ^ 1 << j].link_in[j])
            connect(m, wiring.flipped(getattr(self, f"n{v}_watch")), node.watch)
            for name, member in self._names.items():
                outer, inner = getattr(self, f"n{v}_{name}"), getattr(node, name)
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
        return m
