"""Pages of saved results: the run is run again, and its page is that of ``--explore``; anything else is refused."""

import argparse
import copy
import json
from pathlib import Path

import pytest

from cubecast.cli import main, parser
from cubecast.cli.saved import COMMANDS, FILES, PLACES, Run
from cubecast.options.arguments import file_name, folder_name
from cubecast.tb.multicast import playback
from tests.cli import wrong_delivery

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

GOLDEN = {
    "route": "route --dim 5 --source 6 --dest 7,20 --dest=29,18 --fault 4",
    "unreached": "route --dim 3 --source 0 --broadcast --fault 3,5,6",
    "packets": "route --router crosspoint --dim 3 --source 0 --dest 4 --faulty-links 0-4 --seed 3",
    "merge": "reduce --dim 3 --op max --values input.json --fault 5 --all",
    "join": "reduce --router crosspoint --dim 3 --values input.json --contexts 2 --group 0,1,2,3 --group 3,7,6 --all",
    "ring": "ring --dim 3 --nodes 0,3,5,6 --svg ring.svg",
}

HARDWARE = {
    "multicast": "simulate --dim 3 --messages mixed.json --stall 30 --seed 4 --fault 3",
    "standstill": "simulate --dim 3 --lanes 1 --messages deadlock.json",
    "packet": "simulate --dim 3 --router packet --messages packets.json",
    "programs": "simulate --dim 3 --router packet --programs programs.json",
    "crosspoint": "simulate --dim 3 --router crosspoint --policy valiant --messages subcubes.json",
    "merge": "reduce --dim 3 --op sum --faulty-links 2-3,6-7 --all --simulate",
    "join": "reduce --router crosspoint --dim 3 --fault 5 --all --simulate",
    "ring": "ring --dim 3 --nodes 0,3,5,6 --simulate",
    "load": "load --router crosspoint --dim 2 --cycles 100 --rates 0.2",
}


def saved(capsys, line, status=0):
    """Return the result that a command prints, and see that it is written where it runs."""
    assert main([*line.split(), "--json"]) == status
    result = json.loads(capsys.readouterr().out)
    Path("result.json").write_text(json.dumps(result))
    return result


def same_page(capsys, monkeypatch, tmp_path, line, status=0):
    """See that the page of the saved result is that of ``--explore``, without the files that the command has read."""
    monkeypatch.chdir(tmp_path)
    saved(capsys, line, status)
    assert main([*line.split(), "--explore", "shown"]) == status
    capsys.readouterr()
    for read in ("input.json", *(f"{name}.json" for name in ("mixed", "deadlock", "packets", "programs", "subcubes"))):
        Path(read).unlink(missing_ok=True)
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert main(["explore", "../result.json", "-o", "again"]) == 0
    told = f"cubecast {line.split()[0]} was run again, with the result that was saved"
    assert capsys.readouterr().out == f"{told}\nagain/index.html\nagain/recording.jsonl\n"
    for name in ("index.html", "recording.jsonl"):
        assert Path("again", name).read_bytes() == Path("../shown", name).read_bytes()
    # Nothing that the command was told to write is written anew.
    assert [each.name for each in Path().iterdir()] == ["again"]


@pytest.mark.parametrize("name", GOLDEN)
def test_the_page_of_a_saved_result(capsys, monkeypatch, tmp_path, name):
    """Of each command without hardware, loads being below: the very same files, from any folder, and nothing else."""
    (tmp_path / "input.json").write_text(json.dumps([[node, 9 - node] for node in range(8)]))
    same_page(capsys, monkeypatch, tmp_path, GOLDEN[name], int(name == "unreached"))


@pytest.mark.soak
@pytest.mark.parametrize("name", HARDWARE)
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_the_page_of_a_saved_result_of_the_rtl(capsys, monkeypatch, tmp_path, simulator, name):
    """The same of each command that runs hardware; a run that ends in a standstill, too."""
    for each in EXAMPLES.glob("*.json"):
        (tmp_path / each.name).write_text(each.read_text())
    same_page(capsys, monkeypatch, tmp_path, HARDWARE[name], int(name in ("multicast", "standstill")))


@pytest.mark.soak
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_a_result_with_a_mismatch_is_one_as_long_as_there_is_one(capsys, monkeypatch, tmp_path, simulator):
    """The page tells of it, as ``--explore`` does; a result that says so is refused when both sides agree."""
    monkeypatch.chdir(tmp_path)
    bench = playback.BENCH
    monkeypatch.setattr(playback, "BENCH", wrong_delivery.MULTICAST)
    result = saved(capsys, f"simulate --dim 3 --messages {EXAMPLES / 'mixed.json'} --simulator {simulator}", 1)
    assert result["golden"] == "mismatch"
    assert main(["explore", "result.json", "-o", "again"]) == 0
    capsys.readouterr()
    assert json.loads(Path("again/recording.jsonl").read_text().splitlines()[0])["golden"] == "mismatch"
    monkeypatch.setattr(playback, "BENCH", bench)
    assert main(["explore", "result.json", "-o", "page"]) == 2
    assert "must be what its run gives now: cycles is" in capsys.readouterr().err and not Path("page").exists()


def refused(capsys, told, *more):
    """See that the file is refused in one line, and nothing is written."""
    assert main(["explore", "result.json", "-o", "page", *more]) == 2
    assert capsys.readouterr() == ("", f"cubecast explore: {told}\n")
    assert not Path("page").exists()


def test_a_result_that_the_run_does_not_give_is_refused(capsys, monkeypatch, tmp_path):
    """The line names the first place where they differ: a value, its type, one too many or too few."""
    monkeypatch.chdir(tmp_path)
    result = saved(capsys, "ring --dim 3 --nodes 0,3,5")

    def differs(change, told):
        changed = copy.deepcopy(result)
        change(changed)
        Path("result.json").write_text(json.dumps(changed))
        refused(capsys, f"result 'result.json' must be what its run gives now: {told}")

    hops = result["max_hops"]
    differs(lambda it: it.update(max_hops=hops + 1), f"max_hops is {hops}, not {hops + 1}")
    differs(lambda it: it.update(disjoint=1), "disjoint is True, not 1")
    differs(lambda it: it.pop("disjoint"), "disjoint is there in one of them alone")
    differs(lambda it: it.update(more=[]), "more is there in one of them alone")
    last = result["paths"][2][-1]
    differs(lambda it: it["paths"][2].append(7), f"paths[2] is {result['paths'][2]}, not {[*result['paths'][2], 7]}")
    differs(lambda it: it["paths"][2].__setitem__(-1, 7), f"paths[2][{len(result['paths'][2]) - 1}] is {last}, not 7")
    differs(lambda it: it["run"].update(arguments=["--dim", "3", "--nodes", "3,5"]), "ring is [3, 5], not [0, 3, 5]")


def test_one_offered_load_of_several(capsys, monkeypatch, tmp_path):
    """``--rate`` says which; without it, or with another, nothing is run."""
    monkeypatch.chdir(tmp_path)
    # A busy machine would say how far it is, beside the one line.
    monkeypatch.setattr("cubecast.options.progress.PATIENCE", 1000.0)
    line = "load --router crosspoint --dim 2 --cycles 100 --engine golden --jobs 1 --rates"
    result = saved(capsys, f"{line} 0.2,0.55")
    assert main([*line.split(), "0.55", "--explore", "shown"]) == 0
    capsys.readouterr()
    # Only the processor time may be another.
    result["points"][1]["seconds"] += 1
    text = json.dumps(result, indent=1)
    Path("result.json").write_text(text)
    allowed = "rate must be one of the offered loads of result 'result.json', 0.2, 0.55, not"
    refused(capsys, f"{allowed} left out")
    refused(capsys, f"{allowed} 0.3", "--rate", "0.3")
    assert main(["explore", "result.json", "-o", "again", "--rate", "0.55"]) == 0
    for name in ("index.html", "recording.jsonl"):
        assert Path("again", name).read_bytes() == Path("shown", name).read_bytes()
    capsys.readouterr()
    result["points"][0]["rate"] = None
    Path("result.json").write_text(json.dumps(result))
    refused(capsys, "rate must be one of the offered loads of result 'result.json', None, 0.55, not left out")
    result["points"][1]["messages"] += 1
    Path("result.json").write_text(json.dumps(result))
    found = result["points"][1]["messages"]
    told = f"points[0].messages is {found - 1}, not {found}"
    refused(capsys, f"result 'result.json' must be what its run gives now: {told}", "--rate", "0.55")
    Path("result.json").write_text(text[: len(text) // 2])
    allowed = "a recording, or the result of a command with --json"
    refused(capsys, f"file 'result.json' must be {allowed}, not {text[:40]!r}")


def test_a_trace_must_be_the_one_that_was_loaded(capsys, monkeypatch, tmp_path):
    """It is found from any folder; a changed one, or none, is refused."""
    monkeypatch.chdir(tmp_path)
    Path("trace.txt").write_text("3 0 3 20\n0 1 all 5\n110 2 1 255\n")
    saved(capsys, "load --router crosspoint --dim 2 --traffic=trace:trace.txt --engine golden")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert main(["explore", "../result.json", "-o", "page"]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    Path("trace.txt").write_text("3 0 3 20\n0 1 all 5\n110 2 1 254\n")
    digest = json.loads(Path("result.json").read_text())["parameters"]["traffic"]["digest"]
    assert main(["explore", "result.json", "-o", "page"]) == 2
    error = capsys.readouterr().err
    assert "must be what its run gives now: parameters.traffic.digest is" in error and digest[:40] in error
    Path("trace.txt").unlink()
    why = f"trace file {str(tmp_path / 'trace.txt')!r} must be one that can be read: No such file or directory"
    refused(capsys, f"result 'result.json' must be of a run that can be recorded: {why}")
    Path("result.json").write_text(Path("result.json").read_text().replace("/trace.txt", "/trace\\u0000"))
    why = f"trace file {str(tmp_path / 'trace') + chr(0)!r} must be one that can be read: embedded null byte"
    refused(capsys, f"result 'result.json' must be of a run that can be recorded: {why}")


RING = {"command": "ring", "arguments": ["--dim", "3", "--nodes", "0,3"], "files": {}}
RECORDABLE = "result 'result.json' must be of a run that can be recorded:"
ALONE = "result 'result.json': run.arguments must be those of a run alone, without"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            {"error": "dim must be"},
            "result 'result.json' must have a \"run\", as a command with --json saves it; errors",
        ),
        ({}, "result 'result.json' must have a \"run\", as a command"),
        ([RING], "file 'result.json' must be a recording, or the result of a command with --json, not '[{"),
        ("nothing", "file 'result.json' must be a recording, or the result of a command with --json, not '\"nothing"),
        ({"run": 3}, "result 'result.json': run must be an object with command, arguments, files, not 3"),
        ({"run": {**RING, "more": 1}}, "result 'result.json': run must be an object with command, arguments, files,"),
        (
            {"run": {**RING, "command": "generate"}},
            "result 'result.json': run.command must be one of simulate, route, reduce, ring, load, not 'generate'",
        ),
        ({"run": {**RING, "command": ["ring"]}}, "result 'result.json': run.command must be one of"),
        (
            {"run": {**RING, "arguments": "--dim"}},
            "result 'result.json': run.arguments must be a list of texts, not '--",
        ),
        ({"run": {**RING, "arguments": [3]}}, "result 'result.json': run.arguments must be a list of texts, not [3]"),
        *(
            ({"run": {**RING, "arguments": [*RING["arguments"], word, "x"]}}, f"{ALONE} {word!r}")
            for word in ("--svg", "--svg=x", "-o", "-ox", "--out", "--explore=x", "--waves", "--booksim", "--messages")
        ),
        ({"run": {**RING, "arguments": ["--help"]}}, f"{ALONE} '--help'"),
        ({"run": {**RING, "files": []}}, "result 'result.json': run.files must be an object with messages, programs,"),
        (
            {"run": {**RING, "files": {"svg": 1}}},
            "result 'result.json': run.files must be an object with messages, pro",
        ),
        ({"run": {**RING, "files": {"values": 1}}}, f"{RECORDABLE} unrecognized arguments: --values"),
        ({"run": {**RING, "arguments": ["--dim", "3"]}}, f"{RECORDABLE} the following arguments are required: --nodes"),
        (
            {
                "run": Run(
                    "simulate", ["--dim", "2", "--router", "packet"], {"programs": {"nodes": {"4": []}}}
                )._asdict()
            },
            f"{RECORDABLE} nodes: key must be an integer from 0 to 3, not 4",
        ),
        *(
            ({"run": Run("reduce", ["--dim", "2", "--fault", "0,1,2,3", *more], {})._asdict()}, f"{RECORDABLE} {told}")
            for more, told in (([], "no sink: faults must"), (["--router", "crosspoint"], "no tree: members must"))
        ),
        ({"run": {**RING, "arguments": ["compare"]}}, f"{RECORDABLE} the following arguments are required: --dim"),
        (
            {"run": {**RING, "arguments": ["--dim", "11", "--nodes", "0,3"]}},
            f"{RECORDABLE} dim must be an integer from",
        ),
        ({"run": {**RING, "command": "load"}, "points": []}, "result 'result.json': points must be a list of objects,"),
        (
            {"run": {**RING, "command": "load"}, "points": [3]},
            "result 'result.json': points must be a list of objects,",
        ),
    ],
)
def test_hostile_results_are_refused(capsys, monkeypatch, tmp_path, content, told):
    """Whatever the file holds: one line that names it and the field, status 2; nothing is written or read for it."""
    monkeypatch.chdir(tmp_path)
    Path("result.json").write_text(json.dumps(content))
    assert main(["explore", "result.json", "-o", "page"]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1) and error.startswith(f"cubecast explore: {told}")
    assert [each.name for each in Path().iterdir()] == ["result.json"]


@pytest.mark.parametrize("depth", [500, *range(900, 1000, 9), 5000, 200_000])
def test_results_as_deep_as_they_like_are_refused(capsys, monkeypatch, tmp_path, depth):
    """Lists in lists, wherever they are: one line."""
    monkeypatch.chdir(tmp_path)
    deep = "[" * depth + "]" * depth
    for text in (
        deep,
        f'{{"run": {deep}}}',
        json.dumps({"run": {**RING, "files": {"values": 1}}}).replace("1}", f"{deep}}}"),
        json.dumps({"run": RING, "ring": 1}).replace('"ring": 1', f'"ring": {deep}'),
    ):
        Path("result.json").write_text(text)
        assert main(["explore", "result.json", "-o", "page"]) == 2
        out, error = capsys.readouterr()
        assert (out, error.count("\n")) == ("", 1) and "'result.json'" in error and not Path("page").exists()


def test_a_rate_is_for_loads_alone(capsys, monkeypatch, tmp_path):
    """Neither a recording nor the result of another command takes it."""
    monkeypatch.chdir(tmp_path)
    Path("result.json").write_text(json.dumps({"run": RING}))
    told = "rate must be given with a result of cubecast load alone, not"
    refused(capsys, f"{told} of cubecast ring", "--rate", "0.2")
    Path("result.json").write_text('{"format": "cubecast recording"}\n')
    refused(capsys, f"{told} with a recording", "--rate", "0.2")


def test_no_option_that_writes_or_reads_is_part_of_a_run():
    """Options of all commands that are recorded: those that name a place or a file are known as such."""
    for command in COMMANDS:
        (commands,) = [
            action for action in parser([command])._actions if isinstance(action, argparse._SubParsersAction)
        ]
        for action in commands.choices[command]._actions:
            if action.type in (file_name, folder_name):
                assert {*action.option_strings} <= {*PLACES}, (command, action.dest)
            elif action.type is Path:
                assert action.dest in FILES, (command, action.dest)
