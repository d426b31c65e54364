"""How long the search for a route takes while a fault is known, in the golden network: the table of the contract."""

from __future__ import annotations

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.common.contract.units import DATA_BITS, REASON_BITS
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import item, pack

OVER_A_RELAY = {3: 45, 4: 61, 5: 93, 6: 157, 7: 285, 8: 541}
"""Dimension to cycles from the end of a message of one word to its word, between the ends of a link that is listed."""

IN_VAIN = {3: 158, 4: 457, 5: 1268, 6: 3383}
"""Dimension to cycles to the report of one to a node all of whose links are listed."""


def told(dim: int, node: int, dimensions: list[int]) -> AdapterNetwork:
    """Return a network whose nodes have links of a node in their lists."""
    config = AdapterConfig(router=CrosspointConfig(dim=dim, width=32), fault_entries=max(4, dim))
    network = AdapterNetwork(config)
    for place, dimension in enumerate(dimensions):
        fault = node | dimension << 12 | 1 << 16 | 1 << 31
        network.step(
            {
                "adapter_address": pack([Register.FAULT + place] * config.nodes, ADDRESS_BITS),
                "adapter_write": (1 << config.nodes) - 1,
                "adapter_write_data": pack([fault] * config.nodes, DATA_BITS),
            }
        )
    return network


def cycles(network: AdapterNetwork, node: int, happened: str) -> int:
    """Send a message of one word from 0 to a node; return the cycles until a bit of an output, after its last word."""
    words, since, place = [header(network.config, Kind.UNICAST, node), 5], 0, node if happened == "receive_valid" else 0
    for cycle in range(5000):
        outputs = network.step(
            {
                "send_valid": int(bool(words)),
                "send_data": words[0] if words else 0,
                "send_last": int(len(words) == 1),
                "receive_ready": (1 << network.config.nodes) - 1,
            }
        )
        if words and outputs["send_ready"] & 1:
            words.pop(0)
            since = cycle
        if outputs[happened] >> place & 1:
            reason = item(outputs["report_reason"], 0, REASON_BITS) if outputs["report_valid"] else None
            assert reason in (None, AdapterReason.NO_ROUTE)
            return cycle - since
    pytest.fail("nothing happens")


@pytest.mark.parametrize("node", [1, 3, 7])
def test_a_route_that_meets_no_fault(node: int) -> None:
    """A cycle for each hop, and one more, than if no fault is known."""
    late, soon = (cycles(told(3, 5, dimensions), node, "receive_valid") for dimensions in ([1], []))
    assert late - soon == node.bit_count() + 1


@pytest.mark.parametrize("dim", OVER_A_RELAY)
def test_every_message_over_a_relay_is_searched_for(dim: int) -> None:
    """All candidates of the node itself, and 29 cycles more; the next message takes as long."""
    top = dim - 1
    network = told(dim, 0, [top])
    found = [cycles(network, 1 << top, "receive_valid") for _ in range(2)]
    assert found == [OVER_A_RELAY[dim]] * 2
    assert OVER_A_RELAY[dim] == (2 << dim) + 29


@pytest.mark.parametrize("dim", IN_VAIN)
def test_a_search_in_vain(dim: int) -> None:
    """A node that no link reaches, and that is not listed itself: all candidates of all relays."""
    far = (1 << dim) - 1
    assert cycles(told(dim, far, list(range(dim))), far, "report_valid") == IN_VAIN[dim]
