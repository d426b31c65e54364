"""Operations in which a member aborts, or a link fails: nobody ends with a wrong result and without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS, addresses
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.multicast.contract.config import Config

CONFIG = CollectiveConfig(router=Config(dim=3, width=16, max_dest=3, max_data=8), max_vector=8)
NODES, WIDTH = CONFIG.nodes, CONFIG.width
ALL = (1 << NODES) - 1
PLACES = addresses(CONFIG)
LENGTH = 4
MEMBERS = [0, 3, 5, 6]
"""Of the ring; all nodes merge."""


def written(nodes: list[int], name: str, values: dict[int, int]) -> dict[str, int]:
    """Return the inputs that write a register of some nodes."""
    return {
        "collective_address": join([PLACES[name]] * NODES, ADDRESS_BITS),
        "collective_write": sum(1 << node for node in nodes),
        "collective_write_data": join([values.get(node, 0) for node in range(NODES)], 32),
    }


def cut(faults: list[int]) -> dict[str, int]:
    """Return the inputs that write the fault vectors of all routers."""
    return {"control_address": 0, "control_write": ALL, "control_write_data": join(faults, 32)}


class Host:
    """The hosts of a golden network, which take everything."""

    def __init__(self) -> None:
        self.network = CollectiveNetwork(CONFIG)
        self.inputs = {"vector_out_ready": ALL, "eject_ready": ALL}
        self.outputs: dict[str, Any] = {}
        self.frames: dict[int, list[tuple[tuple[int, ...], int]]] = {node: [] for node in range(NODES)}
        self.open: dict[int, list[int]] = {node: [] for node in range(NODES)}

    def cycle(self, **change: int) -> None:
        """Take a cycle, and keep what the hosts get."""
        inputs = self.inputs | change
        self.outputs = outputs = self.network.step(inputs)
        for node in bits(outputs["vector_out_valid"] & inputs["vector_out_ready"]):
            self.open[node].append(outputs["vector_out_data"] >> node * WIDTH & 0xFFFF)
            if outputs["vector_out_last"] >> node & 1:
                self.frames[node].append((tuple(self.open[node]), outputs["vector_out_error"] >> node & 1))
                self.open[node] = []

    def write(self, nodes: list[int], name: str, values: dict[int, int]) -> None:
        """Write a register of some nodes."""
        self.cycle(**written(nodes, name, values))

    def prepare(self, tables: dict[int, dict[str, int]], enabled: list[int]) -> None:
        """Give the local port to the collectives, and write the tables."""
        self.write(enabled, "ENABLE", dict.fromkeys(enabled, 1))
        for name in {name: None for table in tables.values() for name in table if name != "COMMAND"}:
            self.write(list(tables), name, {node: table.get(name, 0) for node, table in tables.items()})

    def run(self, tables: dict[int, dict[str, int]], cycles: int) -> Iterator[dict[str, int]]:
        """Start the operation and give the vectors; yield the inputs of each cycle besides, until all have ended."""
        self.write(list(tables), "COMMAND", {node: table["COMMAND"] for node, table in tables.items()})
        left = {node: [100 * (node + 1) + place for place in range(LENGTH)] for node in tables}
        for cycle in range(cycles):
            yield (change := {})
            here = [node for node in tables if left[node]]
            self.inputs |= {
                "vector_in_valid": sum(1 << node for node in here),
                "vector_in_data": sum(left[node][0] << node * WIDTH for node in here),
                "vector_in_last": sum(1 << node for node in here if len(left[node]) == 1),
            }
            self.cycle(**change)
            for node in bits(self.inputs["vector_in_valid"] & self.outputs["vector_in_ready"]):
                left[node].pop(0)
            if cycle > 30 and not self.outputs["busy"]:
                break
        self.inputs["vector_in_valid"] = 0


def tables_of(what: str) -> dict[int, dict[str, int]]:
    """Return the tables of an operation of all nodes, or of a ring of four."""
    if what == "ring":
        return ring_tables(group_ring(3, MEMBERS, "ascending"), CONFIG, LENGTH)
    plan = plan_merge(3, [(0, 1)]) if what == "detour" else plan_merge(3)
    return merge_tables(plan, CONFIG, LENGTH, "spread" if what == "detour" else "broadcast", "sum")


def ended(what: str, broken: str, place: int, cycle: int) -> tuple[dict[int, Any], list[int], list[int]]:
    """Run an operation that is broken in a cycle; return what hosts got, who ended, and who says that it failed."""
    host, tables = Host(), tables_of(what)
    faults = [(0b001 if node in (0, 1) else 0) if what == "detour" else 0 for node in range(NODES)]
    host.cycle(**cut(faults))
    host.prepare(tables, list(range(NODES)))
    for now, change in enumerate(host.run(tables, 200)):
        if now == cycle and broken == "abort":
            change |= written([place], "COMMAND", {place: 2})
        if broken == "cut" and now in (cycle, cycle + 12):
            faults[place] ^= 0b010
            change |= cut(faults)
    idle = [node for node in tables if not host.outputs["busy"] >> node & 1]
    failed = [node for node in tables if host.outputs["failed"] >> node & 1]
    return {node: sorted(host.frames[node]) for node in tables}, idle, failed


@pytest.mark.core("cut-ring")
@pytest.mark.parametrize("what", ["merge", "detour", "ring"])
@pytest.mark.parametrize("broken", ["abort", "cut"])
def test_no_wrong_result_without_a_word(what: str, broken: str) -> None:
    """Who ends and says nothing has what is right, whenever a member aborts, or a link is out for some cycles."""
    right, idle, failed = ended(what, "", 0, -1)
    assert not failed and idle == list(right)
    nodes = MEMBERS if what == "ring" else list(range(NODES))
    spoiled = 0
    for number, cycle in enumerate(range(2, 86, 3)):
        place = nodes[number % len(nodes)]
        got, idle, failed = ended(what, broken, place, cycle)
        silent = [node for node in idle if node not in failed and (broken, node) != ("abort", place)]
        wrong = [node for node in silent if got[node] != right[node] and not any(error for _, error in got[node])]
        assert not wrong, (place, cycle)
        spoiled += bool(failed) or len(idle) < len(right)
    assert spoiled


def test_the_host_has_its_port_again_after_an_aborted_ring() -> None:
    """In the order that the page says: no message is half taken, and the next ring is whole."""
    host, tables = Host(), tables_of("ring")
    everybody = list(range(NODES))
    host.prepare(tables, everybody)
    host.inputs["vector_out_ready"] &= ~(1 << 3)
    assert sum(1 for _ in host.run(tables, 300)) == 300
    host.inputs["vector_out_ready"] = ALL
    abort = dict.fromkeys(everybody, 2)
    for name, values in (("COMMAND", abort), ("COMMAND", abort), ("ENABLE", {})):
        host.write(everybody, name, values)
        for _ in range(300):
            host.cycle()
    assert not host.outputs["busy"]
    assert not any(node.port.eject_unit or node.port.eject_open for node in host.network.routers)
    host.write(everybody, "ENABLE", dict.fromkeys(everybody, 1))
    for frames in host.frames.values():
        frames.clear()
    assert sum(1 for _ in host.run(tables, 300)) < 300
    right, _, _ = ended("ring", "", 0, -1)
    assert {node: sorted(host.frames[node]) for node in tables} == right
