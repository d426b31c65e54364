"""When words of messages come, in the golden network: the times that the contract page promises."""

from __future__ import annotations

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.config import CrosspointConfig


def received(
    config: AdapterConfig, destination: int, data: list[int], cycles: int
) -> tuple[int, list[tuple[int, int]]]:
    """Send one message from node 0; return when its header is taken, and when each word comes with what it is."""
    network, words, found, begun = AdapterNetwork(config), [destination, *data], [], -1
    for cycle in range(cycles):
        inputs = {
            "send_valid": int(bool(words)),
            "send_data": words[0] if words else 0,
            "send_last": int(len(words) == 1),
        }
        outputs = network.step(inputs | {"receive_ready": (1 << config.nodes) - 1})
        if words and outputs["send_ready"] & 1:
            begun = cycle if begun < 0 else begun
            words.pop(0)
        for node in bits(outputs["receive_valid"] or 0):
            assert node == destination
            found.append((cycle, (outputs["receive_data"] or 0) >> config.width * node & (1 << config.width) - 1))
    return begun, found


@pytest.mark.parametrize(("eject_depth", "block"), [(16, 0), (128, 1)])
@pytest.mark.parametrize("destination", [1, 5, 7])
def test_a_message_of_one_packet_takes_no_longer(eject_depth: int, block: int, destination: int) -> None:
    """Its first word of data is there m + 6 + h (1 + f) cycles after its header was taken, the others follow it."""
    config = AdapterConfig(router=CrosspointConfig(dim=3, eject_depth=eject_depth, link_regs=1))
    data = [17, 4, 99]
    begun, found = received(config, destination, data, 60)
    first = begun + len(data) + 4 + 2 * destination.bit_count() + 2 + block
    assert found == [(first + place, word) for place, word in enumerate(data)]


@pytest.mark.parametrize("packet_limit", [2, 3, 5, 6])
def test_a_long_message_pays_for_its_tags_alone(packet_limit: int) -> None:
    """P - 1 words come in P cycles."""
    config = AdapterConfig(router=CrosspointConfig(dim=2, width=16, packet_limit=packet_limit, eject_depth=32))
    data = list(range(30 * (packet_limit - 1)))
    _, found = received(config, 3, data, 40 * packet_limit)
    assert [word for _, word in found] == data
    assert found[-1][0] - found[0][0] == 29 * packet_limit + packet_limit - 2
