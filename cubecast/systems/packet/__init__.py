"""The packet router of Buzzard 1988, and networks of it."""

from collections.abc import Mapping
from typing import Any

from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.contract.registers import MEANINGS
from cubecast.systems.load import Loads
from cubecast.systems.packet import description, messages, report
from cubecast.systems.system import Parameter, System, with_axi

__all__ = ["SYSTEM"]


def _small(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset small: no contrary packets, four rows, seven words."""
    return {
        "fault_tolerant": False,
        "routing": "fixed",
        "rows": 4,
        "max_words": 7,
        "log_depth": 0,
        "counters": 8,
    }


def _full(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset full: many rows, long packets, a deep log."""
    return {"rows": 32, "max_words": 31, "log_depth": 64}


SYSTEM = System(
    name="packet",
    config=PacketConfig,
    title="parameters of the packet router",
    links="none, as its flow control knows of no delay",
    width="packet: of a word, n + 4 to 64 (default 16)",
    parameters=(
        Parameter(name="rows", help="packets that a packet buffer unit holds, 1 to 64 (default 13)"),
        Parameter(name="max_words", help="longest packet, in words after the head, 1 to 63 (default 15)"),
        Parameter(name="routing", help="first hop of a message (default quasi-adaptive)", choices=ROUTINGS),
        Parameter(name="link", help=f"a word or a bit per cycle (default {LINKS[0]})", choices=LINKS),
        Parameter(
            name="fifo_depth", help="words that the node input port holds (default 2 * max-words + 4)", marked=True
        ),
    ),
    units=(
        with_axi("packet_router", "cubecast.rtl.packet.router:PacketRouter"),
        with_axi("packet_network", "cubecast.rtl.packet.network:PacketNetwork", cube=True),
    ),
    units_help="a packet router or a network of them",
    description=description,
    register_meanings=MEANINGS,
    reasons=PacketReason,
    presets={"small": _small, "full": _full},
    playback="cubecast.tb.packet.playback:BENCH",
    messages=messages,
    messages_help=messages.HELP,
    report=report,
    loads=Loads(
        node="cubecast.rtl.packet.load_router:LoadRouter",
        network="cubecast.rtl.packet.loaded_network:LoadedNetwork",
        twin="cubecast.golden.packet.twins.loaded_network:LoadedNetwork",
        policies=(),
        place="cubecast.golden.packet.algorithms.load",
        box="packet_buffer_unit",
    ),
)
