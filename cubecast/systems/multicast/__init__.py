"""The multicast router of Lan 1988, and networks of it."""

from collections.abc import Mapping
from typing import Any

from cubecast.golden.multicast.contract.config import MOST_LATENCY, MULTICASTERS, POLICIES, Config
from cubecast.systems.load import Loads
from cubecast.systems.multicast import description, messages, report
from cubecast.systems.system import Parameter, System, Unit, with_axi

__all__ = ["PRESETS", "SYSTEM"]


def _small(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset small: one lane, two destinations, words of 16 bits, four of payload."""
    return {
        "fault_tolerant": bool(given.get("source_field")),
        "policy": "ordered",
        "max_dest": 2,
        "max_list": given.get("max_dest", 2),
        "width": 16,
        "max_data": 4,
        "log_depth": 0,
        "counters": 8,
    }


def _full(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset full: any list, the source in the header, long payloads, a deep log."""
    return {"max_list": 2 ** min(max(dim, 2), 10) - 2, "max_data": 64, "log_depth": 64, "source_field": True}


PRESETS = {"small": _small, "full": _full}
"""Presets of the router."""

SYSTEM = System(
    name="multicast",
    config=Config,
    title="parameters of the multicast router",
    links="one, in the forward direction of all its wires or in ready, with source_field two in all; more would show "
    "too late that ready is deasserted, unless the sender counts one message per lane until it sees that",
    width="bits of a link, n to 512 (default 32)",
    parameters=(
        Parameter(
            name="max_dest", help="m, longest list the multicaster splits (default min(8, 2^n - 2))", marked=True
        ),
        Parameter(name="max_data", help="longest payload in words, 0 to 4096 (default 16)"),
        Parameter(
            name="max_list",
            help="longest list a message may carry (default min(2^n - 2, 32), >= m)",
            marked=True,
        ),
        Parameter(name="policy", help=f"routing policy (default {POLICIES[0]})", choices=POLICIES),
        Parameter(
            name="source_field",
            help="multicast: one more header word S after Control",
            flag=True,
            without_faults=False,
        ),
        Parameter(
            name="lanes", help="message handling units per channel (default: what the policy needs)", marked=True
        ),
        Parameter(name="decision_latency", help=f"cycles per forwarding dimension, 1 to {MOST_LATENCY} (default 1)"),
        Parameter(
            name="streamers",
            help="copies that a message handling unit sends at once, 1 to n + 1 (default n + 1)",
            marked=True,
        ),
        Parameter(
            name="multicasters",
            help=f"one multicaster for each unit, or for a channel's units (default {MULTICASTERS[0]})",
            choices=MULTICASTERS,
        ),
    ),
    units=(
        Unit(name="mhu", component="cubecast.rtl.multicast.mhu:Mhu", routes=False),
        with_axi("router", "cubecast.rtl.multicast.router:Router"),
        with_axi("network", "cubecast.rtl.multicast.network:Network", cube=True),
        Unit(
            name="self_test_node",
            command="self-test",
            component="cubecast.rtl.multicast.self_test_node:SelfTestNode",
        ),
        Unit(
            name="self_test_network",
            component="cubecast.rtl.multicast.self_test_network:SelfTestNetwork",
            cube=True,
        ),
    ),
    units_help="a message handling unit (mhu), a router or a whole network; or of a router (self-test) or a network "
    "(self-test-network) that makes its own traffic and checks it",
    files_help={"cubecast_test_regs.h": "the same of traffic generator and checker (self-test, self-test-network)"},
    description=description,
    presets=PRESETS,
    playback="cubecast.tb.multicast.playback:BENCH",
    messages=messages,
    report=report,
    loads=Loads(
        node="cubecast.rtl.multicast.load_router:LoadRouter",
        network="cubecast.rtl.multicast.load_network:LoadNetwork",
        twin="cubecast.golden.multicast.twins.load_network:LoadNetwork",
        policies=(),
        place="cubecast.golden.multicast.algorithms.load",
        box="multicast_mhu",
    ),
)
