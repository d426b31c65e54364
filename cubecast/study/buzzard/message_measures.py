"""What claims about figures 4.6 to 4.27 of Buzzard 1988 measure, and what its words are taken for."""

from __future__ import annotations

from collections.abc import Mapping

from cubecast.study.buzzard.comparisons import Samples, link_pairs, overall, ratios, routing_pairs, transport_pairs
from cubecast.study.buzzard.message_run import FloatArray

__all__ = [
    "ALIKE",
    "DATAGRAMS",
    "FAR",
    "MUCH",
    "SECTION",
    "Measured",
    "against_figure",
    "circuit_against_datagram",
    "link_gain",
    "per_cent",
    "routing_gain",
]

SECTION = "Buzzard 1988, section 4.4.2"

ALIKE = 1.1
"""Factor up to which times are taken as alike, and a gain as small or marginal."""

MUCH = 1.2
"""Factor from which on a difference is taken as significant."""

FAR = 1.5
"""Factor from which on one thing is taken to be by far more than another."""

DATAGRAMS = ("DT", "DC")
"""Transports that store messages, as figure 4.5 calls them."""

Measured = Mapping[str, Samples]
"""Samples of a figure and of those that it is compared with, by their numbers."""


def per_cent(factor: float) -> str:
    """Return a factor above 1 as per cent."""
    return f"{100 * (factor - 1):.0f} per cent"


def against_figure(measured: Measured, figure: str, other: str) -> dict[str, FloatArray]:
    """Return mean times of all machines, one figure to another."""
    return {name: sample.means() / measured[other][name].means() for name, sample in measured[figure].items()}


def circuit_against_datagram(samples: Samples, links: str = "UB") -> FloatArray:
    """Return how much longer circuit switching takes than datagrams."""
    return overall(ratios(samples, transport_pairs("CS", "DT", links=links)))


def link_gain(samples: Samples) -> FloatArray:
    """Return what bidirectional links gain."""
    return overall(ratios(samples, link_pairs()))


def routing_gain(samples: Samples, transports: tuple[str, ...] = ("DT", "CS", "DC"), links: str = "UB") -> FloatArray:
    """Return what adaptive routing gains."""
    return overall(ratios(samples, routing_pairs(transports, links)))
