"""``cubecast reduce --router crosspoint``: text, JSON, errors, simulation."""

import json
import random

import pytest

from cubecast.cli import reduce_crosspoint
from cubecast.golden.reduction.algorithms.tree import join_cycles, plan_group
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.reduction.playback import play_golden
from tests.cli.answers import answer_in
from tests.cli.collectives import run

COMMAND = ("reduce", "--router", "crosspoint", "--dim", "3")


@pytest.fixture
def golden(monkeypatch):
    """Simulate the golden network alone."""
    monkeypatch.setattr(
        reduce_crosspoint, "play", lambda config, groups, simulator, **more: play_golden(config, groups, **more)
    )


def answer_of(capsys, *arguments):
    """Return the JSON of a run that is well."""
    status, out, err = run(capsys, *COMMAND, *arguments, "--json")
    assert (status, err) == (0, "") and out.count("\n") == 1
    return answer_in(out, "reduce")


def test_json_is_that_of_the_planner(capsys, golden):
    """The tree, who is excluded, the result, and the cycles of the tree, which are those of a simulation."""
    faults = ("--faulty-links", "0-1,2-3", "--fault", "5", "--all")
    answer = answer_of(capsys, *faults)
    tree = plan_group(3, links=[(0, 1), (2, 3)], faults=[5])
    assert answer == {
        "router": "crosspoint",
        "result": [23],
        "excluded": [5],
        "cycles": join_cycles(tree),
        "tree": {
            "root": tree.root,
            "parent": {str(node): up for node, up in tree.parents.items()},
            "depth": tree.depth,
            "least": tree.least,
        },
    }
    assert answer_of(capsys, *faults, "--simulate") == answer | {"golden": "match"}


def test_values_of_a_file(capsys, golden, tmp_path):
    """Every operation, of vectors with a word of 64 bits whose sign counts."""
    generator, place = random.Random(1), tmp_path / "values.json"
    vectors = [[generator.getrandbits(64), node << 61] for node in range(8)]
    place.write_text(json.dumps(vectors))
    firsts = [words[0] for words in vectors]
    signed = [word - (word >> 63 << 64) for word in firsts]
    wanted = {
        "sum": [sum(firsts) % 2**64, sum(range(8)) * 2**61 % 2**64],
        "min": [min(firsts), 0],
        "max-signed": [max(signed) % 2**64, 3 << 61],
    }
    for name, result in wanted.items():
        given = ("--op", name, "--width", "64", "--values", str(place), "--simulate")
        assert answer_of(capsys, *given)["result"] == result
    assert set(wanted) < set(reduce_crosspoint.OPERATIONS)


def test_groups_that_overlap_have_a_context_each(capsys, golden):
    """Rows in one, a column in the other; each has its result; the cycles are those of the last group."""
    groups = ("--contexts", "2", "--group", "0,1,2,3", "--group", "4,5,6,7", "--group", "3,7", "--all")
    answer = answer_of(capsys, *groups)
    found = answer["groups"]
    assert [each["members"] for each in found] == [[0, 1, 2, 3], [4, 5, 6, 7], [3, 7]]
    assert [each["context"] for each in found] == [0, 0, 1]
    assert [each["result"] for each in found] == [[6], [22], [10]]
    assert answer["cycles"] == max(each["cycles"] for each in found)
    assert answer_of(capsys, *groups, "--simulate") == answer | {"golden": "match"}
    status, out, _ = run(capsys, *COMMAND, *groups)
    assert status == 0 and "\ngroup         3, 7, context 1\nroot          3 (011)\n" in out
    assert out.startswith("reduction (sum)") and out.count("\n\nreduction (sum)") == 2


def test_cycles_of_trees_that_share_links_are_counted_by_a_simulation_alone(capsys, golden, tmp_path):
    """Of 20 words each, all nodes and a link: without a simulation those of each tree alone, as help and text say."""
    place = tmp_path / "values.json"
    place.write_text(json.dumps([[node] * 20 for node in range(4)]))
    command = ("reduce", "--router", "crosspoint", "--dim", "2", "--contexts", "2", "--values", str(place), "--all")
    command += ("--group", "0,1,2,3", "--group", "0,1")
    trees = [plan_group(2), plan_group(2, [0, 1])]
    alone = [join_cycles(tree) + 19 for tree in trees]
    answer = json.loads(run(capsys, *command, "--json")[1])
    assert [each["cycles"] for each in answer["groups"]] == alone and answer["cycles"] == max(alone)
    out = run(capsys, *command)[1]
    assert all(f"\ncycles        {cycles}, this tree alone\n" in out for cycles in alone)
    together = json.loads(run(capsys, *command, "--json", "--simulate")[1])
    assert together["golden"] == "match" and together["cycles"] > max(alone) + 15


def test_text_draws_the_tree(capsys):
    """Dimension and node, below its parent; faults and who is excluded."""
    status, out, _ = run(capsys, "reduce", "--router", "crosspoint", "--dim", "2", "--fault", "3")
    assert status == 0
    assert out == (
        "reduction (sum) by join units in a 2-cube\n"
        "root          0 (00)\n"
        "faulty nodes  3\n"
        "excluded      3\n"
        "depth         1\n"
        "cycles        11, without other traffic\n"
        "result        3\n"
        "\n"
        "0 (00)\n"
        "├─0→ 1 (01)\n"
        "└─1→ 2 (10)\n"
    )


@pytest.mark.soak
def test_on_the_rtl_network(capsys, simulator):
    """Both sides agree, and take the cycles of the tree."""
    command = ("reduce", "--router", "crosspoint", "--dim", "2", "--simulate", "--simulator", simulator, "--all")
    status, out, _ = run(capsys, *command)
    assert status == 0 and out.endswith("\n\ngolden: match\n")
    assert f"\ncycles        15, simulated on {simulator}\n" in out


def test_a_wrong_result_is_told(capsys, monkeypatch):
    """Line by line, on standard error with --json; the status is 1."""

    def wrong(config, groups, simulator):
        """Run the golden network, and change a result."""
        record = play_golden(config, groups)
        record["results"]["4"][0][1] += 1
        return record

    monkeypatch.setattr(reduce_crosspoint, "play", wrong)
    status, out, _ = run(capsys, *COMMAND, "--simulate")
    assert status == 1 and out.endswith("\n\nnode 4 gets [29], not [28]\ngolden: mismatch\n")
    status, out, err = run(capsys, *COMMAND, "--simulate", "--json")
    assert (status, err) == (1, "node 4 gets [29], not [28]\n") and json.loads(out)["golden"] == "mismatch"


def test_a_tree_over_a_dead_link_is_told(capsys, golden, monkeypatch):
    """The routers know of the link: no result comes, whatever the planner says."""
    tree = plan_group(3)
    child, parent = next(iter(tree.parents.items()))
    monkeypatch.setattr(reduce_crosspoint, "_planned", lambda *_: [(0, tree)])
    for faults in (("--faulty-links", f"{child}-{parent}"), ("--fault", f"{child}")):
        status, out, _ = run(capsys, *COMMAND, *faults, "--simulate")
        assert status == 1 and "\n\nnot all results came\nnode 0 gets [], not [28]\n" in out
        assert out.endswith("\ngolden: mismatch\n")


def test_sides_that_differ_are_told(capsys, monkeypatch):
    """What the harness says of the first difference; the status is 1."""

    def differ(config, groups, simulator):
        """Find a difference."""
        raise Mismatch("cycle 7\nown_ready")

    monkeypatch.setattr(reduce_crosspoint, "play", differ)
    status, out, _ = run(capsys, *COMMAND, "--simulate")
    assert status == 1 and out.endswith("\n\ncycle 7\nown_ready\ngolden: mismatch\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            (("--dim", f"{dim}"), f"dim must be an integer from 2 to 10 with --router crosspoint, not {dim}")
            for dim in (0, 1, 11)
        ),
        (("--op", "sorted"), "op must be one of sum, min, max, and, or, xor, min-signed, max-signed with --router "),
        (("--width", "70"), "width must be at most 64 in a node with a join unit, not 70"),
        (("--dim", "7", "--simulate"), "dim must be an integer from 2 to 6 with --simulate, not 7"),
        (("--svg", "tree.svg"), "svg must be left out with --router crosspoint: its tree is in the text"),
        (("--group", "0,1", "--group", "1,2"), "contexts must be more than 1 for groups 0 and 1 with node 1"),
        (("--group", "0,9"), "member must be an integer from 0 to 7, not 9"),
        (("--contexts", "3"), "contexts must be an integer from 1 to 2, not 3"),
        (("--router", "multicast", "--group", "0,1"), "group must be left out without --router crosspoint"),
        (("--router", "multicast", "--contexts", "2"), "contexts must be left out without --router crosspoint"),
        (("--faulty-links", "0-3"), "link must join neighbours, not 0 and 3"),
    ],
)
def test_errors_are_one_line(capsys, arguments, message):
    """With status 2; an operation of the join units is none of the collective unit."""
    status, out, err = run(capsys, *COMMAND, *arguments)
    assert (status, out) == (2, "") and err.startswith(f"cubecast reduce: {message}") and err.count("\n") == 1


def test_a_cube_too_large_to_simulate_is_told_before_a_tree_is_sought(capsys, monkeypatch):
    """In the largest cubes the search takes some ten seconds."""
    monkeypatch.setattr(reduce_crosspoint, "plan_group", None)
    line = "cubecast reduce: dim must be an integer from 2 to 6 with --simulate, not 10\n"
    assert run(capsys, *COMMAND, "--dim", "10", "--simulate") == (2, "", line)


def test_no_tree_is_told(capsys):
    """Three children are needed, or no node is left: status 1."""
    star = ",".join(str(node) for node in range(16) if node not in (0, 1, 2, 4, 8))
    status, out, err = run(capsys, "reduce", "--router", "crosspoint", "--dim", "4", "--fault", star, "--json")
    assert status == 1 and "one with 3 there is" in err and err.count("\n") == 1
    assert json.loads(out) == {"error": err.removeprefix("cubecast reduce: ").strip()}
    assert run(capsys, "reduce", "--op", "min-signed", "--dim", "3")[0] == 2
