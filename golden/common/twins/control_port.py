"""Control port: fault vector, error log and counters of a router."""

from __future__ import annotations

from collections import deque

from cubecast.golden.common.contract.control import REGISTERS, Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, Control
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits

__all__ = ["ControlPort"]


_ENTRIES = {entry.name: entry for entry in REGISTERS}
_MULTIPLE, _NOT_EMPTY, _LOST = (
    _ENTRIES["STATUS"].field(name).low for name in ("MULTIPLE_FAULTS", "LOG_NOT_EMPTY", "ENTRIES_LOST")
)
_SIZE = 1 << ADDRESS_BITS


class ControlPort:
    """Twin of the control port; what is read is there in the cycle after its address.

    ``registers`` holds every register, its counters without end; ``masks`` the bits of them that can be read at each
    address, ``log`` the entries of the error log. A link is ``cut`` in a cycle when in the cycle before this router's
    ``fault`` bit was set or the neighbour's.

    Parameters
    ----------
    config : Control
        Dimension of the cube, whether there is a fault vector, depth of the log, width of the counters.

    Source: Lan 1988, section 7.4 (fault flip-flops f_j), section 7.2 (report of more than one faulty neighbour).
    """

    def __init__(self, config: Control) -> None:
        """Start in reset."""
        self.config = config
        counted = (1 << config.counter_bits) - 1
        self.masks = [0xFFFFFFFF if address < Register.REPORTS else counted for address in range(_SIZE)]
        self.masks[Register.LOG_LOST] = counted
        self._writable = config.nodes - 1 if config.fault_tolerant else 0
        self.registers = [0] * _SIZE
        self.log: deque[int] = deque()
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.registers[:] = [0] * _SIZE
        self.log.clear()
        self.read_data = 0
        self.fault = 0
        self.cut = 0
        self.multiple_faults = 0

    def count(self, register: int) -> None:
        """Take the edge of a cycle with this counter's event."""
        self.registers[register] += 1

    def read(self, address: int) -> int:
        """Return what an address reads in this cycle; counters wrap, and without any 0 is read."""
        return self.registers[address] & self.masks[address]

    def write(self, address: int, data: int) -> None:
        """Take the edge of a cycle with a write; :meth:`links` goes first."""
        if address == Register.LOG and self.log:
            self.log.popleft()
        elif address == Register.FAULT:
            self.fault = data & self._writable
        self._update()

    def links(self, down: int) -> None:
        """Take the edge of a cycle with these FAULT bits of the neighbours."""
        self.cut = self.fault | down & self._writable
        self.multiple_faults = int(self.cut.bit_count() > 1)
        self._update()

    def full(self) -> bool:
        """Return whether the log, if there is one, takes no entry in this cycle."""
        return 0 < self.config.log_depth == len(self.log)

    def report(self, full: bool, reason: int, destination: int, port: int, lane: int) -> None:
        """Take the edge of a cycle with a report; ``full``: the log was full at the start of the cycle."""
        self.count(Register.REPORTS + reason)
        if full:
            self.count(Register.LOG_LOST)
        elif self.config.log_depth:
            fields = {"destination": destination, "reason": reason, "port": port, "lane": lane, "valid": 1}
            self.log.append(_ENTRIES["LOG"].pack(**fields))
        self._update()

    def _update(self) -> None:
        """Bring the registers that are not counters up to date."""
        registers = self.registers
        lost = self.read(Register.LOG_LOST) != 0
        registers[Register.FAULT] = self.fault
        registers[Register.CUT] = self.cut
        registers[Register.STATUS] = (
            self.multiple_faults << _MULTIPLE | (len(self.log) > 0) << _NOT_EMPTY | lost << _LOST
        )
        registers[Register.LOG] = self.log[0] if self.log else 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        outputs: Outputs = {
            "read_data": self.read_data,
            "fault": self.fault,
            "cut": self.cut,
            "multiple_faults": self.multiple_faults,
        }
        if get("rst"):
            self.reset()
            return outputs
        address, full = get("address", 0), self.full()
        self.read_data = self.read(address)
        self.links(get("down", 0))
        if get("write"):
            self.write(address, get("write_data", 0))
        if get("report_valid"):
            fields = ("report_reason", "report_destination", "report_port", "report_lane")
            self.report(full, *(get(field, 0) for field in fields))
        for name, register in (
            ("message_in", Register.MESSAGES_IN),
            ("message_out", Register.MESSAGES_OUT),
            ("word_out", Register.WORDS_OUT),
            ("waited", Register.WAITED),
        ):
            for port in bits(get(name, 0)):
                self.count(register + port)
        return outputs
