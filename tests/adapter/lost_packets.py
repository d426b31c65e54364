"""Packets that get lost where source and destination do not hear of it, and what comes; for golden networks and RTL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.common.contract.control import Register as ControlRegister
from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import item, pack
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "FIRST", "SECOND", "Frame", "beyond_a_cut", "beyond_a_full_relay", "outage"]

FIRST, SECOND = tuple(range(0x40, 0x50)), tuple(range(0x80, 0x90))
"""Two messages of eight packets each, if a packet has two words of data."""


class Frame(NamedTuple):
    """A frame that a node got."""

    first: int
    more: int
    error: int
    data: tuple[int, ...]

    @property
    def seems_whole(self) -> bool:
        """Whether nothing says that it is not a whole message."""
        return bool(self.first) and not self.more and not self.error


Run = Generator[dict[str, int], Any, list[Frame]]
"""Yields the inputs of a network, is sent its outputs, and returns what a node got."""


def _run(
    config: AdapterConfig,
    messages: Mapping[int, Sequence[tuple[int, tuple[int, ...]]]],
    taker: int,
    cycles: int,
    deaf: tuple[int, int] = (0, 0),
    writes: Mapping[int, dict[str, int]] | None = None,
) -> Run:
    """Send messages, as destination and data by source; return the frames of one node.

    Of ``deaf``, a mask of nodes and a number of cycles, those take no words for so long; ``writes`` are accesses to
    registers, by cycle.
    """
    words = defaultdict[int, list[tuple[int, int]]](list)
    for source, several in messages.items():
        for node, data in several:
            message = header(config, Kind.UNICAST, node), *data
            words[source] += [(word, int(place == len(data))) for place, word in enumerate(message)]
    frames, open_, first = list[Frame](), list[int](), 0
    for cycle in range(cycles):
        ready = (1 << config.nodes) - 1 & ~(deaf[0] if cycle < deaf[1] else 0)
        offered = [words[node][0] if words[node] else (0, 0) for node in range(config.nodes)]
        valid = sum(bool(words[node]) << node for node in range(config.nodes))
        outputs = yield {
            "send_valid": valid,
            "send_data": pack((word for word, _ in offered), config.width),
            "send_last": pack((last for _, last in offered), 1),
            "receive_ready": ready,
            "adapter_write": 0,
            "control_write": 0,
            **(writes or {}).get(cycle, {}),
        }
        for node in bits(valid & outputs["send_ready"]):
            words[node].pop(0)
        if outputs["receive_valid"] & ready & 1 << taker:
            first = first if open_ else outputs["receive_first"] >> taker & 1
            open_.append(item(outputs["receive_data"], taker, config.width))
            if outputs["receive_last"] >> taker & 1:
                ends = (outputs[f"receive_{name}"] >> taker & 1 for name in ("more", "error"))
                frames.append(Frame(first, *ends, tuple(open_)))
                open_.clear()
    return frames


def beyond_a_cut(width: int, words: int = 32) -> AdapterConfig:
    """Return the parameters of a square whose nodes put messages of so many words together."""
    router = CrosspointConfig(dim=2, width=width, depth=16, packet_limit=3, eject_depth=16)
    return AdapterConfig(router=router, reassemble=4, reassemble_words=words, policies="e-cube")


def outage(
    config: AdapterConfig,
    begin: int,
    end: int,
    messages: Sequence[tuple[int, ...]] = (FIRST, SECOND),
    cycles: int = 180,
) -> Run:
    """Send messages from 0 to 3 while the second hop, out of 2, is out of use for some cycles; only 2 hears of it."""

    def fault(dimensions: int) -> dict[str, int]:
        """Return a write to the register of node 2."""
        address = pack([int(ControlRegister.FAULT)] * config.nodes, CONTROL_BITS)
        return {
            "control_address": address,
            "control_write": 1 << 2,
            "control_write_data": pack([0, 0, dimensions, 0], DATA_BITS),
        }

    sent = {0: [(3, data) for data in messages]}
    return _run(config, sent, 3, cycles, writes={begin: fault(1), end: fault(0)})


def beyond_a_full_relay(config: AdapterConfig, deaf: int, cycles: int) -> Run:
    """Send six messages from 0 to 4 over the relay 1, which node 7 keeps from sending for some cycles.

    All nodes have the link between 0 and 4 in their lists, from the first cycle on.
    """
    write = {
        "adapter_address": pack([int(Register.FAULT)] * 8, ADDRESS_BITS),
        "adapter_write": 255,
        "adapter_write_data": pack([2 << 12 | 1 << 16 | 1 << 31] * 8, DATA_BITS),
    }
    sent = [(4, tuple(range(first, first + 16))) for first in range(0, 6 * 32, 32)]
    return _run(config, {0: sent, 1: [(7, tuple(range(16)))] * 12}, 4, cycles, deaf=(1 << 7, deaf), writes={0: write})


def stimulus(random, config, begin, end):
    """Play an outage."""
    frames = yield from outage(config, begin, end)
    assert all(frame.data in (FIRST, SECOND) for frame in frames if frame.seems_whole), frames


def watch(inputs, outputs, twin):
    """Name what the destination is told."""
    if outputs["receive_error"]:
        yield "a gap"


BENCH = Bench(unit="adapter.network:AdapterNetwork", stimulus=stimulus, events=("a gap",), watch=watch)
