"""Registers of the adapter: policy, random bits, and the list of known faults."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import SEED_BITS, SEED_STRIDE, SEED_TAPS, Register, register_map
from cubecast.golden.adapter.twins.fault_list import NO_ENTRY, Entry, fault_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["AdapterRegisters"]

SEED_MASK = (1 << SEED_BITS) - 1


class AdapterRegisters:
    """Twin of the adapter's registers; ``policy``, ``state``, ``faults`` and ``read_data`` are registers.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self._fields = {entry.name: {field.name: field for field in entry.fields} for entry in register_map(config)}
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.policy = 0
        self.state = 1
        self.faults = [NO_ENTRY] * self.config.fault_entries
        self.read_data = 0

    def draw(self, address: int) -> int:
        """Return this cycle's random bits at a node."""
        if self.config.router.runs == 1:
            return 0
        chosen = sum((self.state >> SEED_STRIDE * k % SEED_BITS & 1) << k for k in range(self.config.dim))
        return chosen ^ address

    def read(self, address: int) -> int:
        """Return what a register reads."""
        number = address - Register.FAULT
        if 0 <= number < self.config.fault_entries:
            entry = self.faults[number]
            places = self._fields["FAULT"]
            return sum(getattr(entry, name.lower()) << place.low for name, place in places.items())
        if "POLICY" not in self._fields:
            return 0
        return {int(Register.POLICY): self.policy, int(Register.SEED): self.state}.get(address, 0)

    def edge(self, address: int, write: int, data: int) -> None:
        """Take the edge of a cycle with an access."""
        self.read_data = self.read(address)
        state = self.state
        self.state = state >> 1 | (sum(state >> tap for tap in SEED_TAPS) & 1) << SEED_BITS - 1
        if not write:
            return
        number = address - Register.FAULT
        if 0 <= number < self.config.fault_entries:
            places = self._fields["FAULT"].items()
            self.faults[number] = Entry(**{name.lower(): (data & place.mask) >> place.low for name, place in places})
        elif "POLICY" in self._fields:
            if address == Register.POLICY:
                self.policy = data & self._fields["POLICY"]["POLICY"].mask
            elif address == Register.SEED:
                self.state = data & SEED_MASK or 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        outputs: Outputs = {"policy": self.policy, "draw": self.draw(get("address", 0))}
        outputs |= fault_outputs(self.faults)
        outputs["control__read_data"] = self.read_data
        self.edge(get("control__address", 0), get("control__write", 0), get("control__write_data", 0))
        if get("rst"):
            self.reset()
        return outputs
