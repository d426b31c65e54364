"""What the corners of the lockstep runs can bring at most, where a signal is wide enough for more."""

import pytest

from cubecast.golden.packet.contract.packet import PORT_BITS, Head
from tests.node.test_lockstep import CONFIGS as NODES
from tests.node.test_lockstep import TABLE as OF_NODES
from tests.packet.test_lockstep import CONFIGS, TABLE


def configs(unit):
    """Return the configurations that a unit is run with."""
    return [CONFIGS[name] for name in TABLE[unit].corners]


@pytest.mark.parametrize(("name", "above"), [("long", {28}), ("broad", {38, 39})])
def test_bits_above_the_next_port(name, above):
    """A head's next port is n at most, so that its upper bits are 0 in cubes as small as these."""
    config = CONFIGS[name]
    first = config.width + config.length_bits
    ports = [Head(next_port=port, length=1, destination=0).encode(config) for port in range(config.local + 1)]
    unset = {first + bit for bit in range(PORT_BITS) if not any(head >> first + bit & 1 for head in ports)}
    assert unset == above


def test_heads_for_the_node():
    """Their next port is the node's, and they are not contrary: with words of 32 bits, n is 2 or 10."""
    found = [config for config in configs("node_input_port") if config.width == 32]
    routers = [NODES[name].router for unit in ("packet_node", "node_network") for name in OF_NODES[unit].corners]
    found += [config for config in routers if config.width == 32]
    assert {config.dim for config in found} == {2, 10}
    for config in found:
        head = Head(next_port=config.local, length=config.max_words, destination=0).encode(config)
        assert config.head_bits == 41 and not any(head >> bit & 1 for bit in (36, 38, 40))
