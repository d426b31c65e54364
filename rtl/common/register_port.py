"""Register port: the signature of a unit's registers, and their read multiplexer."""

from collections.abc import Mapping

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DATA_BITS", "RegisterPort", "read"]

DATA_BITS = 32
"""Width of a register."""


class RegisterPort(wiring.Signature):
    """Access to registers: one address for reading and writing, data read a clock later.

    Parameters
    ----------
    bits : int
        Width of an address.
    """

    def __init__(self, bits: int):
        super().__init__(
            {"address": Out(bits), "write": Out(1), "write_data": Out(DATA_BITS), "read_data": In(DATA_BITS)}
        )


def read(m: Module, port: wiring.PureInterface, registers: Mapping[int, Value]) -> None:
    """Let a unit's register port read what its address selects, in the next clock; 0 where there is no register.

    Parameters
    ----------
    m : Module
        The module under construction.
    port : interface
        The unit's register port.
    registers : dict
        Address to value.
    """
    with m.Switch(port.address):
        for address, value in registers.items():
            with m.Case(address):
                m.d.sync += port.read_data.eq(value)
        with m.Default():
            m.d.sync += port.read_data.eq(0)
