"""AXI ports of the network adapter, of a node with one, and of a network of these."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, register_map
from cubecast.golden.common.contract.axi import Axi, Registers, Slave, Stream, registers_with, router_slave

__all__ = ["axi", "axi_of_adapter"]


def _streams(config: AdapterConfig) -> tuple[Stream, ...]:
    """Return the streams of messages."""
    n, more = config.dim, (("more", 1),) if config.reassemble else ()
    return (
        Stream(port="send", prefix="s_axis", into=True, width=config.width),
        Stream(
            port="receive",
            prefix="m_axis",
            into=False,
            width=config.width,
            beside=(("first", 1), ("path", n), *more, ("ordinal", config.ordinal_port_bits)),
            ident=("source", n),
        ),
    )


def _registers(config: AdapterConfig) -> Registers:
    """Return the registers of the adapter."""
    return registers_with(ADDRESS_BITS, register_map(config))


def axi(config: AdapterConfig, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a node, or a network, stand for: messages, the router's registers, the adapter's."""
    own = Slave(port="adapter", prefix="s_axi_adapter", config=_registers(config))
    return Axi(
        streams=_streams(config),
        slaves=(router_slave(config.router.control), own),
        nodes=config.nodes if cube else 0,
    )


def axi_of_adapter(config: AdapterConfig) -> Axi:
    """Return what the AXI ports of an adapter alone stand for: messages and its registers."""
    return Axi(streams=_streams(config), slaves=(Slave(port="control", prefix="s_axi", config=_registers(config)),))
