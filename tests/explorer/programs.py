"""Runs of programs on the golden network of nodes alone, in place of a lockstep run."""

import json
import random
from types import SimpleNamespace

from cubecast.tb.harness.bench import RESET_CYCLES
from cubecast.tb.node.playback import Playback, stimulus

__all__ = ["alone"]


def alone(bench, config, *, seed=1, options=None, **_):
    """Stand in for ``lockstep`` of programs: what hardware and golden network have in common is what that does."""
    twin, steps = Playback(config), stimulus(random.Random(seed), config, **(options or {}))
    for _cycle in range(RESET_CYCLES):
        twin.step({"rst": 1})
    inputs = {"rst": 0, **next(steps)}
    try:
        while True:
            inputs |= steps.send(twin.step(inputs))
    except StopIteration:
        return SimpleNamespace(collected=json.loads(json.dumps(twin.result())))
