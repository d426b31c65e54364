"""``cubecast route --router crosspoint``: text, JSON, errors."""

import json
import re

import pytest

from cubecast.cli import main
from tests.cli.answers import answer_in

ROUTE = ["route", "--router", "crosspoint"]


def run(capsys, *arguments):
    """Run the command line in this process; return status, standard output, standard error."""
    status = main([*ROUTE, *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_json_of_a_list(capsys):
    """All keys; every destination at the end of a hop of its packet, the hops of a path in the order of their steps."""
    status, out, err = run(capsys, "--dim", "6", "--source", "5", "--dest", "1,2,9,62", "--json")
    answer = answer_in(out, "route")
    assert (status, err) == (0, "")
    parameters = ["router", "dim", "runs", "multicast", "width", "source", "destinations", "policy", "faults"]
    assert list(answer) == [*parameters, "faulty_links", "links", "steps", "packets", "unreachable"]
    assert answer["destinations"] == [1, 2, 9, 62] and answer["unreachable"] == []
    (lists, alone) = answer["packets"]
    assert (lists["destinations"], alone["destinations"]) == ([1, 2, 9], [62])
    (leg,) = lists["legs"]
    assert (leg["kind"], leg["source"], leg["r1"], leg["r2"]) == ("bitmap", 5, [], [])
    assert leg["bitmap"] == sum(1 << (node ^ 5) for node in (1, 2, 9))
    places = {5: 0}
    for hop in leg["hops"]:
        assert hop["step"] == places[hop["from"]] + 1 and hop["to"] == hop["from"] ^ 1 << hop["dimension"]
        places[hop["to"]] = hop["step"]
    assert {1, 2, 9} <= set(places)
    assert alone["legs"][0]["r1"] == [5, 4, 3, 1, 0]
    assert answer["links"] == sum(len(leg["hops"]) for packet in answer["packets"] for leg in packet["legs"]) == 10
    assert answer["steps"] == 5


def test_text_of_a_relay(capsys):
    """Both legs, and what is faulty."""
    status, out, _ = run(capsys, "--dim", "3", "--source", "0", "--dest", "4", "--faulty-links", "4-0")
    assert status == 0
    assert "faulty links  0-4" in out and "links         3" in out and "all destinations reached" in out
    assert re.findall(r"─(\d)→ (\d) [01]{3}( \*)?", out) == [("0", "1", " *"), ("2", "5", ""), ("0", "4", " *")]
    assert "packet 1: unicast, r1 {2 0}, r2 {}, sent on by the relay" in out


def test_what_is_not_reached_is_named(capsys):
    """Status 1, with the reason, in both outputs."""
    arguments = ["--dim", "3", "--source", "0", "--dest", "3,5,7", "--fault", "3,5,6"]
    status, out, _ = run(capsys, *arguments)
    assert status == 1
    assert "unreachable: 5: the node is faulty" in out and "all destinations" not in out
    status, out, _ = run(capsys, *arguments, "--json")
    answer = json.loads(out)
    assert status == 1 and answer["packets"] == []
    assert [each["node"] for each in answer["unreachable"]] == [3, 5, 7]
    assert answer["unreachable"][2]["reason"] == "no way of working links and nodes leads there"


def test_policies_draw_by_the_seed(capsys):
    """The same seed gives the same paths, another one others; a broadcast needs one packet, or a unicast for each."""
    arguments = ["--dim", "5", "--source", "6", "--dest", "25", "--policy", "valiant", "--json"]
    drawn = [answer_in(run(capsys, *arguments, "--seed", str(seed))[1], "route") for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    answer = json.loads(run(capsys, "--dim", "3", "--source", "1", "--broadcast", "--fault", "2", "--json")[1])
    assert answer["destinations"] == [0, 3, 4, 5, 6, 7] and len(answer["packets"]) == 1
    answer = json.loads(run(capsys, "--dim", "3", "--source", "1", "--broadcast", "--no-multicast", "--json")[1])
    assert len(answer["packets"]) == 7


ERRORS = [
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--policy", "greedy"],
        "policy must be one of e-cube, either, random, valiant with the crosspoint router, not 'greedy'",
    ),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--router", "multicast", "--policy", "either"],
        "policy must be one of greedy, ordered, optimal, unicast, spare with the multicast router, not 'either'",
    ),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--svg", "x.svg"],
        "svg must be given with the multicast router only, not with the crosspoint router",
    ),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--router", "multicast", "--faulty-links", "0-1"],
        "faulty-links must be given with the crosspoint router only, not with the multicast router",
    ),
    (["--dim", "11", "--source", "0", "--dest", "1"], "dim must be an integer from 2 to 10, not 11"),
    (["--dim", "3", "--source", "8", "--dest", "1"], "source must be an integer from 0 to 7, not 8"),
    (["--dim", "3", "--source", "0", "--dest", "8"], "destination must be an integer from 0 to 7, not 8"),
    (["--dim", "3", "--source", "0", "--dest", "1", "--runs", "3"], "runs must be an integer from 1 to 2, not 3"),
    (["--dim", "3", "--source", "0", "--dest", "1", "--width", "4"], "width must be an integer from 8 to 512, not 4"),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--runs", "1", "--policy", "random"],
        "policy must be e-cube when runs is 1, not 'random'",
    ),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--faulty-links", "0-3"],
        "link must join neighbours, not 0 and 3",
    ),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--broadcast"],
        "one of --dest and --broadcast must be given with the crosspoint router, not both",
    ),
    (["--dim", "3", "--source", "0", "--dest", "0"], "dest must be another node than the source, not 0 alone"),
    (
        ["--dim", "3", "--source", "0", "--dest", "1", "--seed", "-5"],
        "seed must be an integer from 0 to 2**64 - 1, not -5",
    ),
    (["--dim", "3", "--source", "0"], "one of --dest and --broadcast is required"),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, line):
    """The line names the parameter, its value, and what is allowed."""
    assert run(capsys, *arguments) == (2, "", f"cubecast route: {line}\n")
