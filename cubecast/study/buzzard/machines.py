"""The machines of Buzzard 1988: the twelve of figure 4.5, and those of section 5.7."""

from __future__ import annotations

from dataclasses import replace

from cubecast.study.transport.machine import Machine

__all__ = ["LINKS", "MACHINES", "PACKET_TRANSPORTS", "ROUTINGS", "TRANSPORTS", "packet_machine", "slow_circuits"]

TRANSPORTS = {"DT": "datagram", "CS": "circuit", "DC": "cut-through"}
"""First two letters of a name of figure 4.5."""

ROUTINGS = {"F": False, "A": True}
"""Third letter: fixed or adaptive routing."""

LINKS = {"U": False, "B": True}
"""Fourth letter: the directions of a link share it, or each is a link of its own."""

MACHINES = {
    transport + routing + link: Machine(
        transport=TRANSPORTS[transport], adaptive=ROUTINGS[routing], bidirectional=LINKS[link]
    )
    for transport in TRANSPORTS
    for routing in ROUTINGS
    for link in LINKS
}
"""By the name of figure 4.5: ``DTFU`` to ``DCAB``; 1 tick per byte, 1 to set up a link, 40 to allocate a buffer."""

PACKET_TRANSPORTS = {"wormhole": "wormhole", "fixed": "fixed-packet", "quasi-adaptive": "quasi-adaptive"}
"""What figures 5.12 and 5.13 compare, as they call it."""


def slow_circuits() -> dict[str, Machine]:
    """Return the same machines, but a circuit pays for each link what a stored message pays for its buffer."""
    return {
        name: replace(machine, setup=machine.allocate) if name.startswith("CS") else machine
        for name, machine in MACHINES.items()
    }


def packet_machine(transport: str, packets: int = 13, packet: int = 32) -> Machine:
    """Return a machine of section 5.7: 2 ticks per byte, 4 ticks per arbitration.

    Parameters
    ----------
    transport : str
        From :data:`PACKET_TRANSPORTS`.
    packets : int
        Packet buffers of a packet buffer unit.
    packet : int
        Bytes of a packet on the link.
    """
    return Machine(transport=PACKET_TRANSPORTS[transport], byte=2, setup=4, packet=packet, packets=packets)
