"""What the node with AXI ports has to promise about the wires between node, memory, slave and its ports."""

from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.axi import lite_pins
from cubecast.golden.node.contract.axi import registers
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.registers import Register
from cubecast.rtl.node import axi_node
from cubecast.rtl.node.axi_memory import axi_master
from cubecast.rtl.node.stream import ADDRESS_BITS, INSTRUCTION_BITS
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["AxiNodeSpec"]

WAITS = ("awvalid", "awready", "bvalid", "bready")
"""What of the slave reads 0 outside while a doorbell rings, at both ends."""

FROM_NODE = ("early", "irq", "multiple_faults")


class AxiNodeSpec(wiring.Component):
    """Every bit is joined with what it is joined with; a write to a place of an instruction rings, any other goes on.

    Node, memory and slave are emptied.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    more : int
        Places that ring beyond those of the instructions; but for 0 it must be refuted.
    """

    def __init__(self, config, more=0):
        self.config, self.places = config, len(Instruction) + more
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        self.dut = dut = axi_node.AxiNode(self.config)
        with emptying(axi_node):
            m.submodules.dut = fragment = opened(dut)
        freed(m, dut)
        node, memory, slave = (unit(fragment, name) for name in ("node", "memory", "slave"))
        m.d.comb += [
            *equal(node.read, memory.read),
            *equal(memory.data, node.data),
            *equal(node.write, memory.write),
            *equal(dut.watch, node.watch),
            *equal(dut.report, node.report),
            Assert(Cat(node.done, node.done_error) == Cat(memory.done, memory.done_error)),
            Assert(node.address == dut.address),
            *(Assert(getattr(dut, name) == getattr(node, name)) for name in FROM_NODE),
            *(Assert(getattr(dut, f"m_axi_{name}") == getattr(memory, f"m_axi_{name}")) for name in axi_master()),
        ]
        for ours, its in ((dut.link_in, node.link_in), (dut.link_out, node.link_out)):
            for one, other in zip(ours, its, strict=True):
                m.d.comb += equal(one, other)
        self._slave(m, slave, node)
        return m

    def _slave(self, m, slave, node):
        """Compare registers, and follow the doorbell: what rang last, 0 after a reset."""
        control, first = slave.control, int(Register.PLACES)
        rings, ringing = Signal(), Signal()
        instruction, bell = Signal(INSTRUCTION_BITS), Signal(ADDRESS_BITS)
        m.d.comb += rings.eq(control.write & (control.address >= first) & (control.address < first + self.places))
        with m.If(rings):
            m.d.sync += [instruction.eq(control.address - first), bell.eq(control.write_data)]
        m.d.sync += ringing.eq(rings | (ringing & ~node.doorbell.ready))
        for name in lite_pins(registers(self.config)):
            outer, inner = getattr(self.dut, f"s_axi_{name}"), getattr(slave, f"s_axi_{name}")
            taken, given = (inner, outer) if name in ("awvalid", "bready") else (outer, inner)
            m.d.comb += Assert(taken == (Mux(ringing, 0, given) if name in WAITS else given))
        m.d.comb += [
            Assert(node.control.address == control.address),
            Assert(node.control.write == (control.write & ~rings)),
            Assert(node.control.write_data == control.write_data),
            Assert(control.read_data == node.control.read_data),
            Assert(node.doorbell.valid == ringing),
            Assert(Cat(node.doorbell.instruction, node.doorbell.address) == Cat(instruction, bell)),
            Cover(ringing & ~rings & (bell != 0) & (instruction == len(Instruction) - 1)),
        ]
