"""AXI4-Lite slave in front of the control port."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.contract.axi import Registers, registers_of
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.common.contract.units import Control
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["OKAY", "SLVERR", "AxiControl", "Request"]

OKAY, SLVERR = 0, 2
"""Responses of AXI4-Lite: done, and refused by the slave."""

WHOLE = (1 << BYTES) - 1
"""Byte strobes of a write of all bytes."""


class Request(NamedTuple):
    """What the control port gets in this cycle."""

    address: int
    write: int
    write_data: int


class Write(NamedTuple):
    """Data and byte strobes of a write."""

    data: int
    strobe: int


class AxiControl:
    """Twin of the AXI4-Lite slave; all outputs are functions of its state alone.

    A read whose address is taken in cycle c reads the register of cycle c + 1 and answers from cycle c + 3 on; a
    write takes effect in cycle c + 1 and is answered from cycle c + 2 on, each one later if a read goes first. A write
    of some bytes is refused, or takes 2 cycles more and the other bytes from the register, or has zeros there, as the
    registers say.

    Parameters
    ----------
    config : Control or Registers
        What the control port is made for: where registers are, and which can be written, in which bytes.

    Source: AMBA AXI4-Lite; docs/axi.md.
    """

    def __init__(self, config: Control | Registers) -> None:
        """Start in reset."""
        self.config = config
        registers = registers_of(config)
        self.bits = registers.bits
        self._known, self._writable = frozenset(registers.readable), frozenset(registers.writable)
        self._zeroed, self._whole = frozenset(registers.zeroed), frozenset(registers.whole)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.aw: int | None = None
        self.w: Write | None = None
        self.ar: int | None = None
        self._last_aw = self._last_ar = 0
        self.fetching = False
        self.reading: int | None = None
        self.b: int | None = None
        self.r: tuple[int, int] | None = None

    def goes(self) -> str:
        """Return which access has the control port in this cycle: ``"read"``, ``"write"`` or ``""``."""
        if self.ar is not None and self.reading is None and self.r is None:
            return "read"
        return "write" if self.writes() else ""

    def writes(self) -> bool:
        """Return whether a write asks for the control port in this cycle."""
        return self.aw is not None and self.w is not None and not self.fetching and self.b is None

    def request(self) -> Request:
        """Return what goes to the control port in this cycle."""
        data = self.w.data if self.w else 0
        if self.goes() != "write":
            return Request(self._last_ar, 0, data)
        strobe = self.w.strobe if self.w else 0
        return Request(self._last_aw, int(self._last_aw in self._writable and strobe == WHOLE), data)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, request = inputs.get, self.request()
        ready = {"aw": self.aw is None, "w": self.w is None, "ar": self.ar is None}
        data, response = self.r if self.r is not None else (None, None)
        outputs: Outputs = {
            "s_axi_awready": int(ready["aw"]),
            "s_axi_wready": int(ready["w"]),
            "s_axi_bvalid": int(self.b is not None),
            "s_axi_bresp": self.b,
            "s_axi_arready": int(ready["ar"]),
            "s_axi_rvalid": int(self.r is not None),
            "s_axi_rdata": data,
            "s_axi_rresp": response,
            "control__address": request.address,
            "control__write": request.write,
            "control__write_data": request.write_data if request.write else None,
        }
        if get("rst"):
            self.reset()
            return outputs
        goes = self.goes()
        if get("s_axi_bready"):
            self.b = None
        if get("s_axi_rready"):
            self.r = None
        read_data = get("control__read_data", 0)
        if self.reading is not None:
            self.r, self.reading = (read_data, self.reading), None
        if self.fetching and self.w:
            kept = 0 if self.zeroes else read_data
            self.w, self.fetching = Write(_merged(kept, self.w), WHOLE), False
        if goes == "read":
            self.ar, self.reading = None, OKAY if self._last_ar in self._known else SLVERR
        elif goes == "write":
            self._write()
        if ready["aw"] and get("s_axi_awvalid"):
            self.aw = self._last_aw = get("s_axi_awaddr", 0) // BYTES
        if ready["w"] and get("s_axi_wvalid"):
            self.w = Write(get("s_axi_wdata", 0), get("s_axi_wstrb", 0))
        if ready["ar"] and get("s_axi_arvalid"):
            self.ar = self._last_ar = get("s_axi_araddr", 0) // BYTES
        return outputs

    @property
    def some(self) -> bool:
        """Whether the write that is here strobes some bytes, not all."""
        return self.w is not None and self.w.strobe not in (0, WHOLE)

    @property
    def zeroes(self) -> bool:
        """Whether the write that is here has zeros in bytes that are not strobed."""
        return self.some and self.aw in self._zeroed

    @property
    def refuses(self) -> bool:
        """Whether the write that is here is refused because it strobes some bytes only."""
        return self.some and self.aw in self._whole

    def _write(self) -> None:
        """Take the edge of a cycle in which a write goes: fetch the rest of a partial one, or be done."""
        allowed = self.aw in self._writable and not self.refuses
        if allowed and self.some:
            self.fetching = True
        else:
            self.aw = self.w = None
            self.b = OKAY if allowed else SLVERR


def _merged(old: int, write: Write) -> int:
    """Return a register's value with the strobed bytes replaced."""
    pairs = zip(old.to_bytes(BYTES, "little"), write.data.to_bytes(BYTES, "little"), strict=True)
    return int.from_bytes(
        (new if write.strobe >> place & 1 else kept for place, (kept, new) in enumerate(pairs)), "little"
    )
