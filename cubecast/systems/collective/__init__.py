"""The collective unit, which merges vectors and takes part in rings, beside the multicast router of its node."""

from collections.abc import Mapping
from typing import Any

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.systems.collective import description
from cubecast.systems.multicast import PRESETS
from cubecast.systems.multicast import SYSTEM as MULTICAST
from cubecast.systems.system import Parameter, System, Unit, with_axi

__all__ = ["SYSTEM"]


def _small(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset small: the small router, as far as collectives allow, short vectors."""
    router = PRESETS["small"](dim, {"max_dest": dim, **given})
    return router | {"max_dest": dim, "max_data": 6, "max_vector": 16, "max_relays": 0}


def _full(dim: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the preset full: the full router, long vectors, all relay entries."""
    return PRESETS["full"](dim, given) | {"max_vector": 1024, "max_relays": 16}


SYSTEM = System(
    name="collective",
    config=CollectiveConfig,
    base=MULTICAST,
    title="parameters of the collectives",
    parameters=(
        Parameter(name="max_vector", help="longest vector in words, 1 to 4096 (default 64)"),
        Parameter(name="max_relays", help="relay entries of a node, 0 to 16 (default 4)"),
    ),
    units=(
        Unit(
            name="collective_unit",
            component="cubecast.rtl.collective.unit:CollectiveUnit",
            routes=False,
        ),
        with_axi("collective_node", "cubecast.rtl.collective.node:CollectiveNode"),
        with_axi("collective_network", "cubecast.rtl.collective.network:CollectiveNetwork", cube=True),
    ),
    units_help="a collective unit, which merges vectors and takes part in rings, of a router with one "
    "(collective-node) or a network of them",
    files_help={
        "cubecast_collective_regs.h": "the same of the collectives (collective-unit, -node and -network)",
        "cubecast_collective.h": "the driver of the collective unit, over these: what it declares",
        "cubecast_collective.c": "and what it does",
    },
    description=description,
    presets={"small": _small, "full": _full},
)
