"""Claims of Buzzard 1988, section 4.4.2, about flooded traffic: figures 4.6 to 4.14.

Every function returns a claim about one figure: ``measured`` has the samples of the figure and of the ``others`` that
it is compared with. Names of machines are those of figure 4.5, and ``DC/DT`` stands for ratios of mean times of
cut-through and datagram.
"""

from __future__ import annotations

from cubecast.study.buzzard.comparisons import (
    claim_at_least,
    claim_at_most,
    farthest,
    greatest,
    least,
    link_pairs,
    of_most,
    ratios,
    routing_pairs,
    transport_pairs,
)
from cubecast.study.buzzard.message_figures import DIM
from cubecast.study.buzzard.message_measures import (
    ALIKE,
    DATAGRAMS,
    MUCH,
    SECTION,
    Measured,
    against_figure,
    circuit_against_datagram,
    link_gain,
    per_cent,
    routing_gain,
)
from cubecast.study.model import Claim

__all__ = [
    "adaptive_harmful",
    "adaptive_marginal",
    "adaptive_worst_for_circuit",
    "circuit_better_when_tight",
    "circuit_better_with_bidirectional_links",
    "circuit_better_with_locality",
    "circuit_worse",
    "circuit_worst_when_small",
    "cut_through_like_datagram",
    "doubled",
    "doubled_most_when_small",
    "flooded",
    "normal_like_fixed",
    "normal_unlike_exponential",
]

DOUBLE = 0.5
"""How far from 2 a factor may be to be taken as about a doubling: what rounds to 2."""


def flooded(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """More messages are under way than there are nodes."""
    name, values = least({name: sample.values("under_way") for name, sample in measured[figure].items()})
    text = f"flooded: more messages are under way than there are nodes, 64 [mean over the time, least of all, {name}]"
    return claim_at_least(text, SECTION, values, 1 << DIM)


def cut_through_like_datagram(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under flooded traffic nothing cuts through."""
    name, values = farthest(ratios(measured[figure], transport_pairs("DC", "DT")), 1.0)
    text = (
        "there is essentially no difference between datagram and cut-through "
        f"[largest difference of DC/DT from 1, {name}; {per_cent(ALIKE)} taken as no difference]"
    )
    return claim_at_most(text, SECTION, values, ALIKE - 1)


def circuit_worse(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Reserved links are idle links."""
    pairs = transport_pairs("CS", "DT") + transport_pairs("CS", "DC")
    name, values = least(ratios(measured[figure], pairs))
    text = (
        "datagram and cut-through are consistently and significantly better than circuit switching "
        f"[least CS/DT or CS/DC, {name}; {per_cent(MUCH)} taken as significant]"
    )
    return claim_at_least(text, SECTION, values, MUCH)


def circuit_worst_when_small(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Of three lengths."""
    mine = circuit_against_datagram(measured[figure])
    _, values = least({other: mine / circuit_against_datagram(measured[other]) for other in others})
    text = (
        "the negative effects of circuit switching are most noticeable for small messages "
        f"[mean CS/DT against the larger of those of figures {' and '.join(others)}]"
    )
    return claim_at_least(text, SECTION, values, 1.0)


def normal_like_fixed(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Normal lengths against fixed ones."""
    name, values = farthest(against_figure(measured, figure, others[0]), 1.0)
    text = (
        "there is only a slight difference between fixed and normal lengths in any case "
        f"[mean time against figure {others[0]}, largest difference from 1, {name}; {per_cent(ALIKE)} taken as slight]"
    )
    return claim_at_most(text, SECTION, values, ALIKE - 1)


def normal_unlike_exponential(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Normal lengths against exponential ones."""
    name, values = farthest(against_figure(measured, figure, others[0]), 1.0)
    text = (
        "the same is not true when normal lengths are compared with exponential ones [mean time against figure "
        f"{others[0]}, largest difference from 1, {name}; more than {per_cent(ALIKE)} taken as a difference]"
    )
    return claim_at_least(text, SECTION, values, ALIKE - 1)


def doubled(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Bidirectional links are twice as many links."""
    name, values = farthest(ratios(measured[figure], link_pairs()), 2.0)
    text = (
        "bidirectional links give about a doubling in performance in all cases "
        f"[largest difference of U/B from 2, {name}; {DOUBLE:g} taken as about 2]"
    )
    return claim_at_most(text, SECTION, values, DOUBLE)


def doubled_most_when_small(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Of three lengths."""
    _, values = least({other: link_gain(measured[figure]) / link_gain(measured[other]) for other in others})
    text = (
        "the gain of bidirectional links is even better for small messages "
        f"[mean U/B against the larger of those of figures {' and '.join(others)}]"
    )
    return claim_at_least(text, SECTION, values, 1.0)


def adaptive_marginal(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under flooded traffic."""
    name, values = greatest(ratios(measured[figure], routing_pairs()))
    text = (
        "adaptive routing is a marginal improvement at best "
        f"[greatest F/A, {name}; {per_cent(ALIKE)} taken as marginal]"
    )
    return claim_at_most(text, SECTION, values, ALIKE)


def adaptive_harmful(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Under flooded traffic."""
    gains = ratios(measured[figure], routing_pairs())
    name, values = of_most(gains)
    small = sum(gain.mean() <= 1 / MUCH for gain in gains.values())
    text = (
        "adaptive routing often leads to significant decreases [F/A that most of the 6 are not above, "
        f"{name}; below 1/{MUCH:g} taken as significant, as {small} of 6 are; most taken as often]"
    )
    return claim_at_most(text, SECTION, values, 1 / MUCH)


def adaptive_worst_for_circuit(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Than for datagrams."""
    samples = measured[figure]
    text = "this is especially true for circuit switching [mean of its F/A against that of the datagrams]"
    return claim_at_most(text, SECTION, routing_gain(samples, ("CS",)) / routing_gain(samples, DATAGRAMS), 1.0)


def circuit_better_with_locality(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages to near nodes."""
    text = (
        "small messages: with locality, circuit switching is comparatively better "
        f"[mean CS/DT against that of figure {others[0]}]"
    )
    values = circuit_against_datagram(measured[figure]) / circuit_against_datagram(measured[others[0]])
    return claim_at_most(text, SECTION, values, 1.0)


def circuit_better_with_bidirectional_links(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Small messages to near nodes."""
    samples = measured[figure]
    values = circuit_against_datagram(samples, "B") / circuit_against_datagram(samples, "U")
    text = "especially with bidirectional links [mean CS/DT with them against that without]"
    return claim_at_most(text, SECTION, values, 1.0)


def circuit_better_when_tight(measured: Measured, figure: str, others: tuple[str, ...]) -> Claim:
    """Decreasing probability against the sphere of locality."""
    values = circuit_against_datagram(measured[figure]) / circuit_against_datagram(measured[others[0]])
    text = f"or when the locality is extremely tight [mean CS/DT against that of figure {others[0]}]"
    return claim_at_most(text, SECTION, values, 1.0)
