"""Packet network: a hypercube of 2**n packet routers."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, join, split
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.router import Arrival, PacketRouter

__all__ = ["PacketNetwork"]


class PacketNetwork:
    """Twin of the packet network; ports are vectors with an item for each node.

    In the payload vectors the item of a node whose valid bit is 0 is 0. What goes back over a link is in the item of
    the node that sends.

    ``routers`` are the routers by address; ``cycle`` counts the edges since reset.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen: ports ``link_j_*`` for each dimension j.

    Source: Buzzard 1988, section 5.1 (the hypercube) and figure 5.1.
    """

    def __init__(self, config: PacketConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.probe = probe
        self._dims = range(config.dim)
        self._serial = config.link == "serial"
        fields = ("line", "hold") if self._serial else ("valid", "head", "data", "ready", "refusing")
        self._links = [tuple(f"link_{j}_{field}" for field in fields) for j in self._dims]
        self._peers = [[node ^ 1 << j for j in self._dims] for node in range(config.nodes)]
        self.routers = [PacketRouter(config, address=node) for node in range(config.nodes)]
        self._registers = [router.control.registers for router in self.routers]
        self._masks = self.routers[0].control.masks
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for router in self.routers:
            router.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the routers to its reset value."""
        config, nodes = self.config, self.config.nodes
        self.cycle = 0
        self._awake = [node for node, router in enumerate(self.routers) if router.awake]
        self._inject_ready = (1 << config.dim * nodes) - 1
        self._multiple_faults = 0
        # By node: what comes over its links, and what the far ends of those that go out say (ready and refusing; hold).
        self._arriving: list[list[Arrival | None]] = [[None] * config.dim for _ in range(nodes)]
        self._lines = [0] * nodes
        first = self.routers[0]
        self._shown = [(0, first.hold) if self._serial else (first.ready, first.refusing) for _ in range(nodes)]
        self._opened, self._refused = ([shown[way] for shown in self._shown] for way in (0, 1))
        # By dimension: the same as vectors.
        self._backward = [
            [join((said[node] >> j & 1 for node in range(nodes)), 1) for said in (self._opened, self._refused)]
            for j in self._dims
        ]
        self._read = [0] * nodes
        self._read_data = 0
        self._address = 0
        self._addresses = [0] * nodes

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the network: no packet or part of one, and no report."""
        return all(router.quiet() for router in self.routers)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs = self._outputs()
        if inputs.get("rst"):
            self.reset()
        else:
            self._edge(inputs)
        return outputs

    def _outputs(self) -> Outputs:
        """Return the outputs of the cycle."""
        width, dim, routers = self.config.width, self.config.dim, self.routers
        valid = data = last = error = 0
        reports = [0, 0, 0, 0, 0]
        for node in self._awake:
            router = routers[node]
            words = router.node_input.words
            if words:
                word = words[0]
                valid |= 1 << node
                data |= word[0] << width * node
                last |= word[1] << node
                error |= word[2] << node
            report = router.report()
            if report is not None:
                reason, destination, port, lane = report
                reports[0] |= 1 << node
                reports[1] |= reason << 4 * node
                reports[2] |= destination << dim * node
                reports[3] |= port << 4 * node
                reports[4] |= lane << 4 * node
        outputs: Outputs = {
            "inject_ready": self._inject_ready,
            "eject_valid": valid,
            "eject_data": data,
            "eject_last": last,
            "eject_error": error,
            "control_read_data": self._read_data,
            "report_valid": reports[0],
            "report_reason": reports[1],
            "report_destination": reports[2],
            "report_port": reports[3],
            "report_lane": reports[4],
            "multiple_faults": self._multiple_faults,
        }
        if self.probe:
            for j, names in enumerate(self._links):
                outputs.update(zip(names, self._link(j), strict=True))
        return outputs

    def _link(self, j: int) -> tuple[int, ...]:
        """Return the vectors of the links of a dimension."""
        width, routers, backward = self.config.head_bits, self.routers, self._backward[j]
        if self._serial:
            return join((router.lines >> j & 1 for router in routers), 1), backward[1]
        valid = head = data = 0
        for node in self._awake:
            sent = routers[node].link_out[j]
            if sent is not None:
                valid |= 1 << node
                head |= sent[0] << node
                data |= sent[1] << width * node
        return valid, head, data, *backward

    def _edge(self, inputs: Inputs) -> None:
        """Take the edge of the cycle."""
        get, routers, width, dim = inputs.get, self.routers, self.config.width, self.config.dim
        self.cycle += 1
        self._read_registers(get("control_address", 0))
        active = set(self._awake)
        words = {}
        valid = get("inject_valid", 0)
        if valid:
            data, last, slots = get("inject_data", 0), get("inject_last", 0), get("inject_slots", 0)
            mask, every = (1 << width) - 1, self.config.nodes - 1
            for node in bits(valid):
                words[node] = data >> width * node & mask, last >> node & 1, slots >> dim * node & every
                active.add(node)
        writes = {}
        for node in bits(get("control_write", 0)):
            writes[node] = self._addresses[node], get("control_write_data", 0) >> 32 * node & 0xFFFFFFFF
            active.add(node)
        eject_ready = get("eject_ready", 0)
        for node in active:
            routers[node].edge(
                self._arriving[node],
                self._lines[node],
                self._opened[node],
                self._refused[node],
                eject_ready >> node & 1,
                words.get(node),
                writes.get(node),
            )
        awake = {node for node in active if routers[node].awake}
        for node in active:
            self._spread(node, awake)
        self._awake = list(awake)

    def _spread(self, node: int, awake: set[int]) -> None:
        """Bring vectors and the neighbours' inputs up to date after an edge of a router; wake who gets something."""
        router, dim = self.routers[node], self.config.dim
        if self._serial:
            lines = router.lines
            for j, peer in enumerate(self._peers[node]):
                if lines >> j & 1:
                    self._lines[peer] |= 1 << j
                    awake.add(peer)
                else:
                    self._lines[peer] &= ~(1 << j)
            shown = 0, router.hold
        else:
            for j, peer in enumerate(self._peers[node]):
                sent = router.link_out[j]
                self._arriving[peer][j] = sent
                if sent is not None:
                    awake.add(peer)
            shown = router.ready, router.refusing
        before = self._shown[node]
        if shown != before:
            self._shown[node] = shown
            for way, said in enumerate((self._opened, self._refused)):
                for j in bits(shown[way] ^ before[way]):
                    peer = node ^ 1 << j
                    said[peer] ^= 1 << j
                    self._backward[j][way] ^= 1 << peer
        place, every = dim * node, self.config.nodes - 1
        changed = self._inject_ready >> place & every ^ router.node_output.ready
        if changed:
            self._inject_ready ^= changed << place
        if router.control.multiple_faults != self._multiple_faults >> node & 1:
            self._multiple_faults ^= 1 << node

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

    def trace(self) -> str:
        """Return the routers that have a packet, one line each."""
        lines = [router.trace() for router in self.routers if not router.quiet()]
        return f"cycle {self.cycle}\n" + "\n".join(lines or ["idle"])
