"""Testbench of a network that may deadlock: saturated until nothing moves, and then the ring of waiting buffers."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from random import Random
from typing import Any

from cubecast.golden.common.algorithms.waits import find_cycle
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.algorithms.waiting_graph import Buffer
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.network import Network
from cubecast.tb.common.patterns import pack
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source, message, well_formed

__all__ = ["BENCH", "PATIENCE", "ring"]

PATIENCE = 300
"""Cycles without any word that moves after which nothing will: far more than the longest message takes."""


def stimulus(random: Random, config: Config, messages: int = 400) -> Generator[dict[str, int], dict[str, Any], None]:
    """Let every node send messages of all kinds as fast as they are taken, until all are out or nothing moves."""
    nodes, width = range(config.nodes), config.width
    sources = [Source(random, config) for _ in nodes]
    for number in range(messages):
        made = message(random, config, random.choice(well_formed(config)), number % config.nodes)
        sources[number % config.nodes].send(made.words)
    ready = (1 << config.nodes) - 1
    inject_valid = still = 0
    outputs = {"inject_ready": 0}
    while still < PATIENCE:
        moved = inject_valid & outputs["inject_ready"]
        offers = [source.next(moved >> node & 1) for node, source in enumerate(sources)]
        valid, data, last, error = zip(*offers, strict=True)
        inject_valid = pack(valid, 1)
        outputs = yield {
            "inject_valid": inject_valid,
            "inject_data": pack(data, width),
            "inject_last": pack(last, 1),
            "inject_error": pack(error, 1),
            "eject_ready": ready,
        }
        links = any(outputs[f"link_{j}_valid"] for j in range(config.dim))
        moving = links or outputs["eject_valid"] or outputs["report_valid"] or inject_valid & outputs["inject_ready"]
        still = 0 if moving else still + 1


def ring(network: Network) -> list[Buffer]:
    """Return buffers whose messages wait for each other, each for the next, the last for the first; [] if none do."""
    waits = {buffer: list(_needed(network, buffer, mhu)) for buffer, mhu in _buffers(network)}
    return find_cycle(waits) or []


def _buffers(network: Network) -> Iterator[tuple[Buffer, Mhu]]:
    """Yield every message handling unit with its place."""
    for node, router in enumerate(network.routers):
        yield Buffer(node, network.config.local, 0), router.injection
        for port, channel in enumerate(router.channels):
            for lane, mhu in enumerate(channel.mhus):
                yield Buffer(node, port, lane), mhu


def _needed(network: Network, buffer: Buffer, mhu: Mhu) -> Iterator[Buffer]:
    """Yield the occupied buffers that the copies in a unit have to go to and have not begun to."""
    config, router = network.config, network.routers[buffer.node]
    for port in bits(mhu.valid):
        if port != config.local:
            gateway = router.gateways[port]
            unit = buffer.channel * config.lanes + buffer.lane
            lane = gateway.lane(unit)
            neighbour = buffer.node ^ 1 << port
            started = gateway.locked and gateway.owner == unit
            if not started and not network.routers[neighbour].channels[port].mhus[lane].free:
                yield Buffer(neighbour, port, lane)


def collect(network: Network) -> list[list[int]]:
    """Return the ring as plain values."""
    return [list(buffer) for buffer in ring(network)]


def watch(inputs: Mapping[str, int], outputs: Mapping[str, Any], twin: Network) -> Iterator[str]:
    """Say when a node has a message to send and cannot."""
    if inputs["inject_valid"] & ~outputs["inject_ready"]:
        yield "injection waits"


BENCH = Bench(
    unit="multicast.network:Network",
    stimulus=stimulus,
    events=("injection waits",),
    watch=watch,
    collect=collect,
    extra={"probe": True},
)
