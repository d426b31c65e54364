"""Fault patterns that several tests of tree communication need."""

from __future__ import annotations

from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError


def all_links(n):
    """Return all links of the n-cube, lower end first."""
    return [(v, v | 1 << j) for v in range(2**n) for j in range(n) if not v >> j & 1]


def random_faults(n, generator, most_links=None, most_nodes=2):
    """Return up to ``most_links`` (2^(n-1)) faulty links and ``most_nodes`` faulty nodes, fewer than all."""
    links = all_links(n)
    most = min(len(links), 2 ** (n - 1) if most_links is None else most_links)
    nodes = generator.sample(range(2**n), generator.randint(0, min(most_nodes, 2**n - 1)))
    return generator.sample(links, generator.randint(0, most)), nodes


def random_plans(n, generator, tries, most_links=None, most_nodes=2):
    """Yield the plans of as many random patterns, without those that leave no sink, each with its faulty nodes."""
    for _ in range(tries):
        links, nodes = random_faults(n, generator, most_links, most_nodes)
        try:
            yield plan_merge(n, links, nodes), nodes
        except NoSinkError:
            continue
