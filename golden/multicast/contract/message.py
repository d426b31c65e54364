"""Message formats on a link."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.multicast.contract.config import Config

__all__ = ["encode"]


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
