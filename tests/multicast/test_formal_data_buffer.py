"""The data buffer keeps every word, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest
from amaranth.hdl import C

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.pointed_memory import PointedMemory
from cubecast.rtl.multicast.data_buffer import DataBuffer
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.multicast.data_buffer_spec import DataBufferSpec

CONFIG = Config(dim=2, width=2, max_data=2)
"""Three read ports, two words."""

AHEAD = dataclasses.replace(CONFIG, memories="block")
"""The same, read at the edge."""


class OneWordMore(Altered):
    """A push to a full buffer is done."""

    def unit(self, config):
        """Build it one word deeper; the ports are the same."""
        return DataBuffer(dataclasses.replace(config, max_data=config.max_data + 1))

    def alter(self, m, inner):
        """Change nothing else."""
        return ()


class BusyReading(Altered):
    """A word is not pushed in a cycle in which the last port waits for it."""

    unit = DataBuffer

    def alter(self, m, inner):
        """Hide the push."""
        m.d.comb += inner.push.eq(self.push & ((self.pointer[-1] != inner.level) | self.clear | (inner.level != 1)))
        return ("push",)


class NeverCleared(Altered):
    """A clear does not come through together with a push."""

    unit = DataBuffer

    def alter(self, m, inner):
        """Hide the clear."""
        m.d.comb += inner.clear.eq(self.clear & ~self.push)
        return ("clear",)


class OneAddressLess(Altered):
    """The last read port has an address bit less."""

    unit = DataBuffer

    def alter(self, m, inner):
        """Hide a bit."""
        m.d.comb += inner.pointer[-1].eq(self.pointer[-1][1:] << 1)
        return (f"pointer__{len(self.pointer) - 1}",)


class ErrorOfLast(Altered):
    """An error is kept only with ``last``."""

    unit = DataBuffer

    def alter(self, m, inner):
        """Hide the others."""
        m.d.comb += inner.error.eq(self.error & self.last)
        return ("error",)


@pytest.mark.parametrize("port", [0, 2])
@pytest.mark.parametrize("config", [CONFIG, AHEAD], ids=["distributed", "block"])
def test_data_buffer_is_proven(config, port):
    """Nothing dropped, doubled or changed, for all time, whichever port looks on and however it is read."""
    prove(DataBufferSpec(config, port), depth=2)


@pytest.mark.soak
def test_a_larger_data_buffer_is_proven():
    """Four read ports, three words."""
    prove(DataBufferSpec(Config(dim=3, width=3, max_data=3), 3), depth=2)


@pytest.mark.parametrize("config", [CONFIG, AHEAD], ids=["distributed", "block"])
def test_a_full_buffer_is_reached(config):
    """The proof speaks of full buffers too."""
    prove(DataBufferSpec(config, 0), mode="cover", depth=5)


@pytest.mark.parametrize("broken", [OneWordMore, BusyReading, NeverCleared, OneAddressLess, ErrorOfLast])
def test_broken_data_buffer_is_refuted(broken):
    """A word too many, too few, in the wrong place or changed is found."""
    prove(DataBufferSpec(CONFIG, 0, broken), mode="bmc", depth=6, expect="fail")


class Unwatched(PointedMemory):
    """A word that is written at the edge at which it is read is not seen."""

    def read(self, pointer, following=None, newest=None):
        """Leave out the register of the newest word."""
        return super().read(pointer, following, C(0))


def test_a_word_seen_late_is_refuted(monkeypatch):
    """A read at the edge of a push that gives what was there before is found."""
    monkeypatch.setattr("cubecast.rtl.multicast.data_buffer.PointedMemory", Unwatched)
    prove(DataBufferSpec(AHEAD, 0), mode="bmc", depth=6, expect="fail")
