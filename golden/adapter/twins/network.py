"""Network of crosspoint nodes: a hypercube of 2**n routers with adapters."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS
from cubecast.golden.adapter.twins.node import AdapterNode
from cubecast.golden.adapter.twins.registers import Clock
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, join, split
from cubecast.golden.crosspoint.twins.network import links_of

__all__ = ["AdapterNetwork"]


class AdapterNetwork(Cube[AdapterNode]):
    """Twin of the network of nodes, a :class:`Cube` whose local ports are ``send`` and ``receive``.

    The adapters' registers take their edges here, since a write to them, or their random bits, wake no node.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: AdapterConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config, self.clock = config, Clock()
        n, word = config.dim, {"data": config.width, "last": 1, "error": 1}
        routers = [AdapterNode(config, node, self.clock) for node in range(config.nodes)]
        self._adapters = [router.adapter.registers for router in routers]
        self._adapter_read = 0
        super().__init__(
            routers,
            config.router,
            inject=word,
            eject={
                **word,
                "first": 1,
                "source": n,
                "path": n,
                "ordinal": config.ordinal_port_bits,
                **({"more": 1} if config.reassemble else {}),
            },
            local=("send", "receive"),
            probe=probe,
            **links_of(config.router),
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"adapter_read_data": self._adapter_read, **super().step(inputs)}
        self._adapter_read = 0 if inputs.get("rst") else self._access(inputs)
        return outputs

    def _access(self, inputs: Inputs) -> int:
        """Take the edge of the adapters' registers; return what is read."""
        addresses = split(inputs.get("adapter_address", 0), ADDRESS_BITS, self.config.nodes)
        read = [registers.read(address) for registers, address in zip(self._adapters, addresses, strict=True)]
        data = inputs.get("adapter_write_data", 0)
        for node in bits(inputs.get("adapter_write", 0)):
            self._adapters[node].write(addresses[node], data >> DATA_BITS * node & (1 << DATA_BITS) - 1)
        self.clock.cycle += 1
        return join(read, DATA_BITS)
