"""The node interface between a processor and its packet router, and nodes and networks with it."""

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.systems.node import description
from cubecast.systems.packet import SYSTEM as PACKET
from cubecast.systems.system import Parameter, System, Unit

__all__ = ["SYSTEM"]

SYSTEM = System(
    name="node",
    config=NodeConfig,
    base=PACKET,
    title="parameters of the node interface",
    parameters=(
        Parameter(name="buffers", help="system buffers of a node, 0 to 256 (default 16)"),
        Parameter(name="buffer_bytes", help="bytes of each, 32 to 65536, a multiple of 32 (default 256)"),
        Parameter(
            name="reserved",
            help="buffers for messages of system types alone, 0 to buffers (default min(2, buffers))",
            marked=True,
            zero=True,
        ),
        Parameter(name="eager", help="packets of a message that are sent unasked, 1 to 15 (default 8)"),
        Parameter(name="tracked", help="messages whose arrival is tracked at a time, 1 to 32 (default 8)"),
        Parameter(name="hash_bits", help="b: 2^b + 1 queues of posted receives, 1 to 8 (default 4)"),
        Parameter(name="instructions", help="doorbells that are queued, 2 to 64 (default 8)"),
        Parameter(name="events", help="entries of the event log, 2 to 256 (default 16)"),
    ),
    units=(
        Unit(name="node_interface", component="cubecast.rtl.node.node_interface:NodeInterface", routes=False),
        Unit(name="packet_node", component="cubecast.rtl.node.packet_node:PacketNode", command="node"),
        Unit(
            name="axi_node",
            component="cubecast.rtl.node.axi_node:AxiNode",
            extra={"axi_clock": True},
            clocks=("aclk", "aresetn"),
        ),
        Unit(name="node_network", component="cubecast.rtl.node.node_network:NodeNetwork", cube=True),
    ),
    units_help="a node interface, which makes messages of packets, of a packet router with one (node) or a network of "
    "them",
    files_help={
        "cubecast_node_regs.h": "the same of the node interface, with header blocks (it, its nodes, and their network)",
        "cubecast_node.h": "the C library of its processor, over these: what it declares",
        "cubecast_node.c": "and what it does",
    },
    description=description,
    presets=PACKET.presets,
    programs="cubecast.tb.node.playback:BENCH",
)
