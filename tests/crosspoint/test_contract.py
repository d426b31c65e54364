"""Contract of the crosspoint router: parameters, queues and what they keep, thresholds, registers."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.crosspoint.contract.config import BLOCK_DEPTHS, LUT_DEPTHS, CrosspointConfig
from cubecast.golden.crosspoint.contract.registers import REGISTERS, c_header, plain, register_map
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, QueueShape, queue_shape
from cubecast.golden.crosspoint.contract.word import (
    CrosspointReason,
    has_queue,
    inputs_of,
    kept,
    link_wires,
    outputs_of,
)
from cubecast.golden.crosspoint.twins.next_set import NextSet

REFUSED = [
    ({"dim": 1}, "dim must be an integer from 2 to 10, not 1"),
    ({"dim": 11}, "dim must be an integer from 2 to 10, not 11"),
    ({"width": 7}, "width must be an integer from 8 to 512, not 7"),
    ({"runs": 3}, "runs must be an integer from 1 to 2, not 3"),
    ({"multicast": 1}, "multicast must be True or False, not 1"),
    ({"depth": 17}, "depth must be one of 4, 8, 16, 32, 64, not 17"),
    ({"depth": 128}, "depth must be one of 4, 8, 16, 32, 64, not 128"),
    ({"packet_limit": 0}, "packet_limit must be an integer from 1 to 15, not 0"),
    ({"packet_limit": 16}, "packet_limit must be an integer from 1 to 15, not 16"),
    ({"packet_limit": 14, "link_regs": 1}, "packet_limit must be an integer from 1 to 13, not 14"),
    ({"packet_limit": 20, "depth": 32, "eject_depth": 16}, "packet_limit must be an integer from 1 to 15, not 20"),
    ({"eject_depth": 100}, "eject_depth must be one of 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, not 100"),
    ({"link_regs": 4}, "link_regs must be an integer from 0 to 3, not 4"),
    (
        {"depth": 4, "link_regs": 2},
        "depth must be more than 5 when link_regs is 2 and output_register is False, not 4",
    ),
    (
        {"eject_depth": 8, "link_regs": 3, "output_register": True},
        "eject_depth must be more than 8 when link_regs is 3 and output_register is True, not 8",
    ),
    ({"output_register": 0}, "output_register must be True or False, not 0"),
    ({"fault_tolerant": None}, "fault_tolerant must be True or False, not None"),
    ({"pause_limit": -1}, "pause_limit must be an integer from 0 to 65535, not -1"),
    ({"memories": "lut"}, "memories must be one of distributed, block, not 'lut'"),
    ({"log_depth": 257}, "log_depth must be an integer from 0 to 256, not 257"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED, ids=[str(values) for values, _ in REFUSED])
def test_bad_parameters_are_named(values: dict[str, Any], message: str) -> None:
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        CrosspointConfig(**{"dim": 3, **values})
    assert str(caught.value) == message


def test_the_default_packet_limit() -> None:
    """A third of a queue, as far as link registers leave room for it."""
    assert [CrosspointConfig(dim=3, depth=depth).packet_limit for depth in LUT_DEPTHS] == [1, 2, 5, 10, 21]
    assert CrosspointConfig(dim=3, depth=8, link_regs=3).packet_limit == 1
    assert CrosspointConfig(dim=3, depth=64, eject_depth=16).packet_limit == 15


def test_every_queue_has_room_for_what_is_unseen_and_a_packet() -> None:
    """The greatest count with room, the words that can come unseen, and the longest packet fill it exactly."""
    for regs, more, eject in itertools.product(range(4), (False, True), (16, 64, *BLOCK_DEPTHS)):
        config = CrosspointConfig(dim=3, link_regs=regs, output_register=more, eject_depth=eject)
        assert config.unseen == 1 + 2 * regs + more
        for limit in (1, config.packet_limit, config.most_words):
            config = CrosspointConfig(
                dim=3, link_regs=regs, output_register=more, eject_depth=eject, packet_limit=limit
            )
            for j in range(config.ports):
                for i in inputs_of(config, j):
                    shape = queue_shape(config, i, j)
                    late = int(j == 3 and eject in BLOCK_DEPTHS)
                    unseen = (1 if i == 3 else config.unseen) + late
                    assert shape.most + unseen + limit == shape.depth == (eject if j == 3 else 16)
                    assert shape.block == bool(late)


@pytest.mark.parametrize("dim", range(2, 11))
def test_number_of_queues(dim: int) -> None:
    """With two runs n (n - 1) + 2n, with one about two thirds of it."""
    for runs, count in ((2, dim * (dim - 1) + 2 * dim), (1, dim * (dim - 1) // 2 + 2 * dim)):
        config = CrosspointConfig(dim=dim, runs=runs)
        pairs = {(i, j) for i in range(dim + 1) for j in range(dim + 1) if has_queue(config, i, j)}
        assert len(pairs) == count
        assert pairs == {(i, j) for j in range(dim + 1) for i in inputs_of(config, j)}
        assert pairs == {(i, j) for i in range(dim + 1) for j in outputs_of(config, i)}
        assert not any((i, i) in pairs for i in range(dim + 1))


def test_bits_that_are_kept() -> None:
    """Queues of a 6-cube with 32 bits: what each has besides data, last and error; r1, r2, kind, over and turns."""
    two, one = CrosspointConfig(dim=6), CrosspointConfig(dim=6, runs=1)
    plain_one = CrosspointConfig(dim=6, runs=1, multicast=False)
    found = [kept(two, i, j).bits - 34 for i, j in ((5, 3), (6, 3), (2, 3), (4, 5), (3, 6))]
    assert found == [4 + 6 + 2 + 2, 4 + 6 + 2 + 2, 2, 0, 2]
    assert [kept(one, i, j).bits - 34 for i, j in ((5, 3), (6, 0), (3, 6))] == [3 + 3 + 2 + 1, 2 + 1, 2]
    assert [kept(plain_one, i, j).bits - 34 for i, j in ((5, 3), (6, 0), (3, 6))] == [3 + 1, 1, 0]


def test_wires_of_a_link() -> None:
    """The top dimension of a 6-cube has the most: 6 + 1 + 1 + 1 + 32 + 5 + 6 + 2 + 1."""
    assert [link_wires(CrosspointConfig(dim=6), j) for j in (0, 5)] == [(50, 2), (55, 2)]
    assert link_wires(CrosspointConfig(dim=6, runs=1, multicast=False, fault_tolerant=False), 5) == (46, 1)


@pytest.mark.parametrize("runs", [1, 2])
def test_what_is_left_behind_a_link(runs: int) -> None:
    """Whatever a word says: of its first run lower dimensions than the link's, with one run of its mask, too."""
    config = CrosspointConfig(dim=3, runs=runs)
    places = [(i, j) for i in range(4) for j in range(3) if has_queue(config, i, j)]
    for i, j in places:
        unit = NextSet(Crosspoint(router=config, input=i, output=j))
        for data, r1, r2, kind, over, turns in itertools.product(
            (0, 0xFF), range(8), range(8), range(4), range(2), range(2)
        ):
            _, left_r1, left_r2 = unit.find(data, r1, r2, kind, over, turns)
            assert not left_r1 >> j
            assert runs == 2 or not left_r2 >> j


def test_units_say_where_they_are() -> None:
    """Parameters of a router's parts come back from plain values; places that are none are refused."""
    config = CrosspointConfig(dim=3, runs=1)
    for unit in (Port(router=config, port=3), Crosspoint(router=config, input=2, output=1)):
        assert type(unit).from_json(unit.to_json()) == unit
    Crosspoint(router=config, input=3, output=3)
    with pytest.raises(ValueError, match="output must be one that input 1 has a queue to, not 2"):
        Crosspoint(router=config, input=1, output=2)
    with pytest.raises(ValueError, match="port must be an integer from 0 to 3, not 4"):
        Port(router=config, port=4)
    with pytest.raises(ValueError, match="depth must be a power of two, not 12"):
        QueueShape(bits=8, depth=12, most=3)


def test_registers_and_reasons() -> None:
    """The common registers, in this router's words; every reason has a text, a code of its own, and a macro."""
    config = CrosspointConfig(dim=3)
    assert [entry.name for entry in register_map(config)] == [entry.name for entry in REGISTERS]
    assert all(entry["meaning"] for entry in plain(config))
    none = CrosspointConfig(dim=3, counters=0, log_depth=0)
    assert {entry.name for entry in register_map(none)} == {"FAULT", "STATUS", "CUT"}
    header = c_header(config)
    macros, comments = re.split(r" /\*|\n", header), header.replace("\n * ", " ")
    for reason in CrosspointReason:
        assert f"#define CUBECAST_REASON_{reason.name} {reason.value}u" in macros
        assert f"/* {meaning_of(reason)} */" in comments
    assert "CUBECAST_PACKET_LIMIT 5u" in header and "CUBECAST_KIND_BITMAP 2u /* to all nodes source XOR" in header
    assert "OTHER_KIND_UNICAST 0u" in c_header(none, "other")
    assert len({*CrosspointReason}) == 12
