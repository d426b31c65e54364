"""Collective network: a hypercube of 2**n routers, each with a collective unit at its local port."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.local_port import LocalPort
from cubecast.golden.collective.twins.unit import Access, CollectiveUnit
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits, split
from cubecast.golden.multicast.twins.network import Network

__all__ = ["CollectiveNetwork"]

WORD = ("valid", "data", "last", "error")


class CollectiveNetwork:
    """Twin of the collective network; ports are vectors with an item for each node.

    In the payload vectors the item of a node whose valid bit is 0 is 0. ``network`` is the network of the routers,
    ``units`` are the collective units and ``ports`` the local ports by address. Only units in which something happens
    are touched.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: CollectiveConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.network = Network(config.router, probe=probe)
        self.units = [CollectiveUnit(config, address) for address in range(config.nodes)]
        self.ports = [LocalPort(config) for _ in range(config.nodes)]
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values; the memories keep their words."""
        self.network.reset()
        for unit, port in zip(self.units, self.ports, strict=True):
            unit.reset()
            port.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the units to its reset value."""
        nodes = self.config.nodes
        self._awake = set(range(nodes))
        # Masks of nodes: outputs of the units that are functions of registers, and who has the local port.
        self._loading = self._busy = self._failed = self._enable = 0
        self._inject_unit = self._eject_unit = 0
        self._eject_ready = (1 << nodes) - 1
        # The items of the nodes whose host has the direction.
        self._inject_words = self._eject_words = (1 << nodes * self.config.width) - 1
        self._address = 0
        self._addresses = [0] * nodes
        self._read = [0] * nodes
        self._read_data = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, units = inputs.get, self.units
        accesses = self._begin(inputs)
        local = self._local(inputs, accesses)
        outputs = self.network.step({**inputs, **local})
        taken, *came = (outputs[name] or 0 for name in ("inject_ready", *(f"eject_{name}" for name in WORD)))
        for node in bits(came[0] & self._eject_unit):
            if node not in accesses:
                accesses[node] = self._addresses[node], 0, 0
                units[node].begin(get("vector_out_ready", 0) >> node & 1, accesses[node])
        self._arrive(accesses, came)
        outputs["inject_ready"] = taken & ~self._inject_unit
        if self._eject_unit:
            host = ~self._eject_unit
            kept = came[0] & host, came[1] & self._eject_words, came[2] & host, came[3] & host
            outputs.update(zip((f"eject_{name}" for name in WORD), kept, strict=True))
        outputs |= self._outputs(accesses)
        if get("rst"):
            self.reset()
            return outputs
        enable, injected, ejected = self._enable, local["inject_valid"] & taken, came[0] & local["eject_ready"]
        self._units_edge(inputs, accesses, taken)
        self._ports_edge(enable, injected, local["inject_last"], ejected, came[2])
        return outputs

    def _begin(self, inputs: Inputs) -> dict[int, Access]:
        """Begin the cycle of the units in which something happens; return the access to each."""
        address, write = inputs.get("collective_address", 0), inputs.get("collective_write", 0)
        awake = self._awake
        if address != self._address:
            self._address, before = address, self._addresses
            self._addresses = split(address, 6, self.config.nodes)
            awake.update(node for node, at in enumerate(self._addresses) if at != before[node])
        awake.update(bits(write))
        data, ready = inputs.get("collective_write_data", 0), inputs.get("vector_out_ready", 0)
        accesses = {}
        for node in awake:
            accesses[node] = self._addresses[node], write >> node & 1, data >> 32 * node & 0xFFFFFFFF
            self.units[node].begin(ready >> node & 1, accesses[node])
        return accesses

    def _local(self, inputs: Inputs, accesses: dict[int, Access]) -> dict[str, int]:
        """Return what goes into the local ports of the routers."""
        get, width, units = inputs.get, self.config.width, self.units
        host = ~self._inject_unit
        valid, last = get("inject_valid", 0) & host, get("inject_last", 0) & host
        data, error = get("inject_data", 0) & self._inject_words, get("inject_error", 0) & host
        ready = self._eject_ready
        for node in accesses:
            unit, bit = units[node], 1 << node
            ready = ready | bit if unit.eject_ready else ready & ~bit
            word = unit.injecting
            if word is not None and self._inject_unit & bit:
                valid |= bit
                data |= word[0] << width * node
                last |= word[1] << node
                error |= word[2] << node
        ready = ready & self._eject_unit | get("eject_ready", 0) & ~self._eject_unit
        named = {f"inject_{name}": value for name, value in zip(WORD, (valid, data, last, error), strict=True)}
        return named | {"eject_ready": ready}

    def _arrive(self, accesses: dict[int, Access], came: list[int]) -> None:
        """Tell the units what the routers bring."""
        (valid, data, last, error), width = came, self.config.width
        valid, mask = valid & self._eject_unit, (1 << width) - 1
        for node in accesses:
            word: Word | None = None
            if valid >> node & 1:
                word = data >> width * node & mask, last >> node & 1, error >> node & 1
            self.units[node].arrive(word)

    def _outputs(self, accesses: dict[int, Access]) -> Outputs:
        """Return the outputs of the units."""
        width, vector = self.config.width, [0, 0, 0, 0]
        own = other = 0
        for node in accesses:
            unit = self.units[node]
            if unit.vector_out is not None:
                data, last, error = unit.vector_out
                vector[0] |= 1 << node
                vector[1] |= data << width * node
                vector[2] |= last << node
                vector[3] |= error << node
            if unit.merging is not None:
                own |= unit.merging[0] << width * node
                other |= unit.merging[1] << width * node
        outputs: Outputs = {f"vector_out_{name}": value for name, value in zip(WORD, vector, strict=True)}
        return outputs | {
            "vector_in_ready": self._loading,
            "collective_read_data": self._read_data,
            "busy": self._busy,
            "failed": self._failed,
            "custom_own": own,
            "custom_other": other,
        }

    def _units_edge(self, inputs: Inputs, accesses: dict[int, Access], taken: int) -> None:
        """Take the edge of the units, and bring the vectors up to date."""
        get, width = inputs.get, self.config.width
        mask, taken = (1 << width) - 1, taken & self._inject_unit
        valid = get("vector_in_valid", 0) & self._loading
        data, last, custom = get("vector_in_data", 0), get("vector_in_last", 0), get("custom_result", 0)
        self._awake = set()
        for node in accesses:
            unit, place = self.units[node], width * node
            word = (data >> place & mask, last >> node & 1) if valid >> node & 1 else None
            unit.edge(taken >> node & 1, word, custom >> place & mask)
            self._keep(node, unit)

    def _keep(self, node: int, unit: CollectiveUnit) -> None:
        """Keep the outputs of a unit that are functions of registers, for the coming cycle."""
        bit, registers = 1 << node, unit.registers
        self._loading = _put(self._loading, bit, unit.loading)
        self._busy = _put(self._busy, bit, unit.busy)
        self._failed = _put(self._failed, bit, unit.failed)
        self._enable = _put(self._enable, bit, registers.fields["enable"])
        if unit.settled:
            # Nobody asks the unit till it wakes.
            self._eject_ready = _put(self._eject_ready, bit, unit.receiver.ready(0))
        else:
            self._awake.add(node)
        if registers.read_data != self._read[node]:
            self._read_data ^= (registers.read_data ^ self._read[node]) << 32 * node
            self._read[node] = registers.read_data

    def _ports_edge(self, enable: int, injected: int, inject_last: int, ejected: int, eject_last: int) -> None:
        """Take the edge of the local ports; a port whose owner stays is touched when a word moves only."""
        changing = (enable ^ self._inject_unit) | (enable ^ self._eject_unit)
        every = (1 << self.config.width) - 1
        for node in bits(injected | ejected | changing):
            port, bit, place = self.ports[node], 1 << node, self.config.width * node
            owners = port.inject_unit, port.eject_unit
            port.edge(
                enable >> node & 1,
                inject_last >> node & 1 if injected & bit else None,
                eject_last >> node & 1 if ejected & bit else None,
            )
            if port.inject_unit != owners[0]:
                self._inject_unit ^= bit
                self._inject_words ^= every << place
            if port.eject_unit != owners[1]:
                self._eject_unit ^= bit
                self._eject_words ^= every << place


def _put(mask: int, bit: int, value: int) -> int:
    """Return the mask with a bit set or cleared."""
    return mask | bit if value else mask & ~bit
