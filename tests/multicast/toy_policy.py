"""A toy policy, in the places that CONTRIBUTING names for one, beside which a router with it can be run and proven."""

# amaranth: UnusedElaboratable=no
import dataclasses

from amaranth.hdl import C, Const

from cubecast.golden.multicast.algorithms import policy as algorithms
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.policy import FACTS
from cubecast.golden.multicast.twins import policy as twins
from cubecast.rtl.multicast import policy as rtl
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast import mhu
from tests.multicast import policy_spec as specs

__all__ = ["BENCH", "NAME", "Mhu", "ToyConfig", "places"]

NAME = "descending"
"""The policy: greedy, but a broadcast takes the dimensions from the highest down."""


class Algorithm(algorithms.Greedy):
    """Dimensions descend."""

    name = NAME

    def order(self, dim, local):
        """Return them descending."""
        return range(dim - 1, -1, -1)


class Hardware(rtl.Greedy):
    """Dimensions descend."""

    def after(self, j, straps):
        """Return the lower ones."""
        return C((1 << j) - 1, self.config.dim)

    def sends(self, m, source, straps):
        """Return g_j = AND over all p <= j of NOT source_p."""
        return [~source[: j + 1].any() for j in range(self.config.dim)]


class Specification(specs.Greedy):
    """Dimensions descend."""

    def served(self, n, address):
        """Yield them descending."""
        yield from ((j, Const(1)) for j in reversed(range(n)))

    def also(self, dut):
        """Return nothing."""
        return []


def places():
    """Yield each table of policies with what stands there for this one."""
    yield FACTS, dataclasses.replace(FACTS["greedy"], about="each node sends to the highest dimension first")
    yield algorithms.POLICIES, Algorithm()
    yield rtl.POLICIES, Hardware
    yield twins.POLICIES, twins.Greedy
    yield specs.POLICIES, Specification()


class ToyConfig(Config):
    """Parameters as the process of a simulator reads them, which has to know the policy first."""

    @classmethod
    def from_json(cls, text):
        """Make the policy known, and return the parameters."""
        for table, entry in places():
            table[NAME] = entry
        return super().from_json(text)


def stimulus(random, config, **options):
    """Drive a message handling unit."""
    yield from mhu.stimulus(random, config, **options)


BENCH: Bench = dataclasses.replace(
    mhu.BENCH,
    component="tests.multicast.toy_policy:Mhu",
    stimulus=stimulus,
    config="tests.multicast.toy_policy:ToyConfig",
)
"""The testbench of a message handling unit with the policy."""
