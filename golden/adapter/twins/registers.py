"""Registers of the adapter: policy, random bits, and the list of known faults."""

from __future__ import annotations

import functools

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import SEED_BITS, SEED_STRIDE, SEED_TAPS, Register, register_map
from cubecast.golden.adapter.contract.word import only_policy
from cubecast.golden.adapter.twins.fault_list import NO_ENTRY, Entry, fault_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["AdapterRegisters", "Clock"]

SEED_MASK = (1 << SEED_BITS) - 1


@functools.cache
def _states() -> tuple[list[int], dict[int, int]]:
    """Return the states that the random bits go through, from 1 on, and the place of each."""
    states, state = [1], 1
    for _ in range(SEED_MASK - 1):
        state = state >> 1 | (sum(state >> tap for tap in SEED_TAPS) & 1) << SEED_BITS - 1
        states.append(state)
    return states, {state: place for place, state in enumerate(states)}


class Clock:
    """Counts cycles for registers that change in all of them, so that their units can sleep meanwhile."""

    cycle = 0


class AdapterRegisters:
    """Twin of the adapter's registers; ``policy``, ``state``, ``faults`` and ``read_data`` are registers.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    clock : Clock, optional
        Counts the cycles; default: its own, with :meth:`edge`.
    """

    def __init__(self, config: AdapterConfig, clock: Clock | None = None) -> None:
        """Start in reset."""
        self.config = config
        self.clock = clock or Clock()
        self._fields = {entry.name: {field.name: field for field in entry.fields} for entry in register_map(config)}
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.policy = int(only_policy(self.config) or 0)
        self._begun = self.clock.cycle
        self.faults = [NO_ENTRY] * self.config.fault_entries
        self.read_data = 0

    @property
    def state(self) -> int:
        """The random bits' register: in each cycle the next of its states."""
        return _states()[0][(self.clock.cycle - self._begun) % SEED_MASK]

    def draw(self, address: int) -> int:
        """Return this cycle's random bits at a node."""
        if not self.config.draws:
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
        if address == Register.POLICY and self.config.chooses:
            return self.policy
        return self.state if address == Register.SEED and self.config.draws else 0

    def edge(self, address: int, write: int, data: int) -> None:
        """Take the edge of a cycle with an access."""
        self.read_data = self.read(address)
        if write:
            self.write(address, data)
        self.clock.cycle += 1

    def write(self, address: int, data: int) -> None:
        """Take the edge of a cycle with a write, but for the clock."""
        number = address - Register.FAULT
        if 0 <= number < self.config.fault_entries:
            places = self._fields["FAULT"].items()
            self.faults[number] = Entry(**{name.lower(): (data & place.mask) >> place.low for name, place in places})
        elif address == Register.POLICY and self.config.chooses:
            self.policy = data & self._fields["POLICY"]["POLICY"].mask
        elif address == Register.SEED and self.config.draws:
            self._begun = self.clock.cycle + 1 - _states()[1][data & SEED_MASK or 1]

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
