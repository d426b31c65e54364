"""Testbench of the matching checker: is the local address in the list."""

from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Check addresses, the own one often; clear now and then, also beside a match."""
    while True:
        relative = random.choice((0, random.getrandbits(config.dim)))
        yield {
            "rst": chance(random, 0.02),
            "clear": chance(random, 0.2),
            "check": chance(random, 0.5),
            "relative": relative,
        }


def watch(inputs, outputs, twin):
    """Name matches, and what meets a match."""
    found = inputs["check"] and not inputs["relative"]
    if found:
        yield "clear wins" if inputs["clear"] else "match again" if outputs["match"] else "match"
    if outputs["match"] and inputs["rst"]:
        yield "reset"
    if not inputs["check"] and not inputs["relative"] and not outputs["match"]:
        yield "not checked"


BENCH = Bench(
    unit="multicast.matching_checker:MatchingChecker",
    stimulus=stimulus,
    events=("match", "match again", "clear wins", "not checked", "reset"),
    watch=watch,
)
