"""Collective network: a hypercube of collective nodes."""

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.node import CollectiveNode, signature
from cubecast.rtl.common.cube import Cube

__all__ = ["CollectiveNetwork"]


class CollectiveNetwork(Cube):
    """2**n collective nodes; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``, ``vector_out``, ``link``) reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_error : in, 1, w, 1, 1 per node
        Messages of the processors.
    inject_ready : out, 1 per node
        A word of theirs is taken.
    eject_valid, eject_data, eject_last, eject_error : out, 1, w, 1, 1 per node
        Deliveries to them.
    eject_ready : in, 1 per node
        A delivered word is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports of the routers.
    control_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is cut.
    vector_in_valid, vector_in_data, vector_in_last, vector_in_error : in, 1, w, 1, 1 per node
        The nodes' own vectors.
    vector_in_ready : out, 1 per node
        A word of theirs is taken.
    vector_out_valid, vector_out_data, vector_out_last, vector_out_error : out, 1, w, 1, 1 per node
        Results of merges, messages of rings.
    vector_out_ready : in, 1 per node
        A word of theirs is taken.
    collective_address, collective_write, collective_write_data : in, 6, 1, 32 per node
        Registers of the collective units.
    collective_read_data : out, 32 per node
        Their answers.
    busy, failed : out, 1 per node
        An operation is under way; something of it was not whole or too long.
    custom_own, custom_other : out, w per node
        Words for an operation outside of the network; 0 while no word goes into the node's vector.
    custom_result : in, w per node
        What it makes of them.
    link_j_valid, link_j_data, link_j_last, link_j_error, link_j_lane, link_j_ready : out, 1, w, 1, 1, lane_bits, L
        With ``probe``: the link out of each node in dimension j.
    link_j_down : out, 1 per node
        With ``probe`` in the fault-tolerant format: its sender's fault bit.

    Source: Lan 1988, section 2.3 (hypercube); Leu and Kuo.
    """

    def __init__(self, config: CollectiveConfig, *, probe: bool = False):
        super().__init__(CollectiveNode, signature(config), config, probe=probe)
