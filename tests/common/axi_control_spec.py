"""What the AXI4-Lite slave has to promise."""

import dataclasses

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.axi import Registers, registers_of
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.common.contract.units import DATA_BITS, Control
from cubecast.rtl.common.axi_control import OKAY, SLVERR, AxiControl
from tests.harness.inside import opened, register

__all__ = ["FILLED", "MEDDLERS", "AxiControlSpec"]

READ_BOUND = 2
"""Cycles that a read which has been taken is unanswered at most, while no other answer waits to be taken."""

WRITE_BOUND = 5
"""The same of a write whose address and data have been taken; a partial one goes twice, and may wait twice."""

WHOLE_BOUND = 2
"""The same of a write of all bytes, which goes and waits once."""

MEDDLERS = ("forgets", "waits", "stalls", "alters", "agrees")
"""Ways to spoil the slave: an answer is withdrawn, is shown only to a ready master, or does not come; a bit of what is
read changes, every write is answered with OKAY."""

FILLED = ("zeroed", "whole")
"""Ways to spoil it where registers are so: bytes that are not strobed are those that the register reads."""


class AxiControlSpec(wiring.Component):
    """The slave obeys AXI4-Lite and answers everything, once and soon.

    For all masters, and for every input in every cycle: an answer that is offered stays and does not change until it is
    taken; there is an answer for each request and none without; a request is answered within a bound, whatever the
    other direction does; only a register that can be written is written, with the bytes that are strobed, and in place
    of the others zeros if it is zeroed; one that is whole only if all are. It is the register that was asked for, and
    it is written once, if the answer says so and any byte is strobed. What is read is what the register that was asked
    for reads.

    Parameters
    ----------
    config : Control or Registers
        What the control port is made for.
    meddle : str
        One of :data:`MEDDLERS` or :data:`FILLED`: the slave is spoilt, and must be refuted.
    """

    def __init__(self, config: Control | Registers, meddle: str = ""):
        self.config, self.meddle = config, meddle
        super().__init__({})

    def elaborate(self, platform):
        """Watch a slave with free inputs."""
        m = Module()
        registers = registers_of(self.config)
        spoilt = dataclasses.replace(registers, **({self.meddle: ()} if self.meddle in FILLED else {}))
        dut = AxiControl(spoilt)
        m.submodules.dut = self._fragment = opened(dut)
        pin = {name: getattr(dut, name) for name in dut.signature.members if name != "control"}
        ready = {channel: pin[f"s_axi_{channel}ready"] for channel in ("aw", "w", "b", "ar", "r")}
        valid = {channel: pin[f"s_axi_{channel}valid"] for channel in ready}
        inputs = [pin[name] for name in pin if dut.signature.members[name].flow == wiring.In]
        m.d.comb += [signal.eq(AnySeq(len(signal))) for signal in (*inputs, dut.control.read_data)]
        if self.meddle == "forgets":
            ready["r"] = ready["r"] & AnySeq(1)
        if self.meddle == "waits":
            valid["b"] = valid["b"] & ready["b"]
        if self.meddle == "stalls":
            valid["b"] = valid["b"] & valid["r"]
        if self.meddle == "alters":
            pin["s_axi_rdata"] = pin["s_axi_rdata"] ^ 1
        if self.meddle == "agrees":
            pin["s_axi_bresp"] = C(OKAY, 2)
        moves = {channel: valid[channel] & ready[channel] for channel in ready}

        # An answer stays until it is taken.
        fresh = {}
        for channel, payload in (("b", pin["s_axi_bresp"]), ("r", Cat(pin["s_axi_rdata"], pin["s_axi_rresp"]))):
            held, last = Signal(name=f"held_{channel}"), Signal.like(payload, name=f"last_{channel}")
            m.d.sync += [held.eq(valid[channel] & ~ready[channel]), last.eq(payload)]
            m.d.comb += [Assert(~held | valid[channel]), Assert(~held | (payload == last))]
            fresh[channel] = valid[channel] & ~held

        # One answer for each request, and soon.
        control, asked, strobes = dut.control, Signal(DATA_BITS), Signal(BYTES)
        open_aw, open_w, open_ar = Signal(3), Signal(3), Signal(3)
        age_read, age_write = Signal(4), Signal(4)
        m.d.sync += [
            open_aw.eq(open_aw + moves["aw"] - moves["b"]),
            open_w.eq(open_w + moves["w"] - moves["b"]),
            open_ar.eq(open_ar + moves["ar"] - moves["r"]),
            age_read.eq(Mux((open_ar != 0) & ~valid["r"], age_read + 1, 0)),
            age_write.eq(Mux((open_aw != 0) & (open_w != 0) & ~valid["b"], age_write + 1, 0)),
        ]
        m.d.comb += [
            Assert(~valid["b"] | ((open_aw != 0) & (open_w != 0))),
            Assert(~valid["r"] | (open_ar != 0)),
            Assert(age_read <= READ_BOUND),
            Assert(age_write <= Mux(strobes.all(), WHOLE_BOUND, WRITE_BOUND)),
            Cover((age_read == READ_BOUND) & pin["s_axi_bvalid"]),
            Cover(age_write == WRITE_BOUND),
            Cover((age_write == WHOLE_BOUND) & strobes.all()),
            # What the counts stand for; it makes them inductive.
            Assert(open_aw == ~ready["aw"] + pin["s_axi_bvalid"]),
            Assert(open_w == ~ready["w"] + pin["s_axi_bvalid"]),
            Assert(open_ar == ~ready["ar"] + pin["s_axi_rvalid"] + dut.reading),
        ]

        with m.If(moves["w"]):
            m.d.sync += [asked.eq(pin["s_axi_wdata"]), strobes.eq(pin["s_axi_wstrb"])]
        self._registers(m, pin, moves, fresh, strobes, dut)
        zeroed = control.address.matches(*registers.zeroed)
        held, fetched = ~ready["w"], dut.w_strobe.all() & ~strobes.all()
        whole = dut.aw_address.matches(*registers.whole)
        m.d.comb += [
            Assert(~control.write | control.address.matches(*registers.writable)),
            Assert(~control.write | ~control.address.matches(*registers.whole) | strobes.all()),
            Cover(control.write & ~strobes.all()),
            # What the slave keeps of a write; it makes the bytes inductive.
            Assert(~held | fetched | (dut.w_strobe == strobes)),
            Assert(~held | ~fetched | (~ready["aw"] & strobes.any() & ~whole & ~dut.fetching)),
            Assert(~dut.fetching | (held & ~ready["aw"] & ~whole & strobes.any() & ~strobes.all())),
        ]
        for byte in range(BYTES):
            written, kept, given = (value.word_select(byte, 8) for value in (control.write_data, dut.w_data, asked))
            zero = ~fetched | strobes[byte] | ~dut.aw_address.matches(*registers.zeroed) | (kept == 0)
            m.d.comb += [
                Assert(~control.write | ~strobes[byte] | (written == given)),
                Assert(~control.write | ~zeroed | strobes[byte] | (written == 0)),
                Assert(~held | ((~strobes[byte] | (kept == given)) & zero)),
            ]
        return m

    def _registers(self, m, pin, moves, fresh, strobes, dut):
        """State which register is written and read."""
        registers, control = registers_of(self.config), dut.control
        to, wrote = Signal.like(control.address), Signal()
        of, earlier = Signal.like(to), Signal.like(to)
        # The register whose value is there, and that value; in the cycle after, an answer says so.
        shown, before, value = Signal.like(to), Signal.like(to), Signal(DATA_BITS)
        with m.If(moves["aw"]):
            m.d.sync += to.eq(pin["s_axi_awaddr"][-len(to) :])
        with m.If(moves["ar"]):
            m.d.sync += of.eq(pin["s_axi_araddr"][-len(of) :])
        m.d.sync += [
            wrote.eq(control.write | (wrote & ~fresh["b"])),
            *(shown.eq(control.address), before.eq(shown), earlier.eq(of), value.eq(control.read_data)),
        ]
        some = strobes.any() & ~strobes.all()
        okay = to.matches(*registers.writable) & ~(some & to.matches(*registers.whole))
        m.d.comb += [
            Assert(~control.write | ((control.address == to) & ~wrote)),
            Assert(~fresh["b"] | (pin["s_axi_bresp"] == Mux(okay, OKAY, SLVERR))),
            Assert(~fresh["b"] | (wrote == (okay & strobes.any()))),
            Assert(~fresh["r"] | (pin["s_axi_rresp"] == Mux(earlier.matches(*registers.readable), OKAY, SLVERR))),
            Assert(~fresh["r"] | ((before == earlier) & (pin["s_axi_rdata"] == value))),
            # What the slave keeps of a request; it makes these inductive.
            Assert(pin["s_axi_awready"] | (dut.aw_address == to)),
            Assert(pin["s_axi_arready"] | (register(self._fragment, "ar_address") == of)),
            Assert(~dut.reading | (shown == earlier)),
            Assert(~dut.reading | (register(self._fragment, "read_known") == earlier.matches(*registers.readable))),
            Assert(~wrote | fresh["b"]),
        ]
