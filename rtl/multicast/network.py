"""Network: a hypercube of routers."""

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.multicast.router import Router, signature

__all__ = ["Network"]


class Network(Cube):
    """2**n routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``, ``link``) reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_error : in, 1, w, 1, 1 per node
        Messages of the processors.
    inject_ready : out, 1 per node
        A word of theirs is taken.
    eject_valid, eject_data, eject_last, eject_error : out, 1, w, 1, 1 per node
        Deliveries.
    eject_ready : in, 1 per node
        A delivered word is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports.
    control_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is cut.
    link_j_valid, link_j_data, link_j_last, link_j_error, link_j_lane, link_j_ready : out, 1, w, 1, 1, lane_bits, L
        With ``probe``: the link out of each node in dimension j.
    link_j_down : out, 1 per node
        With ``probe`` in the fault-tolerant format: its sender's fault bit.

    Source: Lan 1988, section 2.3 (hypercube), figures 2.1 and 2.2.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        super().__init__(Router, signature(config), config, called="router", probe=probe)
