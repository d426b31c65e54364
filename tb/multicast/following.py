"""Following messages through multicast routers: where each word that moves belongs to, and what becomes of messages.

Which message a word belongs to is followed from unit to unit: the n-th message injected at a node is the n-th one
given for it; it is in that node's injection unit until it has left. When a first word moves through a gateway, the
gateway's owner (golden network, compared with the RTL in every cycle) names the unit that sends it, and port and
lane name the unit that takes it. So identical messages are told apart as well.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.common.playback import Recorder

__all__ = ["Follower", "Origin"]

INJECTION = -1
"""Stands for the injection port, beside the numbers of the ports that words leave through."""

Origin = tuple[int, int]
"""A message: its source, and how many were injected there before it."""


class Follower(Recorder):
    """Records starts, deliveries, crossings of links and reports, each with its message.

    ``held`` is the message that is in a unit, or was last, by node, channel and lane; ``injected`` counts those of each
    node, ``open`` are node and port of those in the middle, ``coming`` what is under way to each node's local port.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    network
        Golden twin, whose ``routers`` are those of this system.
    """

    def __init__(self, config: Config, network: Any) -> None:
        """Start in reset, with nothing recorded."""
        super().__init__(config, network)
        self.injected = [0] * config.nodes
        self.starts: list[dict[str, Any]] = []
        self.held: dict[tuple[int, int, int], Origin] = {}
        self.reporting: dict[tuple[int, int, int], deque[tuple[int, Origin]]] = {}
        self.reported: Counter[tuple[int, int, int]] = Counter()
        self.open: set[tuple[int, int]] = set()
        self.coming: dict[int, dict[str, Any]] = {}

    def foresee(self, node: int, message: int, destinations: Sequence[int]) -> None:
        """Take note of which message the one is that a node will inject next."""
        self.watching.numbers[node, self.injected[node]] = message  # type: ignore[attr-defined]

    def settle(self) -> None:
        """Note that what is cut in the coming cycle ends in the middle."""
        routers = self.network.routers
        self.open = {
            (node, port) for node, port in self.open if port == INJECTION or not routers[node].control.cut >> port & 1
        }

    def record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: Any) -> None:
        """Record the words that move in this cycle."""
        config, node_count = self.config, self.config.nodes
        local = config.local
        started: dict[tuple[int, int, int], Origin] = {}
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            if self._first(node, INJECTION, inputs["inject_last"]):
                started[node, local, 0] = origin = (node, self.injected[node])
                self.starts.append({"origin": origin, "cycle": self.now})
                self.injected[node] += 1
        for j in range(config.dim):
            for node in bits(outputs[f"link_{j}_valid"]):
                if self._first(node, j, outputs[f"link_{j}_last"]):
                    lane = outputs[f"link_{j}_lane"] >> node * config.lane_bits & (1 << config.lane_bits) - 1
                    to = node ^ 1 << j
                    started[to, j, lane] = origin = self.sender(node, j)
                    self.crossings.append({"origin": origin, "from": node, "to": to, "cycle": self.now})
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            self._delivered(node, outputs)
        for node in bits(outputs["report_valid"]):
            port, lane, reason = (outputs[f"report_{name}"] >> 4 * node & 15 for name in ("port", "lane", "reason"))
            destination = outputs["report_destination"] >> config.dim * node & node_count - 1
            origin = self._reporter(node, port, lane)
            self.reports.append({"origin": origin, "node": node, "reason": reason, "destination": destination})
        for (node, port, lane), origin in started.items():
            made = self.network.routers[node].made[port * self.config.lanes + lane]
            self.reporting.setdefault((node, port, lane), deque()).append((made, origin))
        self.held |= started

    def _reporter(self, node: int, port: int, lane: int) -> Origin:
        """Return the message that the next report of this unit is about: reports leave in the order they were made."""
        unit = node, port, lane
        begun = self.reporting[unit]
        while len(begun) > 1 and begun[1][0] <= self.reported[unit]:
            begun.popleft()
        self.reported[unit] += 1
        return begun[0][1]

    def _first(self, node: int, port: int, last: int) -> bool:
        """Return whether the word that moves here is the first of its message; note whether more follow."""
        first = (node, port) not in self.open
        if last >> node & 1:
            self.open.discard((node, port))
        else:
            self.open.add((node, port))
        return first

    def sender(self, node: int, port: int) -> Origin:
        """Return the message whose word has moved through a gateway in this cycle."""
        channel, lane = divmod(self.network.routers[node].gateways[port].owner, self.config.lanes)
        return self.held[node, channel, lane]

    def _delivered(self, node: int, outputs: Mapping[str, Any]) -> None:
        """Record a word that a node's processor takes."""
        if node not in self.coming:
            origin = self.sender(node, self.config.local)
            self.coming[node] = {"origin": origin, "node": node, "first_cycle": self.now, "words": []}
        record = self.coming[node]
        record["words"].append(outputs["eject_data"] >> node * self.config.width & (1 << self.config.width) - 1)
        if outputs["eject_last"] >> node & 1:
            record |= {"last_cycle": self.now, "error": bool(outputs["eject_error"] >> node & 1)}
            self.deliveries.append(self.coming.pop(node))
