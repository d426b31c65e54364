"""Conclusions that Buzzard 1988, section 4.4.2, draws from figures 4.6 to 4.27.

Every function returns a claim about one figure: ``measured`` has the samples of the figure and of the ``others`` that
it is compared with. Names of machines are those of figure 4.5, and ``DC/DT`` stands for ratios of mean times of
cut-through and datagram.
"""

from __future__ import annotations

from cubecast.study.buzzard.comparisons import (
    Samples,
    claim_at_least,
    claim_at_most,
    claim_within,
    least,
    overall,
    ratios,
    routing_pairs,
    transport_pairs,
)
from cubecast.study.buzzard.message_measures import (
    DATAGRAMS,
    FAR,
    MUCH,
    SECTION,
    Measured,
    link_gain,
    per_cent,
    routing_gain,
)
from cubecast.study.buzzard.message_run import FloatArray
from cubecast.study.model import Claim

__all__ = [
    "adaptive_harms_small",
    "adaptive_harms_small_unidirectional",
    "adaptive_harms_unidirectional_circuit",
    "adaptive_helps_bidirectional_datagrams",
    "adaptive_helps_datagrams",
    "buffers_of_many_messages",
    "buffers_under_heavy_load",
    "buffers_under_light_load",
    "cut_through_pays",
    "links_gain_more_than_routing",
]

MANY = 5.0
"""What "many times larger" is taken for."""

KILOBYTES = 1000


def cut_through_pays(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """For all but the heaviest traffic."""
    name, values = least(ratios(measured[figure], transport_pairs("DT", "DC")))
    text = (
        "the advantages of cut-through are significant for all but the heaviest traffic "
        f"[least DT/DC, {name}; {per_cent(MUCH)} taken as significant]"
    )
    return claim_at_least(text, SECTION, values, MUCH)


def links_gain_more_than_routing(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under heavy and moderate traffic."""
    samples = measured[figure]
    gain = routing_gain(samples)
    text = (
        "bidirectional links gain the most, much more than adaptive routing "
        f"[mean U/B divided by mean F/A, {gain.mean():.3g}; {per_cent(MUCH)} taken as much]"
    )
    return claim_at_least(text, SECTION, link_gain(samples) / gain, MUCH)


def adaptive_helps_datagrams(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """For all but heavy traffic with small messages."""
    name, values = least(ratios(measured[figure], routing_pairs(DATAGRAMS)))
    text = f"adaptive routing is helpful for datagrams [least F/A of DT and DC, {name}]"
    return claim_at_least(text, SECTION, values, 1.0)


def adaptive_helps_bidirectional_datagrams(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """More than those with unidirectional links."""
    samples = measured[figure]
    values = routing_gain(samples, DATAGRAMS, "B") / routing_gain(samples, DATAGRAMS, "U")
    text = "particularly with bidirectional links [mean F/A of datagrams with them against that without]"
    return claim_at_least(text, SECTION, values, 1.0)


def adaptive_harms_small(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages under heavy traffic."""
    text = "small messages under heavy traffic: adaptive routing decreases performance [mean F/A]"
    return claim_at_most(text, SECTION, routing_gain(measured[figure]), 1.0)


def adaptive_harms_small_unidirectional(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages under heavy traffic."""
    samples = measured[figure]
    values = routing_gain(samples, links="U") / routing_gain(samples, links="B")
    text = "particularly with unidirectional links [mean F/A with them against that with bidirectional links]"
    return claim_at_most(text, SECTION, values, 1.0)


def adaptive_harms_unidirectional_circuit(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Medium and large messages under moderate and heavy traffic."""
    (values,) = ratios(measured[figure], routing_pairs(("CS",), "U")).values()
    text = "adaptive routing decreases the performance of circuit switching with unidirectional links [CSFU/CSAU]"
    return claim_at_most(text, SECTION, values, 1.0)


def _buffers(samples: Samples) -> dict[str, FloatArray]:
    """Return the most bytes stored in a node, by the machines that store."""
    return {name: sample.values("buffered") for name, sample in samples.items() if name.startswith(DATAGRAMS)}


def buffers_of_many_messages(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Both kinds of datagrams."""
    samples = measured[figure]
    name, values = least({name: size / samples[name].values("longest") for name, size in _buffers(samples).items()})
    text = (
        "datagrams, with cut-through or not, need buffers many times larger than the largest message "
        f"[most bytes in a node per longest message, least of 8, {name}; {MANY:g} taken as many]"
    )
    return claim_at_least(text, SECTION, values, MANY)


def buffers_under_light_load(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Of messages of 8192 bytes."""
    values = overall(_buffers(measured[figure])) / KILOBYTES
    text = (
        "buffers of about 100 K bytes are needed for light loads "
        f"[most in a node in units of 1000 bytes, mean of 8 machines; within a factor of {FAR:g} taken as about]"
    )
    return claim_within(text, SECTION, values, 100 / FAR, 100 * FAR)


def buffers_under_heavy_load(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Of messages of 8192 bytes."""
    text = (
        "buffers in excess of 200 K bytes are needed for heavier traffic "
        "[most in a node in units of 1000 bytes, mean of 8 machines]"
    )
    return claim_at_least(text, SECTION, overall(_buffers(measured[figure])) / KILOBYTES, 200)
