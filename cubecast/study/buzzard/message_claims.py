"""Which claims of Buzzard 1988, section 4.4.2, concern which of figures 4.6 to 4.27, and what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cubecast.study.buzzard import conclusion_claims, flooded_claims, load_claims
from cubecast.study.buzzard.message_measures import Measured
from cubecast.study.model import Claim

__all__ = ["RULES", "Rule", "figures_beside", "message_claims"]


@dataclass(frozen=True)
class Rule:
    """One claim that the text makes about some figures.

    Parameters
    ----------
    figures : tuple of str
        Whose claim it is.
    make : callable
        ``make(measured, figure, others)`` returns it for one of them.
    beside : mapping
        Other figures that it is measured against, by figure.
    """

    figures: tuple[str, ...]
    make: Callable[[Measured, str, tuple[str, ...]], Claim]
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def others(self, figure: str) -> tuple[str, ...]:
        """Return the figures that one is measured against."""
        return self.beside.get(figure, ())


def message_claims(figure: str, measured: Measured) -> list[Claim]:
    """Return the claims about one figure, in the order of the text."""
    return [rule.make(measured, figure, rule.others(figure)) for rule in RULES if figure in rule.figures]


def figures_beside(figure: str) -> list[str]:
    """Return the other figures that the claims about one need."""
    return list(dict.fromkeys(other for rule in RULES if figure in rule.figures for other in rule.others(figure)))


_FLOODED = ("4.6", "4.7", "4.8", "4.9", "4.10")
_LIKE_FLOODED = (*_FLOODED, "4.11", "4.12")
_SMALL_AND_LOCAL = ("4.13", "4.14")
_SMALL = ("4.21", "4.22", "4.23")
_BURSTS = ("4.24", "4.25", "4.26", "4.27")
_MODERATE_AND_LIGHT = ("4.16", "4.17", "4.19", "4.20")

RULES = (
    Rule((*_LIKE_FLOODED, *_SMALL_AND_LOCAL), flooded_claims.flooded),
    Rule(_LIKE_FLOODED, flooded_claims.cut_through_like_datagram),
    Rule(_LIKE_FLOODED, flooded_claims.circuit_worse),
    Rule(("4.6",), flooded_claims.circuit_worst_when_small, {"4.6": ("4.7", "4.9")}),
    Rule(("4.10",), flooded_claims.normal_like_fixed, {"4.10": ("4.9",)}),
    Rule(("4.8",), flooded_claims.normal_unlike_exponential, {"4.8": ("4.7",)}),
    Rule(_LIKE_FLOODED, flooded_claims.doubled),
    Rule(("4.6",), flooded_claims.doubled_most_when_small, {"4.6": ("4.7", "4.9")}),
    Rule(_LIKE_FLOODED, flooded_claims.adaptive_marginal),
    Rule(_LIKE_FLOODED, flooded_claims.adaptive_harmful),
    Rule(_LIKE_FLOODED, flooded_claims.adaptive_worst_for_circuit),
    Rule(
        _SMALL_AND_LOCAL, flooded_claims.circuit_better_with_locality, {figure: ("4.6",) for figure in _SMALL_AND_LOCAL}
    ),
    Rule(_SMALL_AND_LOCAL, flooded_claims.circuit_better_with_bidirectional_links),
    Rule(("4.13",), flooded_claims.circuit_better_when_tight, {"4.13": ("4.14",)}),
    Rule(_MODERATE_AND_LIGHT, load_claims.adaptive_useful),
    Rule(_MODERATE_AND_LIGHT, load_claims.adaptive_small),
    Rule(_SMALL, load_claims.adaptive_circuit_harmful),
    Rule(("4.17", "4.20"), load_claims.circuit_approaches_cut_through, {"4.17": ("4.15",), "4.20": ("4.18",)}),
    Rule(_SMALL, load_claims.circuit_poor_when_small),
    Rule(_SMALL, load_claims.circuit_poor_with_unidirectional_links),
    Rule(("4.16",), load_claims.maxima_of_circuit_less),
    Rule(_MODERATE_AND_LIGHT, load_claims.datagram_trails),
    Rule((*_MODERATE_AND_LIGHT, "4.22", "4.23", *_BURSTS), conclusion_claims.cut_through_pays),
    Rule(
        _BURSTS,
        load_claims.circuit_sensitive_to_bursts,
        {"4.24": ("4.16",), "4.25": ("4.17",), "4.26": ("4.22",), "4.27": ("4.23",)},
    ),
    Rule(("4.24", "4.26"), load_claims.circuit_sensitive_to_onset, {"4.24": ("4.25",), "4.26": ("4.27",)}),
    Rule(("4.15", "4.16", "4.18", "4.19", "4.21", "4.22"), conclusion_claims.links_gain_more_than_routing),
    Rule(("4.15", *_MODERATE_AND_LIGHT, "4.18", "4.22", "4.23"), conclusion_claims.adaptive_helps_datagrams),
    Rule(
        ("4.15", *_MODERATE_AND_LIGHT, "4.18", "4.22", "4.23"), conclusion_claims.adaptive_helps_bidirectional_datagrams
    ),
    Rule(("4.6", "4.21"), conclusion_claims.adaptive_harms_small),
    Rule(("4.6", "4.21"), conclusion_claims.adaptive_harms_small_unidirectional),
    Rule(("4.15", "4.16", "4.18", "4.19"), conclusion_claims.adaptive_harms_unidirectional_circuit),
    Rule(("4.18", "4.19", "4.20"), conclusion_claims.buffers_of_many_messages),
    Rule(("4.20",), conclusion_claims.buffers_under_light_load),
    Rule(("4.18",), conclusion_claims.buffers_under_heavy_load),
)
"""In the order of the text."""
