"""Configuration files by which BookSim 2.0 simulates the same cube and traffic, to compare it with."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.algorithms.load import Traffic

__all__ = ["ROUTERS", "booksim"]

TRAFFIC = {
    "uniform": "uniform",
    "complement": "bitcomp",
    "transpose": "transpose",
    "reverse": "bitrev",
    "shuffle": "shuffle",
}
"""Patterns that both have, by their names here."""

ROUTERS = {"vc1": (1, "separable_input_first"), "vc4": (4, "separable_input_first"), "vc8": (8, "islip")}
"""Virtual channels and allocators of the routers, by the names of their files."""

CONFIGURATION = """\
// {what}
// A cube is a mesh of two nodes in each dimension. Its uniform traffic has each node send to itself, too.
topology = mesh;
k = 2;
n = {dim};
routing_function = dor;

// {channels} virtual channels of 8 flits; speculative allocation, lookahead routing
num_vcs = {channels};
vc_buf_size = 8;
vc_allocator = {allocator};
sw_allocator = {allocator};
routing_delay = 0;
speculative = 1;

// injection_rate is in flits per node and cycle
traffic = {traffic};
packet_size = {length};
injection_rate_uses_flits = 1;
injection_rate = {rate};

sim_type = throughput;
warmup_periods = 3;
sample_period = 4000;
max_samples = 5;
seed = {seed};
"""

SCRIPT = """\
#!/bin/sh
# Runs BookSim 2.0 (github.com/booksim/booksim2): sh run.sh path/to/booksim
# Prints of each load what was accepted, and the mean latency of a packet, which beyond saturation means nothing.
set -e
cd "$(dirname "$0")"
for file in {files}; do
  for rate in {rates}; do
    printf '%s offered %s: ' "$file" "$rate"
    "$1" "$file" "injection_rate=$rate" |
      awk '/^Accepted flit rate average/ {{ accepted = $NF ~ /samples/ ? $(NF - 2) : $NF }}
           /^Packet latency average/ {{ latency = $5 }}
           END {{ if (accepted == "") exit 1; print "accepted", accepted, "latency", latency }}'
  done
done
"""


def booksim(traffic: Traffic, rates: Sequence[float], seed: int) -> dict[str, str]:
    """Return the files by name: a configuration for each kind of router, and a script that runs them all.

    Parameters
    ----------
    traffic : Traffic
        What is sent; unicasts, in a pattern that BookSim has.
    rates : sequence of float
        Offered loads.
    seed : int
        Of everything random; BookSim takes its lowest 31 bits.

    Raises
    ------
    ValueError
        BookSim has no such traffic.
    """
    if traffic.pattern not in TRAFFIC:
        raise ValueError(f"traffic must be one of {', '.join(TRAFFIC)} with --booksim, not {traffic.pattern!r}")
    if traffic.spread > 1 or traffic.other_share or traffic.faults or traffic.faulty_links:
        raise ValueError("length must be one number, and nothing faulty, with --booksim")
    if traffic.lists.share or traffic.broadcast:
        raise ValueError("multicast and broadcast must have share 0 with --booksim")
    files = {
        name: CONFIGURATION.format(
            what=f"{1 << traffic.dim} nodes, messages of {traffic.length}, {traffic.pattern} traffic",
            dim=traffic.dim,
            channels=channels,
            allocator=allocator,
            traffic=TRAFFIC[traffic.pattern],
            length=traffic.length,
            rate=rates[0],
            seed=seed & 0x7FFFFFFF,
        )
        for name, (channels, allocator) in ROUTERS.items()
    }
    return files | {"run.sh": SCRIPT.format(files=" ".join(ROUTERS), rates=" ".join(map(str, rates)))}
