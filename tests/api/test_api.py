"""The API: its names, the examples of its docstrings and of ``examples/``, and how it refuses bad arguments."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
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

    def __init__(self, given: Any = (0,)) -> None:
        self.given = given

    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return all dimensions."""
        return 7

    def order(self, dim: int, local: int) -> tuple[int, ...]:
        """Return what was said."""
        return self.given

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return that no hop does."""
        return False


MULTICAST, CROSSPOINT = cc.MulticastConfig(dim=3), cc.CrosspointConfig(dim=2)

SEED = "seed must be an integer from 0 to 2**64 - 1, not "
RATES = "rates must be different numbers above 0, up to 64, not "
ARRIVAL = "traffic[0] must be an Arrival of integers, its destination None for a broadcast, not "
NAME = "name must be a letter and up to 39 letters, digits or underscores after it, not "

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
    **{
        f"order {order}": (
            lambda order=order: cc.route(2, 0, policy=Wrong(order), broadcast=True),
            f"order of policy 'wrong' must hold 0 to 1 once each, not {order}",
        )
        for order in (None, (0.0, 1.0), (False, True), ("a", 0))
    },
    "no destinations": (lambda: cc.route(3, 0, 5), "destinations must hold addresses, not be 5"),
    "a policy": (lambda: cc.route(3, 0, [3], policy="best"), "policy must be one of greedy"),
    "a packet's source": (lambda: cc.route_packets(CROSSPOINT, 4, [1]), "source must be an integer from 0 to 3"),
    "values": (
        lambda: cc.reduce(3, {0: [1]}),
        "values must hold a vector of node 1, which takes part, not only 1",
    ),
    **{
        f"words {word}": (
            lambda word=word: cc.reduce(1, [[1], [word]], width=8),
            f"values[1][0] must be an integer from 0 to 255, not {word!r}",
        )
        for word in (1.5, "1", True, 256, -1)
    },
    "surplus vectors": (
        lambda: cc.reduce(1, [[1]] * 3),
        "values must be a list of 2 vectors, one for each node, not 3 items",
    ),
    "a surplus node": (lambda: cc.reduce(1, {2: [1]}), "node of values must be an integer from 0 to 1, not 2"),
    "lengths": (lambda: cc.reduce(1, [[1], [1, 2]]), "values[1] must have 1 words as values[0] has, not 2"),
    "a width": (lambda: cc.reduce(1, [[1]] * 2, width=0), "width must be an integer from 1 to 512, not 0"),
    "no operation": (lambda: cc.reduce(1, [[1]] * 2, []), "operation must be one of sum, min"),
    "no truth value": (
        lambda: cc.route(3, 0, broadcast="no"),
        "broadcast must be True or False, not 'no'",
    ),
    "a packet's router": (
        lambda: cc.route_packets(MULTICAST, 0, [1]),
        "config must be CrosspointConfig, not MulticastConfig",
    ),
    "a packet's seed": (lambda: cc.route_packets(CROSSPOINT, 0, [1], seed=-1), f"{SEED}-1"),
    "no seed": (lambda: cc.route_packets(CROSSPOINT, 0, [1], seed=None), f"{SEED}None"),
    "a packet's fault": (
        lambda: cc.route_packets(cc.CrosspointConfig(dim=2, fault_tolerant=False), 0, [1], faults=[3]),
        "faults and faulty_links must not be given without fault tolerance",
    ),
    "half a link": (
        lambda: cc.route_packets(CROSSPOINT, 0, [1], faulty_links=[(0,)]),
        "link must have two ends, not 1",
    ),
    "no links": (
        lambda: cc.route_packets(CROSSPOINT, 0, [1], faulty_links=3),
        "links must hold pairs of addresses, not be 3",
    ),
    "no members": (lambda: cc.ring(3, 5), "nodes must hold addresses, not be 5"),
    "a ring": (lambda: cc.ring(3, [0, 9]), "integer from 0 to 7, not 9"),
    "a message": (
        lambda: cc.simulate(MULTICAST, [cc.Message(source=0)]),
        "messages[0] must have exactly one of destinations, broadcast and raw, not none",
    ),
    "a faulty node": (
        lambda: cc.simulate(MULTICAST, [], faults=[8]),
        "fault must be an integer from 0 to 7, not 8",
    ),
    "a late message": (
        lambda: cc.simulate(MULTICAST, [{"source": 0, "broadcast": True, "cycle": 10}], max_cycles=10),
        "messages[0].cycle must be an integer from 0 to 9",
    ),
    "broadcast": (
        lambda: cc.simulate(MULTICAST, [cc.Message(source=0, broadcast="no")]),
        "messages[0].broadcast must be true, not 'no'",
    ),
    "no messages": (lambda: cc.simulate(MULTICAST, 3), "messages must hold messages, not be 3"),
    "no message": (lambda: cc.simulate(MULTICAST, [3]), "messages[0] must be an object, not 3"),
    "waves": (lambda: cc.simulate(MULTICAST, [], waves="x.vcd"), "waves must be the name of an FST file, as run.fst"),
    "no name of waves": (
        lambda: cc.simulate(MULTICAST, [], waves=5),
        "waves must be the name of a file, not 5",
    ),
    "nameless waves": (lambda: cc.simulate(MULTICAST, [], waves=""), "waves must be the name of a file, not ''"),
    "half a stall": (
        lambda: cc.simulate(MULTICAST, [], stall=50.5),
        "stall must be an integer from 0 to 90, not 50.5",
    ),
    "half a cycle": (
        lambda: cc.simulate(MULTICAST, [], max_cycles=100.5),
        "max-cycles must be an integer from 1 to 10000000, not 100.5",
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
    "one rate": (lambda: cc.load(CROSSPOINT, rates=0.3), f"{RATES}0.3"),
    "no rate": (lambda: cc.load(CROSSPOINT, rates=["a"]), f"{RATES}('a',)"),
    "a load's seed": (lambda: cc.load(CROSSPOINT, seed=1.5), f"{SEED}1.5"),
    "a true seed": (lambda: cc.load(CROSSPOINT, seed=True), f"{SEED}True"),
    "real cycles": (lambda: cc.load(CROSSPOINT, cycles=100.0), "cycles must be a multiple of 100"),
    "a real warm-up": (lambda: cc.load(CROSSPOINT, warmup=0.0), "warmup must be a multiple of 100"),
    "real jobs": (lambda: cc.load(CROSSPOINT, jobs=1.0), "jobs must be an integer from 1 to 1024"),
    "a folder": (lambda: cc.load(CROSSPOINT, folder="/dev/null"), "folder '/dev/null' must be one that can be written"),
    "no folder": (lambda: cc.load(CROSSPOINT, folder=""), "folder must be the name of a folder, not ''"),
    "no name": (lambda: cc.load(CROSSPOINT, folder=5), "folder must be the name of a folder, not 5"),
    "reductions": (lambda: cc.load(CROSSPOINT, reductions=5), "reductions must be Reductions, not 5"),
    "another cube": (
        lambda: cc.load(CROSSPOINT, cc.Traffic(dim=3)),
        "dim of traffic must be 2, that of config, not 3",
    ),
    "traffic's dimension": (lambda: cc.Traffic(dim=3.0), "dim must be an integer from 1 to 20, not 3.0"),
    "no dimension": (lambda: cc.Traffic(dim=0), "dim must be an integer from 1 to 20, not 0"),
    "spread": (lambda: cc.Traffic(dim=2, spread="a"), "spread must be an integer from 1 to 255, not 'a'"),
    "share": (lambda: cc.Traffic(dim=2, broadcast="a"), "share of broadcasts must be a number from 0 to 1, not 'a'"),
    "lists": (lambda: cc.Traffic(dim=2, lists=4), "lists must be Lists, not 4"),
    "traffic's links": (lambda: cc.Traffic(dim=2, faulty_links=((0, 3),)), "link must join neighbours, not 0 and 3"),
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
    "no arrivals": (lambda: cc.load(CROSSPOINT, 5), "traffic must hold arrivals, not be 5"),
    "no arrival": (lambda: cc.load(CROSSPOINT, [(0, 1, 2, 4)]), f"{ARRIVAL}(0, 1, 2, 4)"),
    "an arrival's text": (
        lambda: cc.load(CROSSPOINT, [cc.Arrival(0, 1, "2 4\n0 0 1", 4)]),
        f"{ARRIVAL}Traced(cycle=0, source=1, destination='2 4",
    ),
    "rows": (lambda: cc.columns(5), "rows must hold dataclasses, not be 5"),
    "a row": (lambda: cc.columns([{"a": 1}]), "rows[0] must be a dataclass with its values, not {'a': 1}"),
    "ports": (lambda: cc.generate("router", MULTICAST, axi="no"), "axi must be True or False, not 'no'"),
    "a name": (lambda: cc.generate("router", MULTICAST, name="3d"), f"{NAME}'3d'"),
    "a command": (
        lambda: cc.generate("router", MULTICAST, command="a\nmodule b;"),
        "command must be a printable line without */, not 'a\\nmodule b;'",
    ),
    "a comment's end": (
        lambda: cc.generate("router", MULTICAST, command="a */ int b;"),
        "command must be a printable line without */, not 'a */ int b;'",
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


def test_columns_have_the_members_of_all_rows() -> None:
    """One that only some of them have is None in the others."""
    found = [None, {"words": 4, "cycles": None}, {"words": 4, "cycles": {"mean": 9.5}}]
    points = [api.loading.Point(**dict.fromkeys(FIELDS, 1) | {"reductions": reductions}) for reductions in found]
    table = cc.columns(points)
    assert list(table["reductions_cycles_mean"][2:]) == [9.5] and np.isnan(table["reductions_words"][0])
    assert {len(column) for column in table.values()} == {3}


FIELDS = [name for name in inspect.signature(cc.Point).parameters]


def test_a_simulation_tells_what_went_wrong() -> None:
    """A message to a faulty node: an error, no latency, and not good."""
    found = cc.simulate(MULTICAST, [cc.Message(source=0, destinations=[7], data=[5])], faults=[7])
    assert found.matched and not found.good
    assert [error["destinations"] for error in found.errors] == [[7]]
    with pytest.raises(ValueError, match="message must be one that was delivered, not 0"):
        found.latency(0)


def test_an_order_may_be_an_iterator() -> None:
    """All get the broadcast."""

    class Iterated(Wrong):
        def order(self, dim: int, local: int) -> Any:
            return iter(range(dim))

    assert cc.route(3, 0, policy=Iterated(), broadcast=True).edges == cc.route(3, 0, broadcast=True).edges


def test_messages_keep_what_they_are_given() -> None:
    """Arrays of NumPy, and generators, which are there again the second time; a word that is 0."""
    array = cc.Message(source=np.int64(0), destinations=np.array([1, 6]), data=np.array([0]), cycle=np.uint8(3))
    assert array == cc.Message(source=0, destinations=(node for node in (1, 6)), data=iter([0]), cycle=3)
    assert array.entry() == array.entry() == {"source": 0, "destinations": (1, 6), "data": (0,), "cycle": 3}
    assert all(type(value) is not np.int64 for value in (array.source, *array.destinations, *array.data))
    assert cc.Message(source=0, raw=np.arange(2)).entry() == {"source": 0, "raw": (0, 1), "cycle": 0}


def test_integers_may_be_those_of_numpy(tmp_path: Path) -> None:
    """They are the plain ones, in what is kept, too."""
    assert cc.Cube(np.uint8(8)).nodes == range(256)
    traffic = cc.Traffic(dim=np.int64(2), length=np.uint8(2), lists=cc.Lists(share=np.float64(0.5), members=np.int8(2)))
    assert traffic == cc.Traffic(dim=2, length=2, lists=cc.Lists(share=0.5, members=2))
    rates, cycles, seed = np.array([0.1, 0.2]), np.int64(100), np.uint64(3)
    given = cc.load(CROSSPOINT, traffic, rates, cycles=cycles, seed=seed, engine="golden", folder=tmp_path / "kept")
    plain = cc.load(CROSSPOINT, traffic, [0.1, 0.2], cycles=100, seed=3, engine="golden", folder=tmp_path / "kept")
    assert given == plain and json.loads(json.dumps(given.parameters["seed"])) == 3
    assert len((tmp_path / "kept/points.jsonl").read_text().splitlines()) == 3
    one = [cc.Arrival(np.int64(0), 0, None, np.int8(4))]
    assert cc.load(CROSSPOINT, one, engine="golden").good
    small = cc.MulticastConfig(dim=np.int64(2), lanes=np.uint8(2), fault_tolerant=np.True_)
    assert small == cc.MulticastConfig(dim=2, lanes=2, fault_tolerant=True)
    assert json.dumps(cc.NodeConfig(router=cc.PacketConfig(dim=np.int8(2)), buffers=np.int8(2)).to_json())
    assert cc.CrosspointConfig(dim=np.int8(7)).nodes == 128
    assert cc.route(2, 0, broadcast=np.True_) == cc.route(2, 0, broadcast=True)
    assert cc.reduce(2, np.arange(8).reshape(4, 2)).result == (12, 16)
    assert cc.route_packets(CROSSPOINT, 0, np.array([1]), seed=np.int64(1)).packets[0].destinations == (1,)


def test_a_refused_load_makes_no_folder(tmp_path: Path) -> None:
    """Whatever is wrong."""
    for wrong in ({"seed": 1.5}, {"rates": [0]}, {"jobs": 0}):
        with pytest.raises(ValueError):
            cc.load(CROSSPOINT, engine="golden", folder=tmp_path / "kept", **wrong)
    assert not list(tmp_path.iterdir())


def test_an_own_operation_merges() -> None:
    """Words as they are; what comes of them may be anything."""
    joined = cc.Operation("listed", lambda own, offset, piece: tuple(sorted({*own, *piece})), aligned=False)
    assert cc.reduce(2, [[3], [1], [2], [0]], joined).result == (0, 1, 2, 3)
