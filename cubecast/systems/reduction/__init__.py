"""The join unit beside a crosspoint router, which reduces in the network, and routers and networks with it."""

import dataclasses

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.systems.crosspoint import SYSTEM as CROSSPOINT
from cubecast.systems.reduction import description
from cubecast.systems.system import Parameter, System, Unit

__all__ = ["SYSTEM"]

assert CROSSPOINT.loads is not None

SYSTEM = System(
    name="reduction",
    config=ReductionConfig,
    base=CROSSPOINT,
    title="parameters of the join unit",
    parameters=(
        Parameter(name="reduce_depth", help="words of each of its four queues: 4, 8, 16, 32 or 64 (default 16)"),
        Parameter(
            name="reduce_register",
            help="no register between a link and these queues; a hop takes one cycle less",
            flag=True,
            off=True,
        ),
        Parameter(
            name="operator_latency",
            help="cycles of operators of the node that take the place of the ALUs, 1 to 14; 0: ALUs (default 0)",
        ),
        Parameter(
            name="contexts",
            help="join units of a node, 1 or 2, each with a tree of its own, for groups that overlap (default 1)",
        ),
    ),
    units=(
        Unit(name="reduction_router", component="cubecast.rtl.reduction.router:ReductionRouter"),
        Unit(name="reduction_network", component="cubecast.rtl.reduction.network:ReductionNetwork", cube=True),
    ),
    units_help="a crosspoint router with a join unit, which reduces in the network (reduction-router), or a network of "
    "them",
    files_help={"cubecast_reduction_regs.h": "the same of the join unit (reduction-router, reduction-network)"},
    description=description,
    presets=CROSSPOINT.presets,
    loads=dataclasses.replace(
        CROSSPOINT.loads,
        node="cubecast.rtl.reduction.load_router:LoadRouter",
        network="cubecast.rtl.reduction.load_network:LoadNetwork",
        twin="cubecast.golden.reduction.twins.load_network:LoadNetwork",
        joins=True,
        recorder="cubecast.tb.reduction.loaded:LoadedPlayback",
    ),
)
