"""The crosspoint router, one cycle per hop, and networks of it."""

from collections.abc import Mapping
from typing import Any

from cubecast.golden.crosspoint.algorithms.routes import POLICIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.registers import MEANINGS
from cubecast.golden.crosspoint.contract.units import queue_shape
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.systems.crosspoint import description, messages, report
from cubecast.systems.load import Loads
from cubecast.systems.system import Memory, Parameter, System, with_axi

__all__ = ["SYSTEM"]


def _small(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset small: one run, no faults, words of 16 bits, ejection queues in LUT RAM."""
    return {
        "runs": 1,
        "fault_tolerant": False,
        "width": 16,
        "eject_depth": 32,
        "log_depth": 0,
        "counters": 8,
    }


def _full(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset full: deep queues, and so long packets, and a deep log."""
    return {"depth": 64, "eject_depth": 2048, "log_depth": 64}


def _memories(config: CrosspointConfig) -> tuple[Memory, ...]:
    """Return the ejection queues, of which each link has one."""
    shapes = [queue_shape(config, i, config.dim) for i in range(config.dim)]
    return tuple(
        Memory(
            parameter="eject_depth", bits=shape.bits, depth=shape.depth, block=shape.block or shape.memories == "block"
        )
        for shape in shapes
    )


SYSTEM = System(
    name="crosspoint",
    config=CrosspointConfig,
    title="parameters of the crosspoint router",
    links="those that link_regs makes inside the router, 0 to 3 each way, and none beside them",
    width="crosspoint: of a word, 8 to 512 (default 32)",
    parameters=(
        Parameter(
            name="runs",
            help="1: a packet crosses dimensions in descending order; 2: then others in ascending order (default 2)",
        ),
        Parameter(name="multicast", help="no packets to subcubes and lists, unicasts only", flag=True, off=True),
        Parameter(name="depth", help="words of a queue to a link: 4, 8, 16, 32 or 64 (default 16)"),
        Parameter(
            name="packet_limit",
            help="longest packet in words, 1 to depth - 1 - registers on a link and back (default (depth - 1) div 3)",
            marked=True,
        ),
        Parameter(
            name="eject_depth",
            also="eject",
            help="words of a queue to the node: 4 to 64 in LUT RAM, 128 to 4096 in block RAM, powers of two "
            "(default 512)",
        ),
        Parameter(
            name="link_regs", help="registers on a link, each way, 0 to 3 (default 0); each adds a cycle to a hop"
        ),
        Parameter(
            name="output_register", help="a register between arbiter and link; a hop takes one cycle more", flag=True
        ),
        Parameter(
            name="pause_limit",
            help="cycles without a word that end an injected packet with error, 1 to 65535; 0: none (default 1023)",
        ),
    ),
    units=(
        with_axi("crosspoint_router", "cubecast.rtl.crosspoint.router:CrosspointRouter"),
        with_axi("crosspoint_network", "cubecast.rtl.crosspoint.network:CrosspointNetwork", cube=True),
    ),
    units_help="a crosspoint router, which takes one cycle per hop, or a network of them",
    description=description,
    register_meanings=MEANINGS,
    reasons=CrosspointReason,
    presets={"small": _small, "full": _full},
    playback="cubecast.tb.crosspoint.playback:BENCH",
    playing=(
        Parameter(name="policy", help=f"routes of unicasts, see below (default {POLICIES[0]})", choices=POLICIES),
    ),
    messages=messages,
    messages_help=messages.HELP,
    report=report,
    loads=Loads(
        node="cubecast.rtl.crosspoint.load_router:LoadRouter",
        network="cubecast.rtl.crosspoint.load_network:LoadNetwork",
        twin="cubecast.golden.crosspoint.twins.load_network:LoadNetwork",
        policies=POLICIES,
        place="cubecast.golden.crosspoint.algorithms.load",
    ),
    memories=_memories,
)
