"""``cubecast reduce``: text, JSON, picture, errors, simulation."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest

from cubecast.cli import collective_simulation
from cubecast.cli import reduce as reduce_command
from cubecast.cli.reduce_picture import draw_stages
from cubecast.golden.collective.algorithms.merge_operations import OPERATIONS
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.result_spread import spread
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError
from cubecast.tb.harness.simulators import SimulatorError
from tests.cli.answers import answer_in
from tests.cli.collectives import agrees_with_counters, run, says_a_mismatch
from tests.collective.tree_cases import random_faults

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ["reduce", "--dim", "4", "--op", "sum", "--faulty-links", "0-4,1-5,0-8", "--fault", "2"]
KEYS = ["sink", "order", "stages", "steps", "result", "excluded"]


def answer_of(capsys, *arguments):
    """Return the JSON of a run that is well."""
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (0, "") and out.count("\n") == 1
    return answer_in(out, "reduce")


def test_json_by_hand(capsys):
    """Figure 16: links 100-110 and 100-000 and node 111 are faulty; the sum of all addresses but 7 in four steps."""
    answer = answer_of(capsys, "reduce", "--dim", "3", "--op", "sum", "--faulty-links", "4-6,4-0", "--fault", "7")
    assert list(answer) == KEYS
    assert answer == {
        "sink": 1,
        "order": [2, 1, 0],
        "stages": [
            {
                "stage": 0,
                "dimension": 2,
                "active": [4, 5, 6],
                "passive": [1, 2],
                "helpers": [5],
                "partitions": [{"from": 4, "to": 5, "part": 0, "parts": 1}],
                "detours": [],
            },
            {
                "stage": 1,
                "dimension": 1,
                "active": [2, 3],
                "passive": [0, 1],
                "helpers": [],
                "partitions": [],
                "detours": [],
            },
            {
                "stage": 2,
                "dimension": 0,
                "active": [0],
                "passive": [1],
                "helpers": [],
                "partitions": [],
                "detours": [],
            },
        ],
        "steps": 4,
        "result": [21],
        "excluded": [7],
    }


def test_all_adds_the_way_back(capsys):
    """By broadcast without faults, else from neighbour to neighbour."""
    answer = answer_of(capsys, *EXAMPLE, "--all")
    assert list(answer) == [*KEYS, "spread"]
    tree = spread(plan_merge(4, [(0, 4), (1, 5), (0, 8)], [2]))
    assert answer["spread"] == {
        "mode": "spread",
        "steps": tree.steps,
        "parents": {str(node): parent for node, parent in tree.parents.items()},
    }
    assert answer_of(capsys, "reduce", "--dim", "4", "--all")["spread"]["mode"] == "broadcast"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_values_of_a_file(capsys, tmp_path, operation):
    """Random vectors and faults: the result of the model; those of excluded nodes make no difference."""
    generator = random.Random(operation)
    place = tmp_path / "values.json"
    for _ in range(10):
        links, nodes = random_faults(3, generator)
        vectors = [sorted(generator.choices(range(1000), k=5)) for _ in range(8)]
        place.write_text(json.dumps(vectors))
        faults = [option for node in nodes for option in ("--fault", str(node))]
        faults += [option for a, b in links for option in ("--faulty-links", f"{b}-{a}")]
        try:
            plan = plan_merge(3, links, nodes)
        except NoSinkError:
            assert run(capsys, "reduce", "--dim", "3", *faults)[0] == 1
            continue
        merged = run_merge(plan, dict(enumerate(vectors)), operation)
        answer = answer_of(capsys, "reduce", "--dim", "3", "--op", operation, "--values", str(place), *faults)
        assert answer["result"] == list(merged.result) and answer["steps"] == merged.steps
        assert answer["sink"] == plan.tree.sink and answer["excluded"] == list(plan.excluded)


def test_sums_wrap_at_the_width(capsys, tmp_path):
    """As in hardware words, with and without a simulation."""
    place = tmp_path / "values.json"
    place.write_text(json.dumps([[255, 1]] * 4))
    command = ("reduce", "--dim", "2", "--values", str(place))
    assert answer_of(capsys, *command, "--width", "8")["result"] == [252, 4]
    assert answer_of(capsys, *command)["result"] == [1020, 4]
    place.write_text("[[], [], [], []]")
    assert answer_of(capsys, *command)["result"] == []
    assert "result        a vector without words" in run(capsys, *command)[1]


def test_text_shows_every_message(capsys):
    """Stage, ends, part and path of each; the counts of the stages; faults and who is excluded; the way back."""
    status, out, err = run(capsys, *EXAMPLE, "--all")
    assert (status, err) == (0, "")
    plan = plan_merge(4, [(0, 4), (1, 5), (0, 8)], [2])
    rows = re.findall(r"^ +(\d+) +(\d+) +(\d+)  ([a-z]+)[ \d of]*  ([01]{4}(?: → [01]{4})+)$", out, re.MULTILINE)
    shown = [(int(stage), kind, tuple(int(n, 2) for n in way.split(" → "))) for stage, _, _, kind, way in rows]
    kinds = {"direct": "all", "part": "part", "detour": "detour"}
    assert shown == [(stage.index, kinds[hop.kind], hop.path) for stage in plan.stages for hop in stage.messages]
    assert all((int(a), int(b)) == (hop[2][0], hop[2][-1]) for (_, a, b, *_), hop in zip(rows, shown, strict=True))
    for line in (
        "global merge (sum) in a 4-cube",
        "sink          7 (0111)",
        "dimensions    2, 1, 0, 3: one for each stage",
        "faulty links  0-4, 1-5, 0-8",
        "faulty nodes  2",
        "excluded      2",
        "steps         8: 4 stages, 1 of them faulty",
        "result        118",
        "to all nodes  4 more steps, from neighbour to neighbour",
        "stage  dimension  steps  active  passive  helpers  parts  detours",
        "    0          2      5       7        6        2      2        1",
        "          7  6, 5, 3, 15",
    ):
        assert f"{line}\n" in out
    assert "part 2 of 2" in out
    assert "result from" not in run(capsys, "reduce", "--dim", "4", "--all")[1]


def test_large_cubes(capsys):
    """The text is cut and says so; n = 12 takes a second."""
    start = time.process_time()
    status, out, _ = run(capsys, "reduce", "--dim", "12", "--faulty-links", "0-1", "--all")
    assert time.process_time() - start < 3
    assert status == 0 and "... and 4055 more\n" in out and "more (all with --json)" in out and out.count("→") == 40


def test_no_sink_is_status_1_with_the_reason(capsys):
    """On standard error, with --json on standard output too; nothing else is printed."""
    for more in ([], ["--json"]):
        status, out, err = run(capsys, "reduce", "--dim", "2", "--fault", "0,3", *more)
        assert status == 1 and out == (json.dumps({"error": err[len("cubecast reduce: ") : -1]}) + "\n" if more else "")
        assert err == (
            "cubecast reduce: no sink: faults must leave a sink, a node whose 2 links and neighbours are all good, "
            "not a fault at every node\n"
        )


LINKS = "must be links by their two ends, separated by commas, such as 10-11,4-6"
ERRORS = [
    (["--op", "sum"], "the following arguments are required: --dim"),
    (["--dim", "0"], "dim must be an integer from 1 to 20, not 0"),
    (["--dim", "21"], "dim must be an integer from 1 to 20, not 21"),
    (["--dim", "3", "--fault", "8"], "fault must be an integer from 0 to 7, not 8"),
    (["--dim", "3", "--faulty-links", "0-3"], "link must join neighbours, not 0 and 3"),
    (["--dim", "3", "--faulty-links", "0-8"], "end of a link must be an integer from 0 to 7, not 8"),
    (["--dim", "3", "--faulty-links", "0"], f"argument --faulty-links: {LINKS}, not '0'"),
    (["--dim", "3", "--faulty-links", "0-1-3"], f"argument --faulty-links: {LINKS}, not '0-1-3'"),
    (["--dim", "3", "--faulty-links", "0-1,,2-3"], f"argument --faulty-links: {LINKS}, not '0-1,,2-3'"),
    (["--dim", "3", "--faulty-links=-1-0"], f"argument --faulty-links: {LINKS}, not '-1-0'"),
    (
        ["--dim", "3", "--op", "mean"],
        "argument --op: invalid choice: 'mean' (choose from 'sum', 'min', 'max', 'and', 'or', 'xor', 'sorted', "
        "'min-signed', 'max-signed')",
    ),
    *(
        (
            ["--dim", "3", "--width", f"{width}"],
            f"width must be an integer from 3 to 512 for the addresses that are merged without --values, not {width}",
        )
        for width in (0, 2, 513)
    ),
    (["--dim", "3", "--simulator", "icarus"], "simulator must be left out without --simulate, not icarus"),
    (["--dim", "1", "--simulate"], "dim must be an integer from 2 to 6 with --simulate, not 1"),
    (["--dim", "7", "--simulate"], "dim must be an integer from 2 to 6 with --simulate, not 7"),
    (["--dim", "2", "--simulate", "--width", "8"], "width must be at least 16 in a node with collectives, not 8"),
    (
        ["--dim", "2", "--simulate", "--op", "sorted"],
        "op must be one of those of the hardware with --simulate, not 'sorted'",
    ),
    (["--dim", "1", "--svg", "x.svg"], "dim must be an integer from 2 to 5 for a picture, not 1"),
]


@pytest.mark.parametrize(("arguments", "line"), ERRORS, ids=[line[:40] for _, line in ERRORS])
def test_bad_usage_is_one_line_and_status_2(capsys, tmp_path, monkeypatch, arguments, line):
    """The line names the parameter, its value, and what is allowed; nothing goes to standard output, or to a file."""
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "reduce", *arguments) == (2, "", f"cubecast reduce: {line}\n")
    assert not any(tmp_path.iterdir())


FILES = [
    ("{}", "values must be a list of 4 vectors, one for each node, not {}"),
    ("[[1], [2]]", "values must be a list of 4 vectors, one for each node, not 2 items"),
    ("[[1], 2, [3], [4]]", "values[1] must be a list of integers, not 2"),
    ("[[1], [2], [3, 3], [4]]", "values[2] must have 1 words as values[0] has, not 2"),
    ("[[1], [2], [3], [-4]]", "values[3][0] must be an integer from 0 to 4294967295, not -4"),
    ("[[1], [2], [true], [4]]", "values[2][0] must be an integer from 0 to 4294967295, not True"),
    ("[[1], [2], [3.5], [4]]", "values[2][0] must be an integer from 0 to 4294967295, not 3.5"),
    ("[[1], [4294967296], [3], [4]]", "values[1][0] must be an integer from 0 to 4294967295, not 4294967296"),
]


@pytest.mark.parametrize(("text", "line"), FILES)
def test_bad_values_are_one_line_and_status_2(capsys, tmp_path, text, line):
    """The line names the place in the file."""
    place = tmp_path / "values.json"
    place.write_text(text)
    done = run(capsys, "reduce", "--dim", "2", "--values", str(place))
    assert done == (2, "", f"cubecast reduce: {line}\n")


def test_values_that_cannot_be_read(capsys, tmp_path):
    """No file, no JSON, sequences that are not sorted, a width in which the limit has too many digits."""
    place = tmp_path / "values.json"
    status, out, err = run(capsys, "reduce", "--dim", "2", "--values", str(place))
    assert (status, out) == (2, "") and err.startswith("cubecast reduce: values file ") and err.count("\n") == 1
    place.write_text("[")
    status, out, err = run(capsys, "reduce", "--dim", "2", "--values", str(place))
    assert (status, out) == (2, "") and "must be JSON; line 1" in err
    place.write_text("[[2, 1], [1, 2], [1, 2], [1, 2]]")
    done = run(capsys, "reduce", "--dim", "2", "--values", str(place), "--op", "sorted")
    assert done == (2, "", "cubecast reduce: contributions must be sorted, not that of node 0\n")
    place.write_text(json.dumps([[1 << 70]] * 4))
    done = run(capsys, "reduce", "--dim", "2", "--values", str(place), "--width", "70")
    line = "values[0][0] must be an integer from 0 to 2^70 - 1, not 1180591620717411303424"
    assert done == (2, "", f"cubecast reduce: {line}\n")


def test_picture(capsys, tmp_path):
    """The file is the picture of the stages; JSON stays JSON, text names the file; a bad place leaves nothing."""
    picture = tmp_path / "stages.svg"
    drawn = draw_stages(plan_merge(4, [(0, 4), (1, 5), (0, 8)], [2]), [(0, 4), (1, 5), (0, 8)])
    assert answer_of(capsys, *EXAMPLE, "--svg", str(picture))["sink"] == 7
    assert picture.read_text() == drawn
    assert run(capsys, *EXAMPLE, "--svg", str(picture))[1].endswith(f"\npicture: {picture}\n")
    assert list(tmp_path.iterdir()) == [picture]
    status, out, err = run(capsys, *EXAMPLE, "--svg", str(tmp_path / "none" / "x.svg"))
    assert (status, out) == (2, "") and err.startswith("cubecast reduce: output file ")


def test_help_teaches(capsys):
    """What it is for, the values file, the keys of the JSON, the exit status."""
    status, out, err = run(capsys, "reduce", "--help")
    assert (status, err) == (0, "")
    for word in ("parts", "detour", "values file", '"sink"', '"stages"', "exit status: 0; 1 if there is no sink"):
        assert word in out
    out = " ".join(out.split())
    assert "dimension n of the cube, 1 to 20; crosspoint: 2 to 10" in out
    assert "1 to 512, with --simulate 16 to 512; crosspoint: 8 to 64; without --values n at least (default 32)" in out


EXAMPLES = [line for line in reduce_command.EXAMPLES.splitlines() if "--simulate" not in line]


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_of_the_help_work(capsys, tmp_path, monkeypatch, line):
    """Each example of ``cubecast reduce --help`` as it stands; the one with a simulation has a test of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    status, out, err = run(capsys, *line.split()[1:])
    assert (status, err) == (0, "") and out


SIMULATED = ["reduce", "--dim", "3", "--op", "sum", "--faulty-links", "2-3,6-7", "--all", "--simulate"]


@pytest.mark.core
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_simulation(capsys, tmp_path, simulator):
    """The network has the same result everywhere, in as many steps; text and JSON say so."""
    status, out, _ = run(capsys, *SIMULATED, "--simulator", simulator, "--json", "--explore", str(tmp_path / "out"))
    answer = answer_in(out, "reduce")
    assert status == 0 and list(answer) == [*KEYS, "spread", "golden", "simulation"]
    agrees_with_counters(tmp_path / "out", simulator, answer["simulation"])
    assert answer["golden"] == "match" and answer["result"] == [28]
    found = answer["simulation"]
    assert list(found) == ["clocks", "steps", "waited", "words"]
    assert found["steps"] == answer["steps"] and found["clocks"] > 50 and found["words"] > 100
    status, out, err = run(capsys, *SIMULATED, "--simulator", simulator, "--explore", str(tmp_path / "text"))
    page = tmp_path / "text" / "index.html"
    assert (status, err) == (0, "") and out.endswith(f"\ngolden: match\npage: {page}\n") and page.exists()
    numbers = [str(found[name]) for name in ("clocks", "words", "waited", "steps")]
    assert re.search(rf"^this operation +{' +'.join(numbers)}$", out, re.MULTILINE)
    # a barrier, and a result for the sink only
    place = tmp_path / "values.json"
    place.write_text(json.dumps([[]] * 8))
    for more in (["--all", "--values", str(place)], ["--op", "max"]):
        answer = answer_of(capsys, "reduce", "--dim", "3", "--simulate", "--simulator", simulator, *more)
        assert answer["golden"] == "match" and answer["result"] == ([7] if "max" in more else [])


def test_the_example_with_a_simulation_is_the_one_above():
    """So all examples work; those of join units are run beside."""
    lines = [line.split()[1:] for line in reduce_command.EXAMPLES.splitlines() if "--simulate" in line]
    assert [line for line in lines if "--router" not in line] == [SIMULATED]


def test_simulation_that_does_not_agree(capsys, monkeypatch):
    """A mismatch, another result, a simulator that fails or is missing: the text says what."""
    says_a_mismatch(capsys, monkeypatch, SIMULATED)

    def other(config, groups, *arguments, **settings):
        nothing = [[0] * config.router.ports for _ in range(config.nodes)]
        vectors = [[[28 + (node == 5)]] for node in range(config.nodes)]
        return [{"clocks": 9, "steps": 3, "waited": nothing, "words": nothing, "vectors": vectors}]

    monkeypatch.setattr(collective_simulation, "play", other)
    status, out, err = run(capsys, *SIMULATED)
    assert (status, err) == (1, "") and out.endswith("\nnode 5 gives [[29]], not [[28]]\ngolden: mismatch\n")

    def broken(*arguments, **settings):
        raise SimulatorError("no compiler")

    monkeypatch.setattr(collective_simulation, "play", broken)
    assert run(capsys, *SIMULATED) == (3, "", "cubecast reduce: no compiler\n")
    monkeypatch.setattr(collective_simulation, "simulators", list)
    line = "cubecast reduce: simulator must be one that is installed (none), not 'verilator'\n"
    assert run(capsys, *SIMULATED) == (2, "", line)


def test_what_is_simulated(capsys, monkeypatch, tmp_path):
    """Room for longer vectors and for more detours, up to what the hardware can have."""
    configs = []

    def keep(config, groups, *arguments, **settings):
        configs.append(config)
        raise SimulatorError("kept")

    monkeypatch.setattr(collective_simulation, "play", keep)
    place = tmp_path / "values.json"
    for words, longest in ((64, 64), (65, 128), (4096, 4096)):
        place.write_text(json.dumps([[1] * words] * 4))
        run(capsys, "reduce", "--dim", "2", "--values", str(place), "--simulate")
        assert (configs[-1].max_vector, configs[-1].max_relays, configs[-1].width) == (longest, 4, 32)
    place.write_text(json.dumps([[1] * 4097] * 4))
    done = run(capsys, "reduce", "--dim", "2", "--values", str(place), "--simulate")
    assert done == (2, "", "cubecast reduce: vectors must have at most 4096 words with --simulate, not 4097\n")
    run(capsys, "reduce", "--dim", "2", "--simulate", "--width", "64")
    assert configs[-1].width == 64
