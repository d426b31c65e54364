"""Claims of Buzzard 1988, section 4.4.2, about heavy to light loads and bursts: figures 4.15 to 4.27.

Every function returns a claim about one figure: ``measured`` has the samples of the figure and of the ``others`` that
it is compared with. Names of machines are those of figure 4.5, and ``DC/DT`` stands for ratios of mean times of
cut-through and datagram.
"""

from __future__ import annotations

from cubecast.study import verdict
from cubecast.study.buzzard.comparisons import (
    claim_at_least,
    claim_at_most,
    greatest,
    least,
    of_most,
    overall,
    ratios,
    routing_pairs,
    transport_pairs,
)
from cubecast.study.buzzard.message_measures import (
    ALIKE,
    DATAGRAMS,
    FAR,
    MUCH,
    SECTION,
    Measured,
    against_figure,
    per_cent,
    routing_gain,
)
from cubecast.study.buzzard.message_run import FloatArray
from cubecast.study.model import Claim

__all__ = [
    "adaptive_circuit_harmful",
    "adaptive_small",
    "adaptive_useful",
    "circuit_approaches_cut_through",
    "circuit_poor_when_small",
    "circuit_poor_with_unidirectional_links",
    "circuit_sensitive_to_bursts",
    "circuit_sensitive_to_onset",
    "datagram_trails",
    "maxima_of_circuit_less",
]


def adaptive_useful(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under moderate and light traffic."""
    text = "adaptive routing is useful [mean F/A]"
    return claim_at_least(text, SECTION, routing_gain(measured[figure]), 1.0)


def adaptive_small(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under moderate and light traffic."""
    gains = ratios(measured[figure], routing_pairs())
    name, values = of_most(gains)
    small = sum(gain.mean() <= ALIKE for gain in gains.values())
    text = (
        f"but its effect is frequently small [F/A that most of the 6 are not above, {name}; {per_cent(ALIKE)} taken as "
        f"small, as {small} of 6 are; most taken as frequently]"
    )
    return claim_at_most(text, SECTION, values, ALIKE)


def adaptive_circuit_harmful(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages under all loads."""
    name, values = greatest(ratios(measured[figure], routing_pairs(("CS",))))
    text = f"small messages: adaptive routing with circuit switching decreases performance [greatest F/A, {name}]"
    return claim_at_most(text, SECTION, values, 1.0)


def circuit_approaches_cut_through(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """As the load decreases."""
    here, heavy = (overall(ratios(measured[number], transport_pairs("CS", "DC"))) for number in (figure, others[0]))
    text = (
        "circuit switching approaches cut-through as the load decreases "
        f"[mean CS/DC, in figure {others[0]} {heavy.mean():.3g}; {per_cent(MUCH)} taken as near]"
    )
    return claim_at_most(text, SECTION, here, MUCH)


def circuit_poor_when_small(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages under all loads."""
    name, values = least(ratios(measured[figure], transport_pairs("CS", "DC")))
    text = (
        "circuit switching performs consistently poorly on small messages "
        f"[least CS/DC, {name}; {per_cent(MUCH)} taken as poor]"
    )
    return claim_at_least(text, SECTION, values, MUCH)


def circuit_poor_with_unidirectional_links(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages under all loads."""
    shared, own = (overall(ratios(measured[figure], transport_pairs("CS", "DC", links=links))) for links in ("U", "B"))
    text = "especially with unidirectional links [mean CS/DC with them against that with bidirectional links]"
    return claim_at_least(text, SECTION, shared / own, 1.0)


def maxima_of_circuit_less(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """The anomaly of figure 4.16."""
    samples = measured[figure]
    maxima = {
        f"{circuit}/{cut}": samples[circuit].maxima() / samples[cut].maxima()
        for circuit, cut in transport_pairs("CS", "DC")
    }
    name, values = of_most(maxima)
    below = sum(ratio.mean() < 1 for ratio in maxima.values())
    text = (
        "the longest time with circuit switching is less than that with cut-through "
        f"[CS/DC of the longest times that most of the 4 are not above, {name}; below 1 for {below} of 4]"
    )
    return claim_at_most(text, SECTION, values, 1.0)


def datagram_trails(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Without cut-through everything is stored at every node."""
    samples = measured[figure]
    _, values = least(
        {name: overall(ratios(samples, transport_pairs("DT", name))) for name in ("CS", "DC")},
    )
    text = "datagrams without cut-through trail [mean DT/CS or DT/DC, the lesser]"
    return claim_at_least(text, SECTION, values, 1.0)


def _growth(measured: Measured, figure: str, other: str) -> tuple[float, verdict.Measured]:
    """Return the factor of circuit switching's times to those of another figure, also against the datagrams'."""
    compared = against_figure(measured, figure, other)

    def factor(transport: str) -> FloatArray:
        """Return that of one transport."""
        return overall({name: values for name, values in compared.items() if name.startswith(transport)})

    circuit = factor("CS")
    return float(circuit.mean()), least({transport: circuit / factor(transport) for transport in DATAGRAMS})[1]


def circuit_sensitive_to_bursts(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """All nodes send at the same ticks, against the figure where they do not."""
    circuit, values = _growth(measured, figure, others[0])
    text = (
        "circuit switching is by far the most sensitive to bursts [mean time of CS against figure "
        f"{others[0]}, a factor of {circuit:.3g}, divided by the larger factor of the datagrams; "
        f"{FAR:g} taken as by far]"
    )
    return claim_at_least(text, SECTION, values, FAR)


def circuit_sensitive_to_onset(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Bursts of heavier traffic against those of lighter traffic."""
    circuit, values = _growth(measured, figure, others[0])
    text = (
        "circuit switching is by far the most sensitive to the onset of heavy traffic [mean time of CS against figure "
        f"{others[0]}, a factor of {circuit:.3g}, divided by the larger factor of the datagrams; "
        f"{FAR:g} taken as by far]"
    )
    return claim_at_least(text, SECTION, values, FAR)
