"""AXI4-Lite slave in front of the control port of a router."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.axi import Registers, lite_pins, registers_of
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.common.contract.units import DATA_BITS, Control
from cubecast.rtl.common.register_port import RegisterPort

__all__ = ["AxiControl", "axi_lite"]

OKAY, SLVERR = 0, 2


def axi_lite(config: Control | Registers) -> dict[str, wiring.Member]:
    """Return the ports of an AXI4-Lite slave for these registers, by their names behind ``s_axi_``."""
    return {name: (In if pin.driven else Out)(pin.bits) for name, pin in lite_pins(config).items()}


class AxiControl(wiring.Component):
    """Give an AXI4-Lite master access to the control port.

    Every output is a function of registers. A read whose address is taken in cycle c reads the register of cycle
    c + 1 and has ``rvalid`` from cycle c + 3 on; a write takes effect in cycle c + 1 and has ``bvalid`` from cycle
    c + 2 on, one cycle later if a read goes first. A partial write reads the register first, 2 cycles more.
    SLVERR answers a read or write where no register is, a write to one that is only read, and one of some bytes to a
    register that is written whole.

    Parameters
    ----------
    config : Control or Registers
        What the control port is made for: where registers are, and which can be written, in which bytes.

    Ports
    -----
    s_axi_* : AXI4-Lite slave, 32 bits
        Byte address 4 x the register's number.
    control__address, control__write, control__write_data, control__read_data : out bits, 1, 32, in 32
        The control port.

    Source: AMBA AXI4-Lite; the register map of golden/common/contract/control.py.
    """

    def __init__(self, config: Control | Registers):
        self.config = config
        self._registers = registers_of(config)
        lite = {f"s_axi_{name}": member for name, member in axi_lite(config).items()}
        super().__init__({**lite, "control": Out(RegisterPort(self._registers.bits))})
        self.reading = Signal()
        self.fetching = Signal()
        self.aw_address = Signal(self._registers.bits)
        self.w_data = Signal(DATA_BITS)
        self.w_strobe = Signal(BYTES)

    def elaborate(self, platform):
        """Build a register for each channel, and the choice between a read and a write.

        A read goes first: its answer takes two cycles more, so a write waits for one cycle at most.
        """
        m = Module()
        registers = self._registers
        aw_full, aw_address = Signal(), self.aw_address
        w_full, w_data, w_strobe = Signal(), self.w_data, self.w_strobe
        ar_full, ar_address = Signal(), Signal(registers.bits)
        fetching, reading, read_known = self.fetching, self.reading, Signal()
        read_goes, write_goes = Signal(), Signal()
        can_read, can_write, some, zeroed = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.s_axi_awready.eq(~aw_full),
            self.s_axi_wready.eq(~w_full),
            self.s_axi_arready.eq(~ar_full),
            can_read.eq(ar_address.matches(*registers.readable)),
            some.eq(w_strobe.any() & ~w_strobe.all()),
            can_write.eq(aw_address.matches(*registers.writable) & ~(some & aw_address.matches(*registers.whole))),
            zeroed.eq(aw_address.matches(*registers.zeroed)),
            read_goes.eq(ar_full & ~reading & ~self.s_axi_rvalid),
            write_goes.eq(aw_full & w_full & ~fetching & ~self.s_axi_bvalid & ~read_goes),
            self.control.address.eq(Mux(write_goes, aw_address, ar_address)),
            self.control.write.eq(write_goes & can_write & w_strobe.all()),
            self.control.write_data.eq(w_data),
        ]
        with m.If(self.s_axi_bready):
            m.d.sync += self.s_axi_bvalid.eq(0)
        with m.If(self.s_axi_rready):
            m.d.sync += self.s_axi_rvalid.eq(0)
        with m.If(self.s_axi_awvalid & ~aw_full):
            m.d.sync += [aw_full.eq(1), aw_address.eq(self.s_axi_awaddr[-registers.bits :])]
        with m.If(self.s_axi_wvalid & ~w_full):
            m.d.sync += [w_full.eq(1), w_data.eq(self.s_axi_wdata), w_strobe.eq(self.s_axi_wstrb)]
        with m.If(self.s_axi_arvalid & ~ar_full):
            m.d.sync += [ar_full.eq(1), ar_address.eq(self.s_axi_araddr[-registers.bits :])]
        with m.If(reading):
            m.d.sync += [
                reading.eq(0),
                self.s_axi_rvalid.eq(1),
                self.s_axi_rdata.eq(self.control.read_data),
                self.s_axi_rresp.eq(Mux(read_known, OKAY, SLVERR)),
            ]
        with m.If(fetching):
            m.d.sync += [fetching.eq(0), w_strobe.eq(~0)]
            for byte in range(BYTES):
                with m.If(~w_strobe[byte]):
                    kept = Mux(zeroed, 0, self.control.read_data.word_select(byte, 8))
                    m.d.sync += w_data.word_select(byte, 8).eq(kept)
        with m.If(read_goes):
            m.d.sync += [ar_full.eq(0), reading.eq(1), read_known.eq(can_read)]
        with m.If(write_goes):
            with m.If(can_write & some):
                m.d.sync += fetching.eq(1)
            with m.Else():
                m.d.sync += [
                    aw_full.eq(0),
                    w_full.eq(0),
                    self.s_axi_bvalid.eq(1),
                    self.s_axi_bresp.eq(Mux(can_write, OKAY, SLVERR)),
                ]
        return m
