"""Message formats on a link and the reason codes of what can go wrong with a message."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from cubecast.golden.multicast.contract.config import Config

__all__ = ["Reason", "encode"]


class Reason(enum.IntEnum):
    """Why a message, or one destination of it, was not delivered; 4 bits in reports and in the error log."""

    NONE = 0
    K_ZERO = 1
    """Malformed: the k field is 0."""
    LIST_TOO_LONG = 2
    """Malformed: max_list < k < 2**n - 1."""
    HEADER_SHORT = 3
    """Malformed: ``last`` came before the header was complete."""
    ADDRESS_BITS = 4
    """Malformed: a bit above the n address bits is set in a header word."""
    DATA_TOO_LONG = 5
    """Malformed: more than max_data payload words; the message was cut off with ``last`` and ``error``."""
    UNDELIVERABLE = 6
    """Every useful dimension towards this destination is faulty."""
    NO_LANE = 7
    """The copy towards this destination would need a lane beyond the last."""
    COPY_CUT = 8
    """The link was cut while the payload of a copy went over it; the destination named is the neighbour there."""
    INPUT_CUT = 9
    """The link was cut while a message came in over it; what had come was ended with ``last`` and ``error``."""


def encode(
    config: Config,
    source: int,
    destinations: Sequence[int] | None,
    payload: Sequence[int] = (),
) -> list[int]:
    """Return the words of a message as the source's processor injects them; ``last`` goes with the final one.

    Parameters
    ----------
    config : Config
        Gives the header format.
    source : int
        Address of the source node.
    destinations : sequence of int, or None
        Destination list, in the order of the header; None for a broadcast.
    payload : sequence of int
        Data words.

    Returns
    -------
    list of int
        k, D1..Dk (none for a broadcast), Control or S, S if there is a source field, payload.
        Nothing is checked: malformed messages can be made on purpose.
    """
    head = [config.broadcast_k] if destinations is None else [len(destinations), *destinations]
    if config.fault_tolerant:
        spread = destinations is None or config.max_dest < len(destinations)
        head.append(config.nodes - 1 if spread else 0)
        if config.source_field:
            head.append(source)
    else:
        head.append(source)
    return [*head, *payload]
