"""Node registers: what the processor tells its interface, and what it can read there."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, bits
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Counter, Interrupt, Register
from cubecast.golden.node.twins.unit import Unit

__all__ = ["NodeRegisters"]

WORD = 0xFFFFFFFF

IRQ_MASK = (1 << len(Interrupt)) - 1

SETTINGS = {
    Register.MEMORY_FIRST: "first",
    Register.MEMORY_LAST: "last",
    Register.BUFFERS: "base",
    Register.TIMEOUT: "timeout",
}
"""Registers that can be written until the interface is enabled, and the ports that show them."""


class NodeRegisters(Unit):
    """Twin of the node registers; ``control__read_data`` is a register.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.enable = self.irq_enable = self.read_data = self.visited = 0
        self.settings = dict.fromkeys(SETTINGS, 0)
        self.counters = [0] * len(Counter)

    def read(self, address: int, inputs: Inputs) -> int:
        """Return what a register reads in this cycle."""
        get = inputs.get
        if 0 <= address - Register.PLACES < len(Instruction):
            return get("places", 0)
        if 0 <= address - Register.COUNTER < len(Counter):
            return self.counters[address - Register.COUNTER]
        if address in SETTINGS:
            return self.settings[Register(address)]
        event = get("event__source", 0) | get("event__status", 0) << 16 | get("event__reason", 0) << 24 | 1 << 31
        there = get("event__valid", 0)
        values = {
            Register.ENABLE: self.enable,
            Register.IRQ_STATUS: get("pending", 0),
            Register.IRQ_ENABLE: self.irq_enable,
            Register.EVENT: event if there else 0,
            Register.EVENT_VALUE: get("event__value", 0) if there else 0,
            Register.EVENTS_LOST: get("lost", 0),
            Register.FREE: get("free", 0),
            Register.LEAST_FREE: get("least", 0),
            Register.VISITED: self.visited,
        }
        return {int(register): value for register, value in values.items()}.get(address, 0)

    def written(self, inputs: Inputs) -> tuple[int, int]:
        """Return which register is written in this cycle, -1: none, and what is written."""
        get = inputs.get
        return get("control__address", 0) if get("control__write") else -1, get("control__write_data", 0)

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return True

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        written, data = self.written(inputs)
        return {
            "control__read_data": self.read_data,
            "enable": self.enable,
            **{name: self.settings[register] for register, name in SETTINGS.items()},
            "irq_enable": self.irq_enable,
            "irq_clear": data & IRQ_MASK if written == Register.IRQ_STATUS else 0,
            "event_pop": int(written == Register.EVENT),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        written, data = self.written(inputs)
        self.read_data = self.read(get("control__address", 0), inputs)
        if written in SETTINGS and not self.enable:
            self.settings[Register(written)] = data
        if written == Register.ENABLE:
            self.enable |= data & 1
        if written == Register.IRQ_ENABLE:
            self.irq_enable = data & IRQ_MASK
        for counter in bits(get("count", 0)):
            self.counters[counter] = self.counters[counter] + 1 & WORD
        if get("visit"):
            self.visited = self.visited + get("visited", 0) & WORD
