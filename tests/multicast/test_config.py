"""Parameters: derived defaults, and one clear line for everything that is out of range."""

import pytest

from cubecast.golden.multicast.contract.config import MOST_LATENCY, POLICIES, Config


@pytest.mark.parametrize(
    ("dim", "max_dest", "max_list", "lanes"),
    [(2, 2, 2, 2), (3, 6, 6, 3), (4, 8, 14, 3), (5, 8, 30, 4), (6, 8, 32, 4), (9, 8, 32, 6), (10, 8, 32, 6)],
)
def test_defaults_follow_dim(dim, max_dest, max_list, lanes):
    """The lists fit the cube; the lanes are one more than the negative hops of a longest path, ceil(n / 2)."""
    config = Config(dim=dim)
    assert (config.max_dest, config.max_list, config.lanes) == (max_dest, max_list, lanes)
    assert config.units == dim * lanes + 1
    assert 2**config.lane_bits >= lanes


@pytest.mark.parametrize("dim", range(2, 11))
def test_default_lanes_are_enough_and_none_is_spare(dim):
    """The longest paths from an odd node make as many negative hops as there are lanes above lane 0."""
    address, hops = 1, 0
    for dimension in range(dim):
        hops += address.bit_count() & 1
        address ^= 1 << dimension
    assert Config(dim=dim).lanes == hops + 1


@pytest.mark.parametrize("dim", [2, 3, 10])
def test_lanes_of_ordered(dim):
    """One lane is enough without faults; with them, a second one for paths that turn."""
    assert Config(dim=dim, policy="ordered").lanes == 2
    assert Config(dim=dim, policy="ordered", fault_tolerant=False).lanes == 1
    for fault_tolerant in (False, True):
        for lanes in (1, 2):
            config = Config(dim=dim, policy="ordered", fault_tolerant=fault_tolerant, lanes=lanes)
            assert config.units == dim * lanes + 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, 30 + 16),
        ({"max_list": 8}, 16),
        ({"max_list": 8, "source_field": True}, 17),
        ({"max_list": 8, "max_data": 0}, 1),
    ],
)
def test_buffer_depth(changes, words):
    """The buffer holds a list beyond m, S and the payload, and has a word even if there is nothing to hold."""
    assert Config(dim=5, **changes).buffer_depth == words


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"dim": 1}, "dim must be an integer from 2 to 10, not 1"),
        ({"dim": 11}, "dim must be an integer from 2 to 10, not 11"),
        ({"dim": "3"}, "dim must be an integer from 2 to 10, not '3'"),
        ({"dim": True}, "dim must be an integer from 2 to 10, not True"),
        ({"max_dest": 0}, "max_dest must be an integer from 1 to 6, not 0"),
        ({"max_dest": 7}, "max_dest must be an integer from 1 to 6, not 7"),
        ({"width": 2}, "width must be an integer from 3 to 512, not 2"),
        ({"width": 513}, "width must be an integer from 3 to 512, not 513"),
        ({"max_data": -1}, "max_data must be an integer from 0 to 4096, not -1"),
        ({"max_data": 4097}, "max_data must be an integer from 0 to 4096, not 4097"),
        ({"max_dest": 4, "max_list": 3}, "max_list must be an integer from 4 to 6, not 3"),
        ({"max_list": 7}, "max_list must be an integer from 6 to 6, not 7"),
        ({"policy": "adaptive"}, f"policy must be one of {', '.join(POLICIES)}, not 'adaptive'"),
        ({"fault_tolerant": 1}, "fault_tolerant must be True or False, not 1"),
        ({"source_field": None}, "source_field must be True or False, not None"),
        (
            {"source_field": True, "fault_tolerant": False},
            "source_field must be False when fault_tolerant is False, not True",
        ),
        ({"lanes": 0}, "lanes must be 1 or an integer from 3 to 4, not 0"),
        ({"lanes": 2}, "lanes must be 1 or an integer from 3 to 4, not 2"),
        ({"lanes": 5}, "lanes must be 1 or an integer from 3 to 4, not 5"),
        ({"policy": "ordered", "lanes": 0}, "lanes must be an integer from 1 to 2, not 0"),
        ({"policy": "ordered", "lanes": 3}, "lanes must be an integer from 1 to 2, not 3"),
        ({"decision_latency": 0}, f"decision_latency must be an integer from 1 to {MOST_LATENCY}, not 0"),
        (
            {"decision_latency": MOST_LATENCY + 1},
            f"decision_latency must be an integer from 1 to {MOST_LATENCY}, not {MOST_LATENCY + 1}",
        ),
        ({"streamers": 0}, "streamers must be an integer from 1 to 4, not 0"),
        ({"streamers": 5}, "streamers must be an integer from 1 to 4, not 5"),
        ({"streamers": True}, "streamers must be an integer from 1 to 4, not True"),
        ({"log_depth": -1}, "log_depth must be an integer from 0 to 256, not -1"),
        ({"log_depth": 257}, "log_depth must be an integer from 0 to 256, not 257"),
        ({"counters": 7}, "counters must be one of none (0), 8, 16, 32, not 7"),
        ({"multicasters": "node"}, "multicasters must be one of unit, channel, not 'node'"),
        ({"memories": "lut"}, "memories must be one of distributed, block, not 'lut'"),
        ({"counters": True}, "counters must be one of none (0), 8, 16, 32, not True"),
    ],
)
def test_out_of_range_is_one_line(values, line):
    """The error names the parameter, what is allowed, and the value."""
    with pytest.raises(ValueError) as caught:
        Config(**{"dim": 3, **values})
    assert str(caught.value) == line


def test_json_round_trip():
    """A Config comes back from JSON as it was; a name that does not exist is refused."""
    config = Config(dim=4, lanes=1, source_field=True, max_data=3)
    assert Config.from_json(config.to_json()) == config
    with pytest.raises(
        ValueError, match=r"^parameter name must be one of counters, decision_latency, dim, .*, not 'dimension'$"
    ):
        Config.from_json({"dimension": 4})
