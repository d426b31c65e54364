"""Control ports of all routers of a network, as testbenches write and read them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.tb.common.patterns import chance, item, pack

__all__ = ["accesses", "check_counters", "restart", "write_all"]

Steps = Generator[dict[str, int], Any, Any]


def write_all(register: int, values: Sequence[int]) -> dict[str, int]:
    """Return the inputs that write a register of all nodes, each with its value."""
    return {
        "control_address": pack([register] * len(values), ADDRESS_BITS),
        "control_write": (1 << len(values)) - 1,
        "control_write_data": pack(values, DATA_BITS),
    }


def restart(vectors: Sequence[int]) -> Steps:
    """Reset a network and write the fault vector of each node; return the outputs of the last cycle."""
    yield dict.fromkeys(("inject_valid", "eject_ready", "control_write"), 0) | {"rst": 1}
    return (yield {"rst": 0, **write_all(Register.FAULT, vectors)})


def accesses(random: Random, nodes: int, faults: Callable[[], Mapping[int, int]]) -> dict[str, int]:
    """Return random accesses, most often to LOG; FAULT is written with what ``faults()`` returns, by node."""
    address = [int(random.choice((Register.LOG, random.randrange(1 << ADDRESS_BITS)))) for _ in range(nodes)]
    write = [each != Register.FAULT and chance(random, 0.2) for each in address]
    data = [random.getrandbits(DATA_BITS) for _ in range(nodes)]
    for node, vector in faults().items():
        address[node], write[node], data[node] = int(Register.FAULT), True, vector
    return {
        "control_address": pack(address, ADDRESS_BITS),
        "control_write": pack(write, 1),
        "control_write_data": pack(data, DATA_BITS),
    }


def check_counters(config: Any, wanted: Mapping[int, Mapping[int, int]]) -> Steps:
    """Compare counters of all nodes with ``wanted``, by address and node; what is not there is 0."""
    yield {"inject_valid": 0, "control_write": 0}
    for address, counts in wanted.items():
        yield {"control_address": pack([address] * config.nodes, ADDRESS_BITS)}
        outputs = yield {}
        for node in range(config.nodes):
            count, want = item(outputs["control_read_data"], node, DATA_BITS), counts.get(node, 0)
            want &= (1 << config.counters) - 1
            assert count == want, f"node {node}, register {address:#x}: {count}, not {want}"
