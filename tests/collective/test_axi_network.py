"""Whole operations of a collective network through its AXI ports alone: registers, vectors and results."""

import random

import numpy
import pytest

from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.tb.collective.axi_network import OPERATIONS
from cubecast.tb.harness.lockstep import Mismatch, lockstep
from tests.collective.corners import CORNERS

CONFIG = CORNERS["n2"]
MERGES = {"sum": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "xor": numpy.bitwise_xor}


def group(tables, vectors, results):
    """Return an operation as plain values."""
    return {
        "tables": [[node, dict(table)] for node, table in tables.items()],
        "vectors": [[node, [int(word) for word in words]] for node, words in vectors.items()],
        "results": [[node, [[int(word) for word in words] for words in lists]] for node, lists in results.items()],
    }


def merge(name, mode, length, generator):
    """Return a merge of random vectors of all nodes, with NumPy's result for those that get it."""
    plan = plan_merge(CONFIG.dim)
    vectors = generator.integers(1 << 32, size=(CONFIG.nodes, length), dtype=numpy.uint32)
    result = MERGES[name].reduce(vectors, dtype=numpy.uint32) if name == "sum" else MERGES[name].reduce(vectors)
    takers = [plan.tree.sink] if mode == "none" else range(CONFIG.nodes)
    tables = merge_tables(plan, CONFIG, length, mode, name)
    return group(tables, dict(enumerate(vectors)), {node: [result] for node in takers})


def ring(length, generator):
    """Return a ring of three nodes, in which each gets the messages of the others with their origin before them."""
    found = group_ring(CONFIG.dim, [0, 1, 3], "ascending")
    vectors = {node: generator.integers(1 << 32, size=length, dtype=numpy.uint32) for node in found.ring}
    results = {
        node: [[origin, *vectors[origin]] for origin in (found.ring[place - back] for back in (1, 2))]
        for place, node in enumerate(found.ring)
    }
    return group(ring_tables(found, CONFIG, length), vectors, results)


def groups():
    """Return one operation of every kind: results for one, by broadcast and by neighbours; a word, and segments."""
    generator, most = numpy.random.default_rng(1), CONFIG.max_vector
    return [
        merge("sum", "broadcast", most, generator),
        merge("xor", "none", 1, generator),
        merge("max", "spread", CONFIG.segment + 1, generator),
        ring(most, generator),
        merge("min", "broadcast", CONFIG.segment, generator),
    ]


@pytest.mark.large
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_merges_and_rings_over_axi_alone(simulator):
    """In lockstep, with pauses everywhere; what comes out is what NumPy says, and nothing else."""
    report = lockstep(OPERATIONS, CONFIG, simulator=simulator, cycles=20_000, options={"groups": groups()})
    assert report.finished, report.command


def test_a_wrong_result_is_seen():
    """One bit of the last result."""
    wrong = groups()[:1]
    wrong[0]["results"][random.Random(1).randrange(CONFIG.nodes)][1][0][-1] ^= 1
    with pytest.raises(Mismatch, match="AssertionError"):
        lockstep(OPERATIONS, CONFIG, cycles=20_000, options={"groups": wrong})
