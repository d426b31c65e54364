"""The measurements of the crosspoint router: figures of the page are made again, and what is not regular is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.measure import crosspoint

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def shown() -> list[str]:
    """Return the lines of the section."""
    return (
        PAGE.read_text()
        .partition("<!-- crosspoint begin -->\n")[2]
        .partition("<!-- crosspoint end -->")[0]
        .splitlines()
    )


def test_figures_of_the_page_are_those_of_the_hardware() -> None:
    """Cycles of an empty network with the default router, and the wires of a link."""
    config = CrosspointConfig(dim=3)
    result: dict[str, Any] = {"latency": [{"options": "default", **crosspoint.latency(config)}], "speed": []}
    result["wires"] = [crosspoint.wires(config)]
    rows = [line for line in crosspoint.table(result) if line.startswith(("| default", "| 3 "))]
    assert len(rows) == 2 and set(rows) <= set(shown())


def seen(*messages: tuple[int, list[int], int]) -> SimpleNamespace:
    """Return what a run collects, with the cycles of each message's start, links and end."""
    return SimpleNamespace(
        collected={
            "starts": [{"message": i, "cycle": start} for i, (start, _, _) in enumerate(messages)],
            "crossings": [{"message": i, "cycle": link} for i, (_, links, _) in enumerate(messages) for link in links],
            "deliveries": [{"message": i, "first_cycle": there} for i, (_, _, there) in enumerate(messages)],
        }
    )


def test_cycles_that_are_not_the_same_for_all_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hop between two links, of one that all cycles tell alone, and of an ejection."""
    regular = (0, [1], 3), (40, [41, 42], 44)
    for messages, told in (
        (regular, None),
        ((regular[0], (40, [41, 43], 44)), r"hops took \[1, 2\] and"),
        (((0, [2], 4), regular[1]), r"hops took \[0, 1\] and ejections \[1\]"),
        ((regular[0], (40, [41, 42], 45)), r"ejections \[1, 2\]"),
    ):
        monkeypatch.setattr(crosspoint, "lockstep", lambda *_, found=messages, **__: seen(*found))
        if told is None:
            found = crosspoint.latency(CrosspointConfig(dim=2))
            assert found == {"injection": 1, "hop": 1, "ejection": 1, "all": [3, 4]}
        else:
            with pytest.raises(SimulatorError, match=told):
                crosspoint.latency(CrosspointConfig(dim=2))


def test_what_does_not_come_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A speed is told only of a run in which all came once and in order."""
    found = {"exactly_once": True, "in_order": True, "drained": True, "delivered": 0.3, "cycles": 5000, "seconds": 0.25}
    monkeypatch.setattr(crosspoint, "point", lambda *_: found)
    row = crosspoint._speed(6, 1)
    assert row["clocks_per_second"] == 20_000
    lines = crosspoint.table({"latency": [], "wires": [], "speed": [row]})
    assert lines[-1] == "| 64 | 1 | 0.300 | 5,000 | 20,000 (aim 20,000) |"
    assert crosspoint.headline({"speed": [row]}) == {"64 crosspoint routers, cycles/s": "20,000"}
    found["drained"] = False
    with pytest.raises(SimulatorError, match="not all that was sent came once"):
        crosspoint._speed(6, 1)
