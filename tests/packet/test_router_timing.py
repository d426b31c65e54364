"""How long a packet takes through an idle packet router, measured on the RTL (its twin agrees in every cycle)."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.neighbour import serial_bits
from cubecast.tb.packet.timing import BENCH, packets
from tests.packet.corners import CORNERS

SERIAL = 32
"""Cycle in which the start bit goes out, when it comes in in cycle 1."""

PARALLEL = 4
"""Cycles from the head on one link to the head on the next."""


def through(name, simulator):
    """Yield (what came in, what went out, cycles between the beginnings) for each packet; both from the first cycle."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, cycles=100_000)
    assert report.finished
    idle = 0 if config.link == "serial" else -1
    place = dict.fromkeys(report.collected, 0)
    for i, p, came, went in packets(config):
        lines = report.collected[f"link_in__{i}"], report.collected[f"link_out__{p}"]
        begin = max(place.values())
        starts = [next(cycle for cycle in range(begin, len(line)) if line[cycle] != idle) for line in lines]
        sizes = [len(serial_bits(config, came)), len(came[1]) + 1]
        size = sizes[config.link == "parallel"]
        ends = [start + size for start in starts]
        assert all(line[end] == idle for line, end in zip(lines, ends, strict=True)), (i, p, len(came[1]))
        yield came, went, [line[start:end] for line, start, end in zip(lines, starts, ends, strict=True)], starts
        place[f"link_out__{p}"] = ends[1]
    rest = {line: values[place[line] :] for line, values in report.collected.items() if "out" in line}
    assert all(value == idle for values in rest.values() for value in values)


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_serial_start_bit_goes_out_in_cycle_32(simulator):
    """For every length and every pair of links, and the whole packet follows without a gap."""
    config = CORNERS["serial"]
    assert 12 + config.length_bits + config.width == SERIAL
    count = 0
    for came, went, (inward, outward), (start, out) in through("serial", simulator):
        assert inward == serial_bits(config, came) and outward == serial_bits(config, went)
        assert out - start + 1 == SERIAL
        count += 1
    assert count == 6 * 15


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_parallel_head_goes_out_after_four_cycles(simulator):
    """For every length and every pair of links, and a word in each cycle after it."""
    config = CORNERS["default"]
    count = 0
    for came, went, (inward, outward), (start, out) in through("default", simulator):
        for (head, words), seen in ((came, inward), (went, outward)):
            assert seen == [1 << config.head_bits | head.encode(config), *words]
        assert out - start == PARALLEL
        count += 1
    assert count == 6 * 15
