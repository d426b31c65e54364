"""The proof of link-disjointness: right for right and wrong paths, and refused when it is tampered with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cubecast.golden.collective.algorithms import link_proof
from cubecast.golden.collective.algorithms.link_proof import prove
from cubecast.golden.collective.algorithms.ring_path import ring_path

MEETING = ((0b001011, 0b100110), (0b111011, 0b100101))
"""Corollary 1's example: two links shared."""


def test_a_conflict_is_named_with_its_users() -> None:
    """The paths of corollary 1's example."""
    proof = prove(6, "descending", [ring_path(*ends) for ends in MEETING])
    assert not proof.disjoint
    assert proof.contended == {(0b101011, 0b100011): (0, 1), (0b100011, 0b100111): (0, 1)}
    assert len(proof.users) == 4 + 4 - 2
    proof.check()


def test_opposite_directions_are_two_links() -> None:
    """Theorem 4's paths."""
    proof = prove(3, "ascending", [ring_path(0, 4, "ascending"), ring_path(4, 0, "ascending")])
    assert proof.disjoint and proof.users == {(0, 4): (0,), (4, 0): (1,)}
    proof.check()


def test_a_tampered_proof_is_refused() -> None:
    """A user hidden, moved or made up, a path that is not one, and another order of dimensions."""
    proof = prove(6, "descending", [ring_path(*ends) for ends in MEETING])
    shared = (0b101011, 0b100011)
    cases = [
        (proof.users | {shared: (0,)}, r"users must name path 1 on link 43 to 35, not \[\]"),
        (proof.users | {shared: (0, 1, 1)}, r"users must name only paths that cross link 43 to 35, not \[1\]"),
        (proof.users | {(0, 1): (0,)}, r"users must name only paths that cross link 0 to 1, not \[0\]"),
        ({k: v for k, v in proof.users.items() if k != shared}, "users must name path 0 on link 43 to 35, not None"),
    ]
    for users, line in cases:
        with pytest.raises(ValueError, match=f"^{line}$"):
            replace(proof, users=users).check()
    with pytest.raises(ValueError, match=r"^link must join neighbours, not 0 to 3 of path 0$"):
        prove(2, "descending", [(0, 3)]).check()
    with pytest.raises(
        ValueError, match=r"^theorem 1 must agree with the links of paths 0 and 1, not say the opposite$"
    ):
        replace(proof, order="ascending").check()


def test_theorem_1_is_really_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that finds nothing does not go unnoticed; paths without a common order are not tested."""
    monkeypatch.setattr(link_proof, "conflicting_pairs", lambda *_: [])
    proof = prove(6, "descending", [ring_path(*ends) for ends in MEETING])
    with pytest.raises(ValueError, match=r"^theorem 1 must agree"):
        proof.check()
    replace(proof, order="gray").check()
