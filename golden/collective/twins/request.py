"""What the sequencers ask the sender for."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Outputs

__all__ = ["Request", "request_outputs"]

SHOWN = ("distant", "targets", "destination", "kind", "is_final", "stage", "hops", "argument", "body")
"""Fields that both sequencers ask for, in the bundle ``request``."""


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
    values = {name: None if request is None else getattr(request, name) for name in SHOWN}
    return {"request__valid": int(request is not None)} | {f"request__{name}": value for name, value in values.items()}
