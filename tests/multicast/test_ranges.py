"""What the corners of the lockstep runs can bring at most, where a signal is wide enough for more."""

import pytest

from tests.multicast.test_lockstep import CONFIGS, TABLE


@pytest.mark.parametrize("unit", ["output_module", "reporter"])
def test_places_in_a_list(unit):
    """Bits 5 and above are those of payload; those of a buffer that is read ahead are so from bit 3 on."""
    line = TABLE[unit]
    for config in (CONFIGS[name] for name in line.corners):
        longest = config.max_list if config.carries_lists else 0
        assert longest < 1 << (3 if config.reads_ahead else 5)
