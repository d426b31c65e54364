"""Parameters of a machine: how it transports messages, and how long its basic operations take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DELIVERIES", "HEADER", "TRANSPORTS", "Machine"]

TRANSPORTS = ("datagram", "cut-through", "circuit", "wormhole", "fixed-packet", "quasi-adaptive")
"""The transports."""

ADAPTIVE = ("datagram", "cut-through", "circuit")
"""Transports whose routing may be adaptive."""

PACKETS = ("fixed-packet", "quasi-adaptive")
"""Transports that send packets."""

DELIVERIES = ("units", "port")
"""Ways of a packet from the packet buffer unit at its destination into the node."""

HEADER = 4
"""Bytes of a packet's header: preheader, destination and source."""


@dataclass(frozen=True)
class Machine:
    """A transport, and its parameters.

    Parameters
    ----------
    transport : str
        One of :data:`TRANSPORTS`.
    adaptive : bool
        Whether a message takes any free link that brings it closer, instead of the lowest dimension first. For
        ``datagram``, ``cut-through`` and ``circuit``.
    bidirectional : bool
        Whether the two directions of a link are independent; if not, one message at a time crosses it. Packets need
        bidirectional links.
    byte : int
        Ticks for a byte to cross a link, 1 or more.
    setup : int
        Ticks to set up a link, or of an arbitration, 0 or more.
    allocate : int
        Ticks to allocate a buffer for a whole message, 0 or more: ``datagram`` and ``cut-through``.
    packet : int
        Bytes of a packet with its header, more than :data:`HEADER`; of other transports, bytes after which the first
        part of a message counts as arrived.
    packets : int
        Packets that a packet buffer unit holds: 1 or more, 2 or more for ``quasi-adaptive``.
    delivery : str
        How packets get from the packet buffer units into their node: ``units``, each unit for itself, or ``port``,
        through one node input port, which takes a packet at a time at the rate of a link.
    head : int
        Ticks in which the head of a packet comes in over a link before its arbitration can begin, 0 up to those of its
        header.

    Raises
    ------
    ValueError
        If a parameter is out of range, or does not go with the transport.

    Source
    ------
    Buzzard 1988, sections 4.4.1 (1, 1 and 40 ticks) and 5.7 (2 ticks for a byte, 4 for an arbitration).
    """

    transport: str
    adaptive: bool = False
    bidirectional: bool = True
    byte: int = 1
    setup: int = 1
    allocate: int = 40
    packet: int = 32
    packets: int = 13
    delivery: str = "units"
    head: int = 0

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.transport not in TRANSPORTS:
            raise ValueError(f"transport must be one of {', '.join(TRANSPORTS)}, not {self.transport!r}")
        if self.adaptive and self.transport not in ADAPTIVE:
            raise ValueError(f"adaptive must be False for {self.transport}, not {self.adaptive}")
        if not self.bidirectional and self.transport in PACKETS:
            raise ValueError(f"bidirectional must be True for {self.transport}, not {self.bidirectional}")
        if self.delivery not in DELIVERIES:
            raise ValueError(f"delivery must be one of {', '.join(DELIVERIES)}, not {self.delivery!r}")
        contrary = self.transport == "quasi-adaptive"
        packet = HEADER + 1 if self.transport in PACKETS else 1
        bounds = {"byte": 1, "setup": 0, "allocate": 0, "packet": packet, "packets": 1 + contrary}
        for name, least in bounds.items():
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"{name} must be {least} or more for {self.transport}, not {value}")
        if not 0 <= self.head <= HEADER * self.byte:
            raise ValueError(f"head must be 0 to {HEADER * self.byte} for byte = {self.byte}, not {self.head}")
