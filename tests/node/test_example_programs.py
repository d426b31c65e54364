"""The example programs: what nodes compute of what they have read is what NumPy computes of the whole."""

import json

import numpy as np
import pytest

from cubecast.golden.node.algorithms.program_check import judge
from cubecast.golden.node.algorithms.programs import read_programs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.playback import BENCH
from tests.node.example_programs import (
    EXAMPLES,
    IMAGE,
    MATRIX,
    lu_factors,
    lu_programs,
    reference_lu,
    sobel,
    sobel_image,
    sobel_programs,
)

CONFIG = NodeConfig(router=PacketConfig(dim=3))

READER = 7
"""A node that reads in both examples."""


@pytest.mark.parametrize(("name", "made"), [("sobel", sobel_programs), ("lu", lu_programs)])
def test_the_files_are_those_of_the_generator(name, made):
    """``python -m tests.node.example_programs`` writes them."""
    assert json.loads((EXAMPLES / f"{name}.json").read_text()) == made()


def check_sobel(result):
    """Compare the image of the nodes with that of the whole."""
    assert np.array_equal(sobel_image(result), sobel(IMAGE))


def check_lu(result):
    """Compare the factors of the nodes with those of one processor; they give the matrix."""
    factors = lu_factors(result)
    assert np.array_equal(factors, reference_lu())
    lower = np.tril(factors, -1) + np.eye(len(MATRIX), dtype=np.float32)
    assert np.allclose(lower @ np.triu(factors), MATRIX, atol=1e-3)


CHECKS = {"sobel": (sobel_programs, check_sobel), "lu": (lu_programs, check_lu)}


@pytest.mark.parametrize("name", ["sobel", pytest.param("lu", marks=pytest.mark.soak)])
def test_on_the_rtl(name):
    """No rule is broken, and a byte that was read wrong would show."""
    made, check = CHECKS[name]
    programs = made()
    found = lockstep(BENCH, CONFIG, cycles=20_000, options={"programs": programs}).collected | {"golden": "match"}
    assert judge(read_programs(programs, CONFIG), CONFIG, found) == [] and found["quiet"]
    check(found)
    found["nodes"][READER]["reads"][0]["data"] = "01020304"
    with pytest.raises(AssertionError):
        check(found)
