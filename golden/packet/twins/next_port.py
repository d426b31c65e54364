"""Next port: the output port that a packet wants at the neighbour it is sent to."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE

__all__ = ["NextPort", "lowbit", "next_port"]


def lowbit(config: PacketConfig, value: int) -> int:
    """Return the index of the lowest set bit of ``value``, LOCAL if it is 0.

    Source: Buzzard 1988, section 5.3 (the e-cube scheme).
    """
    return (value & -value).bit_length() - 1 if value else config.dim


def next_port(config: PacketConfig, address: int, destination: int, port: int, broadcast: int) -> int:
    """Return the next port in the head of a packet that leaves node ``address`` by ``port``.

    Source: Buzzard 1988, section 5.4.2; broadcasts: section 5.1.
    """
    if port == config.dim:
        return port
    if broadcast:
        return port + 1 & NONE
    return lowbit(config, (address ^ 1 << port ^ destination) & config.nodes - 1)


class NextPort:
    """Twin of the unit next_port; combinational.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.2.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Keep the parameters."""
        self.config = config

    def step(self, inputs: Inputs) -> Outputs:
        """Return the outputs for these inputs."""
        values = [inputs.get(name, 0) for name in ("address", "destination", "port", "broadcast")]
        return {"next": next_port(self.config, *values)}
