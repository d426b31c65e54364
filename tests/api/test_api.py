"""The API: its names, the examples of its docstrings and of ``examples/``, and how it refuses bad arguments."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

from typing import Any
import numpy as np
import pytest

import cubecast as cc
from cubecast import api

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text()
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def test_the_page_lists_the_names() -> None:
    """The table of the page has each of them once, and no other."""
    table = PAGE.partition("## Names")[2].partition("##")[0]
    listed = [name for line in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", line)]
    assert sorted(listed) == sorted(api.__all__)
    assert {*api.__all__} <= {*dir(cc)} and all(getattr(cc, name) is getattr(api, name) for name in api.__all__)
    with pytest.raises(AttributeError, match="no attribute 'routes'"):
        _ = cc.routes  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", api.__all__)
def test_every_name_teaches(name: str) -> None:
    """``help`` has a docstring; that of a function tells every parameter."""
    value = getattr(cc, name)
    text = inspect.getdoc(value)
    assert text
    if inspect.isfunction(value):
        for parameter in inspect.signature(value).parameters:
            assert re.search(rf"^(?:\w+, )*{parameter}(?:, \w+)* : ", text, re.M), parameter


@pytest.mark.parametrize("module", [path.stem for path in sorted((ROOT / "cubecast/api").glob("[!_]*.py"))])
def test_the_examples_of_docstrings_are_true(module: str) -> None:
    """Each is run, with the names of the API."""
    names = {name: getattr(cc, name) for name in cc.__all__}
    found = doctest.testmod(importlib.import_module(f"cubecast.api.{module}"), extraglobs=names)
    assert not found.failed
    assert found.attempted or module == "generation"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_print_what_the_page_says(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line."""
    space: dict[str, object] = {"__name__": "script"}
    exec(compile(script.read_text(), script, "exec"), space)
    main = space["main"]
    assert callable(main)
    main()
    said = re.search(rf"^\$ python examples/{script.name}\n(.*?)^```", PAGE, re.M | re.S)
    assert said is not None
    assert capsys.readouterr().out == said[1]


def test_scripts_have_complete_types() -> None:
    """As a user's mypy sees them and the package, which says that it has types."""
    assert (ROOT / "cubecast/py.typed").is_file()
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, SCRIPTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_command_line_starts_without_the_api() -> None:
    """Nor does ``import cubecast`` alone load NumPy."""
    code = "import sys, cubecast; print('numpy' in sys.modules, 'cubecast.api' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


class Wrong(cc.Policy):
    """Votes for all, or gives an order that is none, of one dimension if nothing else is said."""

    name = "wrong"

    def votes(self, row: int, local: int, faulty: int) -> int:
    def __init__(self, given: Any = (0,)) -> None:
        self.given = given

        """Return all dimensions."""
        return 7

    def order(self, dim: int, local: int) -> tuple[int, ...]:
        """Return what was said."""
        return self.given

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return that no hop does."""
        return False


MULTICAST, CROSSPOINT = cc.MulticastConfig(dim=3), cc.CrosspointConfig(dim=2)

BAD = {
    "a dimension": (lambda: cc.Cube(0), "dim must be an integer from 1 to 20, not 0"),
    "a node": (lambda: cc.Cube(3).neighbours(8), "node must be an integer from 0 to 7, not 8"),
    "votes": (
        lambda: cc.route(3, 0, [3], policy=Wrong()),
        "votes of policy 'wrong' must be some of 0b11, the useful dimensions that are free of faults, not 7",
    ),
    "order": (
        lambda: cc.route(3, 0, policy=Wrong(), broadcast=True),
        "order of policy 'wrong' must hold 0 to 2 once each, not (0,)",
    ),
    "a policy": (lambda: cc.route(3, 0, [3], policy="best"), "policy must be one of greedy"),
    "a packet's source": (lambda: cc.route_packets(CROSSPOINT, 4, [1]), "source must be an integer from 0 to 3"),
    "values": (
        lambda: cc.reduce(3, {0: [1]}),
        "values must hold a vector of node 1, which takes part, not only 1",
    ),
    **{
        f"order {order}": (
            lambda order=order: cc.route(2, 0, policy=Wrong(order), broadcast=True),
            f"order of policy 'wrong' must hold 0 to 1 once each, not {order}",
        )
        for order in (None, (0.0, 1.0), (False, True), ("a", 0))
    },
    "no destinations": (lambda: cc.route(3, 0, 5), "destinations must hold addresses, not be 5"),
    "a ring": (lambda: cc.ring(3, [0, 9]), "integer from 0 to 7, not 9"),
    "a message": (
        lambda: cc.simulate(MULTICAST, [cc.Message(source=0)]),
        "messages[0] must have exactly one of destinations, broadcast and raw, not none",
    ),
    "a faulty node": (
        lambda: cc.simulate(MULTICAST, [], faults=[8]),
        "faults must hold integers from 0 to 7, not 8",
    ),
    "a late message": (
        lambda: cc.simulate(MULTICAST, [{"source": 0, "broadcast": True, "cycle": 10}], max_cycles=10),
        "messages[0].cycle must be an integer from 0 to 9",
    ),
    "a router": (
        lambda: cc.simulate(cc.NodeConfig(router=cc.PacketConfig(dim=2)), []),
        "config must be one of MulticastConfig, PacketConfig, CrosspointConfig, not NodeConfig",
    ),
    "no configuration": (
        lambda: cc.load("crosspoint"),
        "config must be one of MulticastConfig, PacketConfig, CrosspointConfig, AdapterConfig, NodeConfig, ",
    ),
    "a way": (
        lambda: cc.simulate(MULTICAST, [], policy="valiant"),
        "policy must not be given with the multicast router",
    ),
    "stalls": (lambda: cc.simulate(MULTICAST, [], stall=91), "stall must be an integer from 0 to 90, not 91"),
    "rates": (lambda: cc.load(CROSSPOINT, rates=[0.1, 0.1]), "rates must be different numbers above 0, up to 64"),
    "a window": (lambda: cc.load(CROSSPOINT, cycles=150), "cycles must be a multiple of 100"),
    "an engine": (lambda: cc.load(CROSSPOINT, engine="fast"), "engine must be one of rtl, verilator, golden"),
    "a load's router": (
        lambda: cc.load(cc.CollectiveConfig(router=MULTICAST)),
        "config must be one of MulticastConfig, PacketConfig, CrosspointConfig, not CollectiveConfig",
    ),
    "an arrival": (
        lambda: cc.load(CROSSPOINT, [cc.Arrival(0, 1, 1, 4)]),
        "destination of line 1 of the trace must be another node than the source, not 1",
    ),
    "a unit": (lambda: cc.generate("routers", MULTICAST), "unit must be one of mhu, router"),
}
"""Calls that are refused, and what is said of them."""


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused(name: str) -> None:
    """In one line, with the parameter, its value and what is allowed."""
    call, said = BAD[name]
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_an_own_policy_that_is_greedy_grows_greedy_trees() -> None:
    """It is asked in the same places as the built-in one."""
    greedy = importlib.import_module("cubecast.golden.multicast.algorithms.policy").Greedy

    class Own(greedy):  # type: ignore[misc, valid-type]
        name = "own"

    for node in range(1, 16):
        listed = [node, node ^ 9 or 3, 15]
        own, usual = (cc.route(4, 0, listed, policy=policy, faults=[8]) for policy in (Own(), "greedy"))
        assert (own.policy, own.edges, own.undeliverable) == ("own", usual.edges, usual.undeliverable)
        own, usual = (cc.route(4, node, policy=policy, broadcast=True) for policy in (Own(), "greedy"))
        assert own.edges == usual.edges


def test_columns_keep_kinds() -> None:
    """Numbers, truth values, gaps, members and all else."""
    points = [
        api.loading.Point(**dict.fromkeys(FIELDS, 1) | {"rate": rate, "latency": {"mean": mean}, "steady": mean == 2})
        for rate, mean in ((0.5, None), (1.0, 2))
    ]
    table = cc.columns(points)
    assert table["rate"].dtype == float and table["steady"].dtype == bool and table["cycles"].dtype == int
    assert np.isnan(table["latency_mean"][0]) and table["latency_mean"][1] == 2
    assert cc.columns([]) == {}


FIELDS = [name for name in inspect.signature(cc.Point).parameters]


def test_a_simulation_tells_what_went_wrong() -> None:
    """A message to a faulty node: an error, no latency, and not good."""
    found = cc.simulate(MULTICAST, [cc.Message(source=0, destinations=[7], data=[5])], faults=[7])
    assert found.matched and not found.good
    assert [error["destinations"] for error in found.errors] == [[7]]
    with pytest.raises(ValueError, match="message must be one that was delivered, not 0"):
        found.latency(0)
