"""Packet network: a hypercube of packet routers."""

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.packet.router import PacketRouter, signature

__all__ = ["PacketNetwork"]


class PacketNetwork(Cube):
    """2**n packet routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``, ``link``) reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_slots : in, 1, w, 1, n per node
        Packets of the nodes.
    inject_ready : out, n per node
        Slots that can take a word.
    eject_valid, eject_data, eject_last, eject_error : out, 1, w, 1, 1 per node
        Packets for the nodes.
    eject_ready : in, 1 per node
        A word for the node is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports.
    control_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is out of use.
    link_j_valid, link_j_head, link_j_data, link_j_ready, link_j_refusing : out, 1, 1, head_bits, 1, 1 per node
        With ``probe``: the parallel link out of each node in dimension j.
    link_j_line, link_j_hold : out, 1 per node
        The same for serial links.

    Source: Buzzard 1988, section 5.2 (hypercube of nodes with a router each).
    """

    def __init__(self, config: PacketConfig, *, probe: bool = False):
        super().__init__(PacketRouter, signature(config), config, called="router", probe=probe)
