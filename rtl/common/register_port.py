"""Register port: the signature of a unit's registers, and their read multiplexer."""

from collections.abc import Mapping

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.registers import Entry
from cubecast.golden.common.contract.units import DATA_BITS

__all__ = ["RegisterPort", "packed", "read"]


class RegisterPort(wiring.Signature):
    """Access to registers: one address for reading and writing, data read a cycle later.

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
    """Let a unit's register port read what its address selects, in the next cycle; 0 where there is no register.

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


def packed(entry: Entry, /, **values: Value) -> Value:
    """Return what a register reads: each value in the place of its field, 0 where no field is.

    Parameters
    ----------
    entry : Entry
        The register.
    values : Value
        By the names of the fields in lower case; a value is zero-extended or cut to its field.
    """
    parts, place = [], 0
    for field in sorted(entry.fields, key=lambda field: field.low):
        value = Value.cast(values[field.name.lower()])[: field.width]
        parts += [C(0, field.low - place), value]
        place = field.low + len(value)
    return Cat(*parts)
