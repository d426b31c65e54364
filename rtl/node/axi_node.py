"""Packet node with AXI: its registers and doorbells on AXI4-Lite, its memory behind an AXI4 master."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from cubecast.golden.node.contract.axi import registers
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Register
from cubecast.rtl.common.axi_control import AxiControl, axi_lite
from cubecast.rtl.common.instance import place
from cubecast.rtl.node.axi_memory import AxiMemory, axi_master
from cubecast.rtl.node.packet_node import PacketNode
from cubecast.rtl.node.packet_node import signature as of_node
from cubecast.rtl.node.stream import ADDRESS_BITS, INSTRUCTION_BITS

__all__ = ["AxiNode", "signature"]

REPLACED = ("doorbell", "control", "read", "data", "write", "done", "done_error")
"""Ports of the node that AXI stands for."""

HELD = ("awvalid", "awready", "bvalid", "bready")
"""Ports of the slave that a doorbell holds up."""


class AxiNode(wiring.Component):
    """Packet node whose processor and memory are on AXI.

    A doorbell is answered when the queue of instructions has taken it.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn`` (active low, synchronous), as users of AXI
        expect. False: ``clk`` and ``rst``, as all units have them.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    address : in, n
        Strap: the node's address.
    link_in__j__*, link_out__j__*
        Links, as those of the router.
    s_axi_* : AXI4-Lite slave, 32 bits
        Registers of router and node interface, and doorbells.
    m_axi_* : AXI4 master, 32 bits
        Node memory.
    watch__valid, watch__address, watch__size, early, irq, report__*, multiple_faults
        As those of the packet node.

    Source: Buzzard 1988, section 4.1; AMBA AXI4 and AXI4-Lite.
    """

    def __init__(self, config: NodeConfig, axi_clock: bool = False):
        self.config, self.axi_clock = config, axi_clock
        clock = {"aclk": In(1), "aresetn": In(1)} if axi_clock else {}
        super().__init__(clock | dict(signature(config).members))

    def elaborate(self, platform):
        """Place node, slave and master and connect them."""
        m = Module()
        if self.axi_clock:
            m.domains.sync = ClockDomain()
            m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        node = place(m, "node", PacketNode, self.config)
        memory = place(m, "memory", AxiMemory, self.config)
        connect(m, node.read, memory.read)
        connect(m, memory.data, node.data)
        connect(m, node.write, memory.write)
        for outer, inner in zip([*self.link_in, *self.link_out], [*node.link_in, *node.link_out], strict=True):
            connect(m, flipped(outer), inner)
        connect(m, flipped(self.watch), node.watch)
        connect(m, node.report, flipped(self.report))
        m.d.comb += [
            node.address.eq(self.address),
            node.done.eq(memory.done),
            node.done_error.eq(memory.done_error),
            *(getattr(self, name).eq(getattr(node, name)) for name in ("early", "irq", "multiple_faults")),
        ]
        for name, member in axi_master().items():
            one, other = getattr(self, f"m_axi_{name}"), getattr(memory, f"m_axi_{name}")
            m.d.comb += other.eq(one) if member.flow == In else one.eq(other)
        self._slave(m, node)
        return m

    def _slave(self, m, node):
        """Connect registers, and ring doorbells; a write waits until the one before it has rung."""
        config = registers(self.config)
        slave = place(m, "slave", AxiControl, config)
        for name, member in axi_lite(config).items():
            one, other = getattr(self, f"s_axi_{name}"), getattr(slave, f"s_axi_{name}")
            if name not in HELD:
                m.d.comb += other.eq(one) if member.flow == In else one.eq(other)
        ringing, instruction, bell = Signal(), Signal(INSTRUCTION_BITS), Signal(ADDRESS_BITS)
        control, rings = slave.control, Signal()
        first = int(Register.PLACES)
        m.d.comb += [
            slave.s_axi_awvalid.eq(self.s_axi_awvalid & ~ringing),
            self.s_axi_awready.eq(slave.s_axi_awready & ~ringing),
            self.s_axi_bvalid.eq(slave.s_axi_bvalid & ~ringing),
            slave.s_axi_bready.eq(self.s_axi_bready & ~ringing),
            rings.eq(control.write & (control.address >= first) & (control.address < first + len(Instruction))),
            node.control.address.eq(control.address),
            node.control.write.eq(control.write & ~rings),
            node.control.write_data.eq(control.write_data),
            control.read_data.eq(node.control.read_data),
            node.doorbell.valid.eq(ringing),
            node.doorbell.instruction.eq(instruction),
            node.doorbell.address.eq(bell),
        ]
        with m.If(rings):
            m.d.sync += [ringing.eq(1), instruction.eq(control.address - first), bell.eq(control.write_data)]
        with m.Elif(node.doorbell.ready):
            m.d.sync += ringing.eq(0)


def signature(config: NodeConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    """
    members = {name: port for name, port in of_node(config).members.items() if name not in REPLACED}
    lite = {f"s_axi_{name}": port for name, port in axi_lite(registers(config)).items()}
    return wiring.Signature(members | lite | {f"m_axi_{name}": port for name, port in axi_master().items()})
