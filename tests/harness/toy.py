"""A toy unit for the tests of the harness: a saturating counter, a comparator without clock, and their twins."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable
from random import Random
from typing import Any

from cubecast.golden.common.contract.parameters import Parameters
from cubecast.tb.harness.bench import Bench

__all__ = [
    "BENCH",
    "BENT",
    "FOREIGN",
    "HELD",
    "LESS",
    "NARROW",
    "NEAR_END",
    "RARE",
    "STRAY",
    "UNRESET",
    "CounterTwin",
    "LessTwin",
    "ToyConfig",
]

Outputs = dict[str, int | None]


@dataclasses.dataclass(frozen=True)
class ToyConfig(Parameters):
    """Width of the counter in bits."""

    width: int = 4


class CounterTwin:
    """Count up to ``limit`` while enabled; ``wide`` is the count times 2**80, compared only while the count is even."""

    def __init__(self, config: ToyConfig, limit: int = 12, bug: int = -1) -> None:
        self.limit, self.count = limit, 0

    def step(self, inputs: dict[str, int]) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        count = self.count
        if inputs["rst"]:
            self.count = 0
        elif inputs["enable"] and count < self.limit:
            self.count += 1
        return {"o": count, "full": int(count == self.limit), "wide": None if count & 1 else count << 80}


class NearEndTwin(CounterTwin):
    """The same from ``begin`` on."""

    begin = 9

    def __init__(self, config: ToyConfig) -> None:
        super().__init__(config)
        self.count = self.begin

    def step(self, inputs: dict[str, int]) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs = super().step(inputs)
        self.count = max(self.count, self.begin)
        return outputs


class LessTwin:
    """Whether a < b."""

    def __init__(self, config: ToyConfig) -> None:
        pass

    def step(self, inputs: dict[str, int]) -> Outputs:
        """Return the outputs for these inputs."""
        return {"o": int(inputs["a"] < inputs["b"])}


class ForeignTwin(LessTwin):
    """A twin whose ports are not those of the DUT."""

    def step(self, inputs: dict[str, int]) -> Outputs:
        """Return an output that the DUT does not have."""
        return {"less": 0}


def count_up(random: Random, config: ToyConfig, chance: float = 0.6) -> Generator[dict[str, int], dict[str, Any], None]:
    """Enable at random, reset now and then."""
    while True:
        yield {"enable": int(random.random() < chance), "rst": int(random.random() < 0.01)}


def count_on(random: Random, config: ToyConfig) -> Generator[dict[str, int], dict[str, Any], None]:
    """Enable at random, without a reset after the first one."""
    while True:
        yield {"enable": random.getrandbits(1)}


def every_pair(random: Random, config: ToyConfig) -> Generator[dict[str, int], dict[str, Any], None]:
    """Give all pairs once, a change at a time, and check what comes back."""
    for a in range(1 << config.width):
        for b in range(1 << config.width):
            outputs = yield {"a": a, "b": b} if b == 0 else {"b": b}
            assert outputs["o"] == (a < b)


def bend(random: Random, config: ToyConfig) -> Generator[dict[str, int], dict[str, Any], None]:
    """Drive a value that does not fit."""
    yield {"a": 1 << config.width}


def stray(random: Random, config: ToyConfig) -> Generator[dict[str, int], dict[str, Any], None]:
    """Drive what is no input."""
    yield {"c": 0}


def hold(random: Random, config: ToyConfig) -> Generator[dict[str, int], dict[str, Any], None]:
    """Keep the reset asserted, and enable."""
    yield {"rst": 1, "enable": 1}
    yield {"rst": 0}


def held(inputs: dict[str, int], outputs: dict[str, Any], twin: CounterTwin) -> Iterable[str]:
    """Tell in which cycles the stimulus has its way."""
    if inputs["enable"]:
        yield "in reset" if inputs["rst"] else "out of it"


def watch(inputs: dict[str, int], outputs: dict[str, Any], twin: CounterTwin) -> Iterable[str]:
    """Tell when the counter is full, and when it is reset on its way."""
    if outputs["full"]:
        yield "full"
    if inputs["rst"] and outputs["o"]:
        yield "reset"


BENCH = Bench(
    component="tests.harness.toy_rtl:Counter",
    twin="tests.harness.toy:CounterTwin",
    stimulus=count_up,
    events=("full", "reset"),
    watch=watch,
    collect=lambda twin: {"count": twin.count},
    config="tests.harness.toy:ToyConfig",
)
UNRESET = dataclasses.replace(BENCH, component="tests.harness.toy_rtl:Unreset", stimulus=count_on, events=())
NEAR_END = dataclasses.replace(
    BENCH, twin="tests.harness.toy:NearEndTwin", presets={"o": NearEndTwin.begin}, events=("full",)
)
RARE = dataclasses.replace(BENCH, events=("full", "overflow"))
LESS = Bench(
    component="tests.harness.toy_rtl:Less",
    twin="tests.harness.toy:LessTwin",
    stimulus=every_pair,
    config="tests.harness.toy:ToyConfig",
)
FOREIGN = dataclasses.replace(LESS, twin="tests.harness.toy:ForeignTwin")
BENT = dataclasses.replace(LESS, stimulus=bend)
STRAY = dataclasses.replace(LESS, stimulus=stray)
NARROW = dataclasses.replace(BENCH, component="tests.harness.toy_rtl:Less")
"""The twin alone takes a limit."""
HELD = dataclasses.replace(BENCH, stimulus=hold, events=("in reset", "out of it"), watch=held)
