"""The plain network in the parallel simulation of :mod:`cubecast.tb.engine.parallel`: its nodes are routers."""

from __future__ import annotations

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.engine.netlist import netlist
from cubecast.tb.engine.parallel import BOX, VECTOR, Circuit, Network
from cubecast.tb.harness.modules import ports_of

__all__ = ["RouterNetwork"]


class RouterNetwork(Network):
    """The circuits of a network of routers, and how they are connected.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    verilog : str
        Modules of the network, among them the router's and the message handling unit's.

    Raises
    ------
    ValueError
        The network has more than 64 nodes, or a combinational loop through its ports.
    """

    def __init__(self, config: Config, verilog: str) -> None:
        if config.dim > 6:
            raise ValueError(f"dim must be an integer from 2 to 6 here, not {config.dim}")
        self.config = config
        router = "cubecast_router"
        ports_of(verilog, router)
        self.shell, self.mhu = Circuit(netlist(verilog, router, (BOX,))), Circuit(netlist(verilog, BOX))
        self.boxes = self.shell.netlist.instances
        self.lane_bytes = max(1, config.nodes // 8)
        whole = len(self.boxes) * self.lane_bytes
        self.vector = min(VECTOR, max(8, 1 << (whole - 1).bit_length()))
        self.lanes = self.vector // self.lane_bytes
        self.chunks = -(-len(self.boxes) // self.lanes)
        self._find_levels()

    def _ports(self) -> str:
        """Return the tables of the ports: where each begins, and its width."""
        lines = ["struct Port { unsigned place, width; };"]
        for group, ports in (("IN", self.shell.netlist.inputs), ("OUT", self.shell.netlist.outputs)):
            place = 0
            for port, nets in ports.items():
                lines.append(f"static const Port {group}_{port.upper()} = {{{place}, {len(nets)}}};")
                place += len(nets)
        return "\n".join([*lines, ""])
