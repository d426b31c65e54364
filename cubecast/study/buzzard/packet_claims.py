"""Claims of Buzzard 1988, section 5.7, about the times of packets and wormholes at nine loads, heaviest first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from cubecast.study.buzzard.comparisons import claim_at_least, claim_at_most, measured
from cubecast.study.buzzard.message_run import Sample
from cubecast.study.model import Claim
from cubecast.study.verdict import Measured, average, greatest, hold, least

__all__ = [
    "POINTS",
    "Loads",
    "bandwidth",
    "bandwidth_suffices",
    "better_than_fixed",
    "latency_below_half",
    "less_than_for_short",
    "message_sooner",
    "more_than_for_short",
    "numbered",
    "percentage",
    "percentage_range",
    "time_ratio",
]

SECTION = "Buzzard 1988, section 5.7"

POINTS = 5.0
"""By how many percentage points a measured share may miss the printed one."""

MUCH = 1.2
"""What "significant" is taken for."""

CONSUMPTION = 0.188 / 0.77
"""Share of the peak bandwidth at which the program of the text uses message data."""

Loads = Mapping[str, Sequence[Sample]]
"""Samples of each machine, by load."""


def time_ratio(loads: Loads, first: str, second: str, which: str) -> list[Measured]:
    """Return the ratio of mean times of two machines at each load."""
    return [
        measured(above.means(which) / below.means(which), above.place)
        for above, below in zip(loads[first], loads[second], strict=True)
    ]


def bandwidth(loads: Loads, first: str, second: str) -> list[Measured]:
    """Return the ratio of bandwidths at each load: the bytes are the same, the time is that from first to last."""
    return [
        measured(
            (below.means("last") - below.means("first")) / (above.means("last") - above.means("first")), above.place
        )
        for above, below in zip(loads[first], loads[second], strict=True)
    ]


def numbered(values: Sequence[Measured]) -> dict[str, Measured]:
    """Return the values of the loads by their numbers."""
    return {str(number): each for number, each in enumerate(values, start=1)}


def percentage(what: str, share: Measured, printed: float) -> Claim:
    """Hold a printed percentage against the measured one."""
    text = f"{what} is {printed:g} per cent of that with wormhole routing [up to {POINTS:g} points off taken as equal]"
    return hold(text, SECTION, share.linear(100), low=printed - POINTS, high=printed + POINTS, unit=" points")


def percentage_range(what: str, values: Sequence[Measured], low: float, high: float) -> list[Claim]:
    """Hold the ends of a printed range of percentages against the least and the greatest of all loads."""
    named = numbered(values)
    ends = (("at least", *least(named), low), ("at most", *greatest(named), high))
    return [percentage(f"{what}, {word}, at load {place},", each, printed) for word, place, each, printed in ends]


def latency_below_half(loads: Loads, machine: str, heaviest: int) -> Claim:
    """Hold "below 50 per cent of the wormhole times" against the greatest share of the heaviest loads."""
    shares = time_ratio(loads, machine, "wormhole", "first")[:heaviest]
    number, values = greatest(numbered(shares))
    text = (
        f"first packet: {machine} packets take less than half as long as wormholes at the {heaviest} heaviest loads "
        f"[greatest ratio, at load {number}]"
    )
    return claim_at_most(text, SECTION, values, 0.5)


def message_sooner(loads: Loads, machine: str, heaviest: int) -> Claim:
    """Hold "entire messages arrive sooner" against the greatest ratio of the heaviest loads."""
    shares = time_ratio(loads, machine, "wormhole", "last")[:heaviest]
    number, values = greatest(numbered(shares))
    text = (
        f"entire messages arrive sooner with {machine} packets than with wormhole routing at the {heaviest} heaviest "
        f"loads [greatest ratio of times, at load {number}]"
    )
    return claim_at_most(text, SECTION, values, 1.0)


def better_than_fixed(loads: Loads) -> Claim:
    """Hold "significant improvements" against the mean ratio of latencies over all loads."""
    logarithm = average(_logarithms(loads, "fixed", "quasi-adaptive"))
    text = (
        "quasi-adaptive routing leads to significant improvements over fixed routing [mean ratio of times of the first "
        f"packet over all loads; {MUCH:g} taken as significant]"
    )
    return claim_at_least(text, SECTION, _power(logarithm), MUCH)


def bandwidth_suffices(loads: Loads) -> Claim:
    """Hold "decreases in bandwidth will likely have an insignificant effect" against the least bandwidth."""
    shares = bandwidth(loads, "quasi-adaptive", "wormhole")
    number, values = least(numbered(shares))
    text = (
        "the bandwidth of quasi-adaptive packets stays above what a vector operation uses, 0.188 of 0.77 Mbytes per "
        f"second [least share of the wormhole bandwidth, at load {number}]"
    )
    return claim_at_least(text, SECTION, values, CONSUMPTION)


def more_than_for_short(loads: Loads, short: Loads) -> Claim:
    """Hold "blockage at the source nodes limits improvements for the large messages at higher utilisations"."""
    both = (_logarithms(each, "fixed", "wormhole")[0] for each in (loads, short))
    text = (
        "at the heaviest load fixed packets improve latency less than for the shorter messages "
        "[share of the wormhole latency against that of figure 5.12]"
    )
    return claim_at_least(text, SECTION, _power(_difference(*both)), 1.0)


def less_than_for_short(loads: Loads, short: Loads) -> Claim:
    """Hold "for the lower link utilisations the improvements in latency are greater than for the shorter messages"."""
    both = (average(_logarithms(shown, "fixed", "wormhole")[-3:]) for shown in (loads, short))
    text = (
        "at the lower utilisations fixed packets improve latency more than for the shorter messages "
        "[share of the wormhole latency against that of figure 5.12, mean of the three lightest loads]"
    )
    return claim_at_most(text, SECTION, _power(_difference(*both)), 1.0)


def _logarithms(loads: Loads, first: str, second: str) -> list[Measured]:
    """Return those of the ratios of the times of the first packet, whose mean is that of independent loads."""
    return [
        measured(np.log(above.means("first") / below.means("first")), above.place)
        for above, below in zip(loads[first], loads[second], strict=True)
    ]


def _difference(value: Measured, other: Measured) -> Measured:
    """Return the difference of values that are independent."""
    return average((value, other.linear(-1))).linear(2)


def _power(logarithm: Measured) -> Measured:
    """Return the value of a logarithm."""
    low, high = logarithm.ends
    return Measured(math.exp(logarithm.value), (math.exp(low), math.exp(high)), logarithm.places)
