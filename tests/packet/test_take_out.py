"""A router is taken out of a running network and reset alone: for how long, as docs/integration.md says."""

from collections import Counter

import pytest

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, REASON_BITS
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.network import PacketNetwork

PAIRS = {0: (1, 0), 1: (0, 0), 2: (1, 0), 3: (1, 1)}
"""Node to destination and slot of its packets: all neighbours of node 1 send to it, and one over a neighbour."""

BEFORE, BEHIND = 60, 150
"""Cycles of traffic before the links are cut, and once they are back."""

FULL = 300
"""Cycles after which a node that takes nothing is full."""


class Square:
    """Four nodes of which each sends packets without a pause.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    """

    def __init__(self, config):
        """Begin."""
        self.config, self.network = config, PacketNetwork(config)
        self.left = {node: [] for node in PAIRS}
        self.came, self.sent, self.found = [], set(), Counter()
        self.number = 0

    def step(self, faults=None, reset=False, takes=True):
        """Pass a cycle; write FAULT registers; reset node 1, which ``takes`` words or not, or count what it finds."""
        n, width = self.config.dim, self.config.width
        inputs = Counter(eject_ready=(1 << self.config.nodes) - 1 - (not takes) * 2)
        for node, value in (faults or {}).items():
            inputs["control_write"] |= 1 << node
            inputs["control_address"] |= Register.FAULT << ADDRESS_BITS * node
            inputs["control_write_data"] |= value << DATA_BITS * node
        for node, (destination, slot) in PAIRS.items():
            if not self.left[node]:
                self.number = (self.number + 1) % (1 << width)
                data = [self.number] * (self.config.max_words - 1)
                self.left[node] = [destination, *data]
                self.sent.add((destination, node, *data))
            inputs["inject_valid"] |= 1 << node
            inputs["inject_data"] |= self.left[node][0] << width * node
            inputs["inject_last"] |= (len(self.left[node]) == 1) << node
            inputs["inject_slots"] |= 1 << slot + n * node
        outputs = self.network.step(inputs)
        for node, (_, slot) in PAIRS.items():
            if outputs["inject_ready"] >> n * node + slot & 1:
                self.left[node].pop(0)
        if reset:
            self.network.routers[1].reset()
            self.network.members.reset()
            self.network._spread(1)
            self.left[1], self.came = [], []
            return
        if outputs["eject_valid"] >> 1 & 1:
            self.came.append(outputs["eject_data"] >> width & (1 << width) - 1)
            if outputs["eject_last"] >> 1 & 1:
                to, source, *data = self.came
                good = not outputs["eject_error"] >> 1 & 1 and (to, source & 3, *data) in self.sent
                self.found["whole" if good else "wrong"] += 1
                self.came = []
        for node in range(self.config.nodes):
            reason = outputs["report_reason"] >> REASON_BITS * node & (1 << REASON_BITS) - 1
            if outputs["report_valid"] >> node & 1 and reason in (PacketReason.LINK_PROTOCOL, PacketReason.TRUNCATED):
                self.found["wrong"] += 1


def held(square, phase):
    """Fill node 1, which takes nothing, and let its links be faulty for some cycles: then heads begin, and stand."""
    for _ in range(FULL):
        square.step(takes=False)
    square.step(faults={1: 3}, takes=False)
    for _ in range(phase):
        square.step(takes=False)
    square.step(faults={1: 0}, takes=False)
    for _ in range(BEFORE):
        square.step(takes=False)


def taken_out(config, phase, cycles, full=False):
    """Return how many packets node 1 gets whole, and how much is wrong, once it is back; ``cycles`` of its reset."""
    square = Square(config)
    if full:
        held(square, phase)
    else:
        for _ in range(BEFORE + phase):
            square.step()
    square.step(faults={0: 1, 3: 2})
    for _ in range(cycles):
        square.step(reset=True)
    square.found.clear()
    square.step(faults={0: 0, 3: 0})
    for _ in range(BEHIND):
        square.step()
    return square.found["whole"], square.found["wrong"]


@pytest.mark.parametrize("link", ["parallel", "serial"])
def test_a_node_is_taken_out(link):
    """With serial links a head has to end first, whose start bit may stand until the reset; a cycle less is too few."""
    config = PacketConfig(dim=2, width=6, max_words=3, rows=2, link=link)
    least = config.head_bits + 3 if link == "serial" else 1
    for full, phases in ((False, 50), (True, 4)):
        found = [taken_out(config, phase, least, full) for phase in range(phases)]
        assert not any(wrong for _, wrong in found) and all(whole for whole, _ in found)
    if link == "serial":
        assert any(taken_out(config, phase, least - 1, full=True)[1] for phase in range(4))
