"""What the sequencers ask the sender for."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Outputs

__all__ = ["Request", "request_outputs"]

PORTS = (
    "distant",
    "targets",
    "destination",
    "kind_out",
    "final_out",
    "stage_out",
    "hops_out",
    "argument_out",
    "body",
)
"""Request ports of both sequencers, besides ``request``."""


class Request(NamedTuple):
    """A router message that is to be sent; the fields are the inputs of the sender that ``start`` takes."""

    kind: int
    argument: int
    broadcast: int = 0
    distant: int = 0
    targets: int = 0
    destination: int = 0
    is_final: int = 1
    stage: int = 0
    hops: int = 0
    body: int = 0
    from_pass: int = 0
    offset: int = 0
    length: int = 0


def request_outputs(request: Request | None) -> Outputs:
    """Return what the request ports of both sequencers show."""
    if request is None:
        return {"request": 0, **dict.fromkeys(PORTS)}
    kind, argument, _, distant, targets, destination, is_final, stage, hops, body, *_ = request
    values = distant, targets, destination, kind, is_final, stage, hops, argument, body
    return {"request": 1, **dict(zip(PORTS, values, strict=True))}
