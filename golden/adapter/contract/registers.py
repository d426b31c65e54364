"""Registers of the network adapter: numbers, fields, and the random bits that one of them holds."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, Policy, header_places
from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, Partial, register

__all__ = [
    "ADDRESS_BITS",
    "DIMENSION_BITS",
    "SEED_BITS",
    "SEED_STRIDE",
    "SEED_TAPS",
    "Register",
    "c_header",
    "plain",
    "register_map",
]

ADDRESS_BITS = 5
"""Width of an address on the port of the adapter's registers."""

DIMENSION_BITS = 4
"""Width of the field DIMENSION."""

SEED_BITS = 16
"""Bits of the shift register that random bits come from."""

SEED_TAPS = (0, 2, 3, 5)
"""Its bits whose XOR comes in at the top when it shifts right."""

SEED_STRIDE = 3
"""Random bit k is bit ``SEED_STRIDE`` * k of it, modulo its length, XOR bit k of the node's address."""


class Register(IntEnum):
    """Addresses of the registers; the last is the first of a row."""

    POLICY = 0x00
    SEED = 0x01
    FAULT = 0x10


def register_map(config: AdapterConfig) -> tuple[Entry, ...]:
    """Return every register, by ascending address.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """
    entries = []
    if config.chooses:
        entries.append(
            register(
                Register.POLICY,
                "how unicasts are routed",
                Field("POLICY", 0, 2, "0 e-cube, 1 either, 2 random, 3 valiant"),
                on_write="sets it",
            )
        )
    if config.draws:
        entries.append(
            register(
                Register.SEED,
                "state of the random bits; changes in every cycle",
                Field("STATE", 0, SEED_BITS, "the state"),
                on_write="replaces it, by 1 if the value is 0",
                reset=1,
                partial=Partial.REFUSED,
            )
        )
    if config.fault_entries:
        entries.append(
            register(
                Register.FAULT,
                "entry i of the list of faulty links and nodes",
                Field("NODE", 0, config.dim, "the node, or an end of the link"),
                Field("DIMENSION", 12, DIMENSION_BITS, "dimension of the link"),
                Field("LINK", 16, 1, "1: the link is faulty; 0: the node is"),
                Field("VALID", 31, 1, "the entry counts"),
                on_write="sets it; wait until subcubes, lists and relayed unicasts have come, which may mix otherwise",
                index="entry",
                count=config.fault_entries,
            )
        )
    return tuple(entries)


def plain(config: AdapterConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return registers.plain(register_map(config), "")


def c_header(config: AdapterConfig, name: str = "cubecast") -> str:
    """Return the register map as a C header: sizes, headers of messages, numbers, masks, shifts and codes.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of adapter and router.
    name : str
        First word of all macros, which have it in capitals, and ``_ADAPTER`` behind it.
    """
    places = header_places(config).items()
    return registers.c_header(
        register_map(config),
        title="Registers of the network adapter of a cubecast node.",
        parameters=config.to_json(),
        prefix=f"{name.upper()}_ADAPTER",
        nodes=config.nodes,
        sizes=(
            ("BITMAP_WORDS", f"{config.rows}u", "words of the bitmap behind the header of a message of kind 2"),
            ("BITMAP_BITS", f"{config.router.bitmap_bits}u", "nodes that each of them names"),
            *((f"HEADER_{field.upper()}_SHIFT", f"{place.low}u", f"{place.width} bits") for field, place in places),
        ),
        codes={
            "Field POLICY": registers.macros("POLICY", Policy),
            "Reason codes": registers.macros("REASON", AdapterReason),
        },
    )
