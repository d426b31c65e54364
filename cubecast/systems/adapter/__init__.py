"""The network adapter between a node and its crosspoint router, and nodes and networks with it."""

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.systems.adapter import description
from cubecast.systems.crosspoint import SYSTEM as CROSSPOINT
from cubecast.systems.system import Parameter, System, Unit

__all__ = ["SYSTEM"]

SYSTEM = System(
    name="adapter",
    config=AdapterConfig,
    base=CROSSPOINT,
    title="parameters of the network adapter",
    parameters=(
        Parameter(
            name="fault_entries",
            help="entries of the list of faulty links and nodes, 0 to 16 (default 4, 0 with --fault-free)",
            marked=True,
            zero=True,
        ),
        Parameter(
            name="relay_wait",
            help="cycles that a packet to be sent on waits for room before it is swallowed, 1 to 65535 (default 1023)",
        ),
    ),
    units=(
        Unit(
            name="crosspoint_adapter",
            component="cubecast.rtl.adapter.adapter:Adapter",
            routes=False,
        ),
        Unit(
            name="crosspoint_node",
            component="cubecast.rtl.adapter.node:AdapterNode",
        ),
        Unit(
            name="crosspoint_node_network",
            component="cubecast.rtl.adapter.network:AdapterNetwork",
            cube=True,
        ),
    ),
    units_help="a network adapter (crosspoint-adapter), which makes packets of messages, of a crosspoint router with "
    "one (crosspoint-node) or a network of them",
    files_help={
        "cubecast_adapter_regs.h": "the same of the adapter (crosspoint-adapter, crosspoint-node and -node-network)"
    },
    description=description,
    presets=CROSSPOINT.presets,
)
