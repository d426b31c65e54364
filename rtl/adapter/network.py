"""Network of crosspoint nodes: a hypercube of routers with adapters."""

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.node import AdapterNode, signature
from cubecast.rtl.common.cube import Cube

__all__ = ["AdapterNetwork"]


class AdapterNetwork(Cube):
    """2**n crosspoint nodes; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``receive``, ``report``) reads 0 while its valid bit is 0; links are as on the wires.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.

    Ports
    -----
    send_valid, send_data, send_last, send_error : in, 1, w, 1, 1 per node
        Messages of the nodes.
    send_ready : out, 1 per node
        A word of theirs is taken.
    receive_valid, receive_data, receive_last, receive_error, receive_first : out, 1, w, 1, 1, 1 per node
        Words for them.
    receive_source, receive_path : out, n per node
        Which message each is of.
    receive_ready : in, 1 per node
        A word for the node is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports of the routers.
    control_read_data : out, 32 per node
        Their answers.
    adapter_address, adapter_write, adapter_write_data : in, 5, 1, 32 per node
        Registers of the adapters.
    adapter_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is cut.
    link_j_* : out
        With ``probe``: the link out of each node in dimension j, as those of the crosspoint network.
    """

    def __init__(self, config: AdapterConfig, *, probe: bool = False):
        super().__init__(AdapterNode, signature(config), config, probe=probe, payload=("first", "source", "path"))
