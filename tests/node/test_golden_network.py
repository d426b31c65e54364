"""The golden network of nodes alone, which leaves out nodes in which nothing happens."""

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import join
from cubecast.golden.node.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.node.twins.node_network import NodeNetwork
from tests.node.corners import CORNERS

CONFIG = CORNERS["one_buffer"]

FREE_NUMBER = 0x97
"""A number without a register, which reads 0."""


def access(register, value=None):
    """Return the inputs of a cycle in which all nodes read, or write, a register."""
    nodes = CONFIG.nodes
    write = {} if value is None else {"control_write": (1 << nodes) - 1}
    return write | {
        "control_address": join([register] * nodes, ADDRESS_BITS),
        "control_write_data": join([value or 0] * nodes, DATA_BITS),
    }


def test_a_register_is_read_for_several_cycles():
    """What is addressed in a cycle is there in the next one, though nothing else happens in the node.

    A node that slept once showed what had been addressed before, for as long as the address stayed.
    """
    network = NodeNetwork(CONFIG)
    for register, value in ((Register.MEMORY_LAST, 0x1FFF), (Register.ENABLE, 1)):
        network.step(access(register, value))
    for _ in range(50):
        network.step({})
    values = {Register.PLACES: CONFIG.instructions, FREE_NUMBER: 0, Register.MEMORY_LAST: 0x1FFF}
    addresses = [number for number in (*values, *values) for _ in range(4)]
    read = [network.step(access(number))["control_read_data"] for number in addresses]
    assert read[1:] == [join([values[number]] * CONFIG.nodes, DATA_BITS) for number in addresses[:-1]]
