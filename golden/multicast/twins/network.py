"""Network: a hypercube of 2**n routers."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, join, split
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.router import Router

__all__ = ["Network"]


class Network:
    """Twin of the network; ports are vectors with an item for each node.

    In the payload vectors the item of a node whose valid bit is 0 is 0.

    ``routers`` are the routers by address; ``cycle`` counts the edges since reset.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Whether the links can be seen: ports ``link_j_*`` for each dimension j.

    Source: Lan 1988, section 2.3 (the hypercube) and section 6.3.
    """

    def __init__(self, config: Config, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.probe = probe
        self._dims = range(config.dim)
        self.routers = [Router(config, address=node) for node in range(config.nodes)]
        self._peers = [[self.routers[node ^ 1 << j].channels[j] for j in self._dims] for node in range(config.nodes)]
        self._registers = [router.control.registers for router in self.routers]
        self._masks = self.routers[0].control.masks
        fields = ("valid", "data", "last", "error", "lane", "ready", *(("down",) if config.fault_tolerant else ()))
        self._links = [tuple(f"link_{j}_{field}" for field in fields) for j in self._dims]
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for router in self.routers:
            router.reset()
            router.down = 0
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the routers to its reset value."""
        config = self.config
        self.cycle = 0
        self._awake: list[int] = []
        self._inject_ready = (1 << config.nodes) - 1
        self._link_ready = [(1 << config.nodes * config.lanes) - 1 for _ in self._dims]
        self._multiple_faults = 0
        self._faults = [0] * config.nodes
        self._link_down = [0] * config.dim
        self._read = [0] * config.nodes
        self._read_data = 0
        self._address = 0
        self._addresses = [0] * config.nodes

    def quiet(self) -> bool:
        """Return whether no message and no report is anywhere in the network."""
        return all(router.quiet() for router in self.routers)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        eject_ready = inputs.get("eject_ready", 0)
        for node in self._awake:
            ready = [channel.ready for channel in self._peers[node]]
            self.routers[node].offer(ready, eject_ready >> node & 1)
        outputs = self._outputs()
        if inputs.get("rst"):
            self.reset()
        else:
            self._edge(inputs, eject_ready)
        return outputs

    def _outputs(self) -> Outputs:
        """Return the outputs of the cycle."""
        width, dim, lane_bits = self.config.width, self.config.dim, self.config.lane_bits
        probe = self.probe
        ports = [[0, 0, 0, 0, 0] for _ in range(self.config.ports)]
        reports = [0, 0, 0, 0, 0]
        for node in self._awake:
            router = self.routers[node]
            for port, sent in enumerate(router.sent):
                if sent is not None and (probe or port == dim):
                    (data, last, error), lane, _ = sent
                    vectors = ports[port]
                    vectors[0] |= 1 << node
                    vectors[1] |= data << width * node
                    vectors[2] |= last << node
                    vectors[3] |= error << node
                    vectors[4] |= lane << lane_bits * node
            report = router.report()
            if report is not None:
                reason, destination, port, lane = report
                reports[0] |= 1 << node
                reports[1] |= reason << 4 * node
                reports[2] |= destination << dim * node
                reports[3] |= port << 4 * node
                reports[4] |= lane << 4 * node
        eject = ports[dim]
        outputs: Outputs = {
            "inject_ready": self._inject_ready,
            "eject_valid": eject[0],
            "eject_data": eject[1],
            "eject_last": eject[2],
            "eject_error": eject[3],
            "control_read_data": self._read_data,
            "report_valid": reports[0],
            "report_reason": reports[1],
            "report_destination": reports[2],
            "report_port": reports[3],
            "report_lane": reports[4],
            "multiple_faults": self._multiple_faults,
        }
        if probe:
            for j, names in enumerate(self._links):
                # the last is left out in the fault-free format
                found = (*ports[j], self._link_ready[j], self._link_down[j])
                outputs.update(zip(names, found, strict=False))
        return outputs

    def _edge(self, inputs: Inputs, eject_ready: int) -> None:
        """Take the edge of the cycle."""
        get, routers, dim, width = inputs.get, self.routers, self.config.dim, self.config.width
        self.cycle += 1
        self._read_registers(get("control_address", 0))
        active = set(self._awake)
        for node in self._awake:
            sent = routers[node].sent
            for j in self._dims:
                word = sent[j]
                if word is not None:
                    neighbour = node ^ 1 << j
                    routers[neighbour].receive(j, word[1], word[0])
                    active.add(neighbour)
        valid = get("inject_valid", 0)
        if valid:
            data, last, error = get("inject_data", 0), get("inject_last", 0), get("inject_error", 0)
            mask = (1 << width) - 1
            for node in bits(valid):
                routers[node].receive(dim, 0, (data >> width * node & mask, last >> node & 1, error >> node & 1))
                active.add(node)
        writes = {}
        for node in bits(get("control_write", 0)):
            writes[node] = self._addresses[node], get("control_write_data", 0) >> 32 * node & 0xFFFFFFFF
            active.add(node)
        for node in active:
            self._router_edge(node, eject_ready >> node & 1, writes.get(node))
        for node in writes:
            self._spread_faults(node, active)
        self._awake = [node for node in active if routers[node].awake]

    def _spread_faults(self, node: int, active: set[int]) -> None:
        """Tell the neighbours of a node about its FAULT bits, which may have been written, and wake them."""
        fault = self.routers[node].control.fault
        changed = fault ^ self._faults[node]
        self._faults[node] = fault
        for j in bits(changed):
            self._link_down[j] ^= 1 << node
            neighbour = node ^ 1 << j
            self.routers[neighbour].down ^= 1 << j
            self.routers[neighbour].awake = True
            active.add(neighbour)

    def _read_registers(self, address: int) -> None:
        """Take the edge of the read registers of all control ports."""
        if address != self._address:
            self._address = address
            self._addresses = split(address, 7, self.config.nodes)
        masks, places = self._masks, zip(self._registers, self._addresses, strict=True)
        read = [registers[address] & masks[address] for registers, address in places]
        if read != self._read:
            self._read = read
            self._read_data = join(read, 32)

    def _router_edge(self, node: int, eject_ready: int, write: tuple[int, int] | None) -> None:
        """Take the edge of one router, and bring the vectors up to date."""
        router, lanes = self.routers[node], self.config.lanes
        router.edge(eject_ready, write)
        for j, lane in router.changed:
            self._link_ready[j] ^= lane << lanes * (node ^ 1 << j)
        router.changed.clear()
        bit = 1 << node
        if router.injection.accept:
            self._inject_ready |= bit
        else:
            self._inject_ready &= ~bit
        if router.control.multiple_faults != self._multiple_faults >> node & 1:
            self._multiple_faults ^= bit

    def trace(self) -> str:
        """Return the routers that have a message, one line each."""
        lines = [router.trace() for router in self.routers if not all(mhu.free for mhu in router.mhus)]
        return f"cycle {self.cycle}\n" + "\n".join(lines or ["idle"])
