"""Packets of a network of nodes, followed from the unit that makes them through the routers.

The packet maker of a node says which packet it injects next, and the cutter before it of which message the packet is; a
control packet names the offer that it answers. The rest is that of a network whose packets are given,
:mod:`cubecast.tb.packet.playback`. The units are the golden ones; their network is compared with the RTL in every
cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.node.contract.packet import Kind
from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.tb.common.patterns import item
from cubecast.tb.node.follower import Message, Ports, look_at
from cubecast.tb.node.program_run import SETUP_CYCLES, ProgramRun
from cubecast.tb.node.watching import NodeWatcher
from cubecast.tb.packet import playback
from cubecast.tb.packet.driver import Packet

__all__ = ["PacketFollower"]

Step = Callable[[Mapping[str, int]], dict[str, Any]]


class PacketFollower(playback.Playback):
    """Looks at the routers of a network of nodes, and records them from the first cycle of the programs to their last.

    Parameters
    ----------
    network : NodeNetwork
        The golden network, at rest; its routers tell from now on what they do.
    run : ProgramRun
        The programs, whose registers are about to be written.
    """

    def __init__(self, network: NodeNetwork, run: ProgramRun) -> None:
        """Start with no packet."""
        super().__init__(network.config.router)
        self.network, self.run = network.packets, run
        self.cycle = playback.START - SETUP_CYCLES
        self.changes: list[dict[str, int]] = []
        self._watcher = NodeWatcher(self, run)
        self._cutting: dict[int, Message] = {}
        for node, member in enumerate(network.nodes):
            look_at(member.interface.cutter, partial(self._cut, node))
            look_at(member.interface.send.maker, partial(self._make, node))
        routers: Any = network.packets
        routers.step = partial(self._step, network.packets.step)

    def _cut(self, node: int, inputs: Ports, outputs: Ports) -> None:
        """Take note of the message of which a node makes packets."""
        if inputs.get("part__valid") and outputs["part__ready"]:
            self._cutting[node] = Message(node, inputs["part__buffer"])

    def _make(self, node: int, inputs: Ports, outputs: Ports) -> None:
        """Announce a packet that a node makes; it is injected behind those before it."""
        if inputs.get("job__valid") and outputs["job__ready"]:
            destination = inputs["job__destination"]
            if inputs["job__kind"] == Kind.CONTROL:
                message = self._watcher.answered(node, destination, inputs["job__prefix"])
            else:
                message = self._watcher.sent(self._cutting[node])
            self.announce(node, Packet((destination,), message, raw=True))

    def _step(self, step: Step, inputs: Mapping[str, int]) -> dict[str, Any]:
        """Let the routers take a cycle, and record it if it is one of the programs."""
        before, programs = self.before(), 0 <= self.now <= self.run.clock
        if programs:
            self._watcher.begin()
            self._watcher.look()
        outputs = step(inputs)
        self.record(inputs, outputs, before)
        if programs:
            self._watcher.show(inputs, outputs)
            self._written(inputs)
        self.cycle += 1
        return outputs

    def _written(self, inputs: Mapping[str, int]) -> None:
        """Record the fault vectors that are written."""
        for node in bits(inputs["control_write"]):
            if item(inputs["control_address"], node, ADDRESS_BITS) == Register.FAULT:
                vector = item(inputs["control_write_data"], node, DATA_BITS)
                self.changes.append({"cycle": self.now, "node": node, "vector": vector})

    def recording(self) -> dict[str, Any]:
        """Return the recording."""
        return self._watcher.result()
