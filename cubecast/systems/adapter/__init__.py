"""The network adapter between a node and its crosspoint router, and nodes and networks with it."""

from cubecast.golden.adapter.contract.config import POLICIES, AdapterConfig
from cubecast.systems.adapter import description
from cubecast.systems.crosspoint import SYSTEM as CROSSPOINT
from cubecast.systems.system import Parameter, System, with_axi

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
        Parameter(
            name="reassemble",
            help="messages that are put together at a time, so that each leaves whole, 1 to 16; 0: none (default 0)",
            zero=True,
        ),
        Parameter(
            name="reassemble_words",
            help="words of the buffer of each, a power of two from 2 to 4096 (default 64), where there are any",
        ),
        Parameter(
            name="policies",
            help="all, of which a register chooses, or one alone, e-cube without random bits (default all)",
            choices=POLICIES,
        ),
    ),
    units=(
        with_axi("crosspoint_adapter", "cubecast.rtl.adapter.adapter:Adapter", routes=False),
        with_axi("crosspoint_node", "cubecast.rtl.adapter.node:AdapterNode"),
        with_axi("crosspoint_node_network", "cubecast.rtl.adapter.network:AdapterNetwork", cube=True),
    ),
    units_help="a network adapter (crosspoint-adapter), which makes packets of messages, of a crosspoint router with "
    "one (crosspoint-node) or a network of them",
    files_help={
        "cubecast_adapter_regs.h": "the same of the adapter (crosspoint-adapter, crosspoint-node and -node-network)"
    },
    description=description,
    presets=CROSSPOINT.presets,
)
