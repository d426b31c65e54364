"""What the AXI4-Lite slave has to promise."""

import dataclasses

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.axi import Registers, registers_of
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.common.contract.units import DATA_BITS, Control
from cubecast.rtl.common.axi_control import AxiControl

__all__ = ["FILLED", "MEDDLERS", "AxiControlSpec"]

READ_BOUND = 2
"""Cycles that a read which has been taken is unanswered at most, while no other answer waits to be taken."""

WRITE_BOUND = 5
"""The same of a write whose address and data have been taken; a partial one goes twice, and may wait twice."""

MEDDLERS = ("forgets", "waits", "stalls")
"""Ways to spoil the slave: an answer is withdrawn, is shown only to a ready master, or does not come."""

FILLED = ("zeroed", "whole")
"""Ways to spoil it where registers are so: bytes that are not strobed are those that the register reads."""


class AxiControlSpec(wiring.Component):
    """The slave obeys AXI4-Lite and answers everything, once and soon.

    For all masters, and for every input in every cycle: an answer that is offered stays and does not change until it is
    taken; there is an answer for each request and none without; a request is answered within a bound, whatever the
    other direction does; only a register that can be written is written, with the bytes that are strobed, and in place
    of the others zeros if it is zeroed; one that is whole only if all are.

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
        m.submodules.dut = dut = AxiControl(spoilt)
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
        moves = {channel: valid[channel] & ready[channel] for channel in ready}

        # An answer stays until it is taken.
        for channel, payload in (("b", pin["s_axi_bresp"]), ("r", Cat(pin["s_axi_rdata"], pin["s_axi_rresp"]))):
            held, last = Signal(name=f"held_{channel}"), Signal.like(payload, name=f"last_{channel}")
            m.d.sync += [held.eq(valid[channel] & ~ready[channel]), last.eq(payload)]
            m.d.comb += [Assert(~held | valid[channel]), Assert(~held | (payload == last))]

        # One answer for each request, and soon.
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
            Assert(age_write <= WRITE_BOUND),
            Cover((age_read == READ_BOUND) & pin["s_axi_bvalid"]),
            Cover(age_write == WRITE_BOUND),
            # What the counts stand for; it makes them inductive.
            Assert(open_aw == ~ready["aw"] + pin["s_axi_bvalid"]),
            Assert(open_w == ~ready["w"] + pin["s_axi_bvalid"]),
            Assert(open_ar == ~ready["ar"] + pin["s_axi_rvalid"] + dut.reading),
        ]

        control, asked, strobes = dut.control, Signal(DATA_BITS), Signal(BYTES)
        with m.If(moves["w"]):
            m.d.sync += [asked.eq(pin["s_axi_wdata"]), strobes.eq(pin["s_axi_wstrb"])]
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
