"""Node network: a hypercube of packet nodes."""

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.node.packet_node import PacketNode, signature

__all__ = ["NodeNetwork"]


class NodeNetwork(Cube):
    """2**n packet nodes wired as a :class:`Cube`, whose ports are those of :class:`PacketNode`, packed.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.

    Source: Buzzard 1988, section 5.2 (hypercube of nodes).
    """

    def __init__(self, config: NodeConfig, *, probe: bool = False):
        super().__init__(PacketNode, signature(config), config, probe=probe, payload=("address", "beats", "strobe"))
