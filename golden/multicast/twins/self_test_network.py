"""Self-test network: a hypercube that makes its own traffic and checks it."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.network import Network
from cubecast.golden.multicast.twins.self_test_node import Traffic

__all__ = ["SelfTestNetwork"]

MASK = 0xFFFFFFFF


class SelfTestNetwork:
    """Twin of the self-test network: a network, and generator and checker of every node.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: Config, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.network = Network(config, probe=probe)
        self.traffic = [Traffic(config, address) for address in range(config.nodes)]
        self._rest()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.network.reset()
        for traffic in self.traffic:
            traffic.reset()
        self._rest()

    def _rest(self) -> None:
        """Set the sums to 0."""
        self.place = self.missing = self.difference = self.passed = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, config, nodes = inputs.get, self.config, self.config.nodes
        offers = [traffic.generator.offer() for traffic in self.traffic]
        words = [offer or (0, 0, 0) for offer in offers]
        ready = join((traffic.checker.ready for traffic in self.traffic), 1)
        own = {
            "inject_valid": join((offer is not None for offer in offers), 1),
            "inject_data": join((word[0] for word in words), config.width),
            "inject_last": join((word[1] for word in words), 1),
            "inject_error": join((word[2] for word in words), 1),
            "eject_ready": ready,
        }
        outputs = self.network.step({**inputs, **own})
        took, valid, data, last, error = (
            outputs.pop(name) or 0
            for name in ("inject_ready", "eject_valid", "eject_data", "eject_last", "eject_error")
        )
        idle = [traffic.generator.idle for traffic in self.traffic]
        failed = [traffic.checker.failed for traffic in self.traffic]
        outputs |= {
            "test_read_data": join((traffic.read_data for traffic in self.traffic), 32),
            "idle": join(idle, 1),
            "failed": join(failed, 1),
            "passed": self.passed,
        }
        if get("rst"):
            self.reset()
            return outputs
        self._add_up(all(idle), any(failed))
        addresses = split(get("test_address", 0), 6, nodes)
        writes = split(get("test_write_data", 0), 32, nodes)
        items = split(data, config.width, nodes) if valid else [0] * nodes
        for node, traffic in enumerate(self.traffic):
            word = None
            if (valid & ready) >> node & 1:
                word = items[node], last >> node & 1, error >> node & 1
            moved = int(offers[node] is not None and took >> node & 1)
            write = get("test_write", 0) >> node & 1
            traffic.edge(moved, word, get("start", 0), addresses[node], write, writes[node])
        return outputs

    def _add_up(self, idle: bool, failed: bool) -> None:
        """Take the edge of the sums."""
        if not idle:
            self._rest()
            return
        traffic, final = self.traffic[self.place], self.place == self.config.nodes - 1
        missing = self.missing + traffic.missing & MASK
        difference = self.difference + traffic.difference & MASK
        if final:
            self.passed = int(not (missing or difference or failed))
            self.place = self.missing = self.difference = 0
        else:
            self.place, self.missing, self.difference = self.place + 1, missing, difference
