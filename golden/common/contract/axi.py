"""AXI ports: which streams and registers of a unit they stand for, and how wide they are (docs/axi.md)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cubecast.golden.common.contract.control import register_map
from cubecast.golden.common.contract.parameters import Parameters
from cubecast.golden.common.contract.registers import BYTES, Entry, Partial, known, writable
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, Control

__all__ = [
    "Axi",
    "Part",
    "Pin",
    "Registers",
    "Slave",
    "Stream",
    "lite_pins",
    "of_router",
    "registers_of",
    "registers_with",
    "router_slave",
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Registers(Parameters):
    """Registers behind an AXI4-Lite slave.

    Parameters
    ----------
    bits : int
        Bits of a register's number.
    readable, writable : tuple of int
        Numbers of the registers, and of those that can be written.
    zeroed, whole : tuple of int
        Numbers of those where a write of some bytes is :attr:`Partial.ZEROED`, and :attr:`Partial.REFUSED`.
    """

    bits: int
    readable: tuple[int, ...]
    writable: tuple[int, ...]
    zeroed: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()

    @property
    def byte_bits(self) -> int:
        """Bits of a byte address."""
        return self.bits + (BYTES - 1).bit_length()


def registers_of(config: Control | Registers) -> Registers:
    """Return the registers of a router's control port, or those given."""
    if isinstance(config, Registers):
        return config
    return registers_with(ADDRESS_BITS, register_map(config))


def registers_with(bits: int, entries: Sequence[Entry]) -> Registers:
    """Return the registers of a table, whose numbers have so many bits."""
    partial = {kind: known(entry for entry in entries if entry.partial is kind) for kind in Partial}
    return Registers(
        bits=bits,
        readable=known(entries),
        writable=writable(entries),
        zeroed=partial[Partial.ZEROED],
        whole=partial[Partial.REFUSED],
    )


class Pin(NamedTuple):
    """A port of an AXI4-Lite slave: its bits, and whether the master drives it."""

    bits: int
    driven: bool


def lite_pins(config: Control | Registers) -> dict[str, Pin]:
    """Return the ports of an AXI4-Lite slave for these registers, by their names behind ``s_axi_``."""
    byte_bits = registers_of(config).byte_bits
    request = {"addr": Pin(byte_bits, True), "prot": Pin(3, True), "valid": Pin(1, True), "ready": Pin(1, False)}
    write = {"data": Pin(DATA_BITS, True), "strb": Pin(BYTES, True), "valid": Pin(1, True), "ready": Pin(1, False)}
    answer = {"resp": Pin(2, False), "valid": Pin(1, False), "ready": Pin(1, True)}
    channels = {"aw": request, "w": write, "b": answer, "ar": request, "r": {"data": Pin(DATA_BITS, False), **answer}}
    return {f"{channel}{name}": pin for channel, pins in channels.items() for name, pin in pins.items()}


class Part(NamedTuple):
    """A field of ``tuser``: its lowest bit, and its bits."""

    low: int
    bits: int

    def of(self, user: int) -> int:
        """Return the field's value."""
        return user >> self.low & (1 << self.bits) - 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stream:
    """An AXI4-Stream that stands for a stream of words.

    Parameters
    ----------
    port : str
        The stream of the unit.
    prefix : str
        What the names of the AXI ports begin with.
    into : bool
        Whether words go into the unit.
    width : int
        Bits of a word.
    slots : int
        Buffer slots that ``tuser`` names, and that are ready each for itself; 0: ``tuser`` begins with ``error``.
    beside : tuple of (str, int)
        Fields of a word besides data, last and error, with their bits; ``tuser`` has them above ``error``.
    kept : bool
        Whether the unit may take back or change a word that it offers, so that a register holds it for AXI.
    ident : (str, int), optional
        Field of a word that ``tid`` is, and its bits; of a stream that leaves and is not kept. None: there is no
        ``tid``.
    """

    port: str
    prefix: str
    into: bool
    width: int
    slots: int = 0
    beside: tuple[tuple[str, int], ...] = ()
    kept: bool = False
    ident: tuple[str, int] | None = None

    def __post_init__(self) -> None:
        """Check that a stream with ``tid`` leaves as the unit offers it."""
        if self.ident and (self.into or self.kept):
            raise ValueError(f"ident must be None of a stream that comes or is kept, not {self.ident!r}")

    @property
    def data_bits(self) -> int:
        """Bits of ``tdata``: whole bytes."""
        return -(-self.width // 8) * 8

    @functools.cached_property
    def user(self) -> dict[str, Part]:
        """Fields of ``tuser`` by name, from bit 0 on."""
        found, low = {}, 0
        for name, bits in (("slots", self.slots),) if self.slots else (("error", 1), *self.beside):
            found[name] = Part(low, bits)
            low += bits
        return found

    @property
    def user_bits(self) -> int:
        """Bits of ``tuser``."""
        return sum(part.bits for part in self.user.values())

    def user_of(self, fields: Mapping[str, int]) -> int:
        """Return ``tuser`` with these values of its fields; one that is not given is 0."""
        return sum(fields.get(name, 0) << part.low for name, part in self.user.items())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Slave:
    """An AXI4-Lite slave that stands for a register port.

    Parameters
    ----------
    port : str
        The register port of the unit.
    prefix : str
        What the names of the AXI ports begin with.
    config : Control or Registers
        The registers behind it.
    """

    port: str
    prefix: str
    config: Control | Registers


@dataclasses.dataclass(frozen=True, kw_only=True)
class Axi:
    """AXI ports of a unit.

    Parameters
    ----------
    streams : tuple of Stream
        Its streams.
    slaves : tuple of Slave
        Its registers.
    nodes : int
        Nodes of a network, whose ports are packed vectors; 0: the unit is one node.
    """

    streams: tuple[Stream, ...]
    slaves: tuple[Slave, ...]
    nodes: int = 0

    @property
    def items(self) -> int:
        """Items of every port."""
        return self.nodes or 1

    def inside(self, port: str, field: str) -> str:
        """Return what a field of a stream or register port is called in the Verilog of the unit."""
        return f"{port}_{field}" if self.nodes else f"{port}__{field}"


def router_slave(control: Control) -> Slave:
    """Return the slave that stands for the control port of a router."""
    return Slave(port="control", prefix="s_axi", config=control)


def of_router(
    control: Control,
    width: int,
    nodes: int,
    *,
    slots: int = 0,
    sent: tuple[tuple[str, int], ...] = (),
    delivered: tuple[tuple[str, int], ...] = (),
) -> Axi:
    """Return what the AXI ports of a router stand for: its local ports and its control port.

    Parameters
    ----------
    control : Control
        What the control port is made for.
    width : int
        Bits of a word.
    nodes : int
        Nodes of the network, every port of which holds an item for each node; 0: there is but one router.
    slots : int
        As those of :class:`Stream`, of the injection port.
    sent, delivered : tuple
        What goes beside the words of the injection and the ejection port, as that of :class:`Stream`.
    """
    return Axi(
        streams=(
            Stream(port="inject", prefix="s_axis", into=True, width=width, slots=slots, beside=sent),
            Stream(port="eject", prefix="m_axis", into=False, width=width, beside=delivered),
        ),
        slaves=(router_slave(control),),
        nodes=nodes,
    )
