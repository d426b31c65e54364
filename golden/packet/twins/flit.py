"""A flit: what one cycle of a stream between two units of the packet router carries."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Flit", "flit_input", "flit_outputs"]


class Flit(NamedTuple):
    """Payload of the Flit stream.

    Parameters
    ----------
    head
        1 for the head of a packet.
    last
        1 for the final word of a packet, and for a bad flit.
    bad
        1 for a flit that is no word: the packet ends here, before its length.
    data
        The head, or the word in the low ``width`` bits.

    Source: Buzzard 1988, section 5.4, figure 5.3.
    """

    head: int
    last: int
    bad: int
    data: int


def flit_input(name: str, inputs: Inputs) -> Flit | None:
    """Return the flit that stands on the input stream of this name, None if it is not valid."""
    if not inputs.get(f"{name}__valid"):
        return None
    return Flit(*(inputs.get(f"{name}__{field}", 0) for field in Flit._fields))


def flit_outputs(name: str, flit: Flit | None) -> Outputs:
    """Return the values of the ports of the output stream of this name that offers this flit."""
    outputs: Outputs = {f"{name}__valid": int(flit is not None)}
    for place, field in enumerate(Flit._fields):
        outputs[f"{name}__{field}"] = None if flit is None else flit[place]
    return outputs
