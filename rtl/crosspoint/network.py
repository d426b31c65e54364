"""Crosspoint network: a hypercube of crosspoint routers."""

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.crosspoint.router import CrosspointRouter, signature

__all__ = ["CrosspointNetwork"]


class CrosspointNetwork(Cube):
    """2**n crosspoint routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``) reads 0 while its valid bit is 0; links are as on the wires.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_error : in, 1, w, 1, 1 per node
        Packets of the nodes.
    inject_r1, inject_r2, inject_kind : in, n, n, 2 per node
        Their headers, beside the first word.
    inject_ready : out, 1 per node
        A word of theirs is taken.
    eject_valid, eject_data, eject_last, eject_error, eject_kind : out, 1, w, 1, 1, 2 per node
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
        More than one link is cut.
    link_j_push, link_j_head, link_j_last, link_j_error, link_j_data, link_j_r1 : out, n + 1, 1, 1, 1, w, n per node
        With ``probe``: the link out of each node in dimension j.
    link_j_r2, link_j_kind, link_j_down, link_j_ready, link_j_ready_up : out, n, 2, 1, 1, 1 per node
        The same, as far as links have them.
    """

    def __init__(self, config: CrosspointConfig, *, probe: bool = False):
        super().__init__(CrosspointRouter, signature(config), config, called="router", probe=probe)
