"""Outputs of all commands: regular files, whole or not there, and nothing else is ever replaced or harmed."""

import os
import re
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.options.files import place_file, write_file, write_files
from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness import yosys
from cubecast.tb.measure import synthesis
from tests.harness.disk import small_disk

LOADED = ["load", "--router", "crosspoint", "--dim", "2", "--engine", "golden"]
LOAD = [*LOADED, "--rates", "0.1", "--cycles", "100"]
ROUTE = ["route", "--dim", "3", "--source", "0", "--dest", "5"]
COMMANDS = {
    "route": [*ROUTE, "--svg"],
    "reduce": ["reduce", "--dim", "3", "--svg"],
    "ring": ["ring", "--dim", "3", "--nodes", "0,3", "--svg"],
    "simulate": ["simulate", "--dim", "2", "--messages", "m.json", "--waves"],
}
"""Commands that write one file; its name is to follow."""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Work in a folder of its own that holds a file of messages."""
    monkeypatch.chdir(tmp_path)
    Path("m.json").write_text('[{"source": 0, "destinations": [3]}]')


def make_fifo() -> None:
    """Make a FIFO."""
    os.mkfifo("it")


def make_socket() -> None:
    """Make a socket."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("it")


def make_device() -> None:
    """Make a link to a terminal of nobody, a device that no file can ever take the place of."""
    Path("it").symlink_to(os.ttyname(os.openpty()[1]))


def make_link_to_fifo() -> None:
    """Make a link to a FIFO."""
    os.mkfifo("behind")
    Path("it").symlink_to("behind")


SPECIAL = {
    "FIFO": make_fifo,
    "socket": make_socket,
    "device": make_device,
    "link": make_link_to_fifo,
    "folder": lambda: Path("it").mkdir(),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_regular_file_is_refused_and_stays(capsys, command, kind):
    """One line with status 2 before anything is computed or built; the thing is what it was."""
    SPECIAL[kind]()
    before = sorted((name, os.lstat(name).st_mode, os.lstat(name).st_ino) for name in os.listdir())
    assert main([*COMMANDS[command], "it"]) == 2
    out, err = capsys.readouterr()
    said = {"link": "FIFO"}.get(kind, kind)
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"cubecast {command}: ") and err.endswith(f"written, not the {said} 'it'\n")
    assert sorted((name, os.lstat(name).st_mode, os.lstat(name).st_ino) for name in os.listdir()) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["", "new/", "none/new.svg", "m.json/new.svg", "a" * 256])
def test_names_that_no_file_can_have(capsys, command, name):
    """Empty, of a folder, in a folder that is not there or is a file, and too long."""
    assert main([*COMMANDS[command], name]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith(f"cubecast {command}: ")
    assert os.listdir() == ["m.json"]


@pytest.mark.parametrize(
    ("line", "option", "what"),
    [
        ("route --dim 3 --source 0 --dest 5 --svg -", "--svg", "file"),
        ("route --dim 3 --source 0 --dest 5 --explore -", "--explore", "folder"),
        ("simulate --dim 2 --messages m.json --waves -", "--waves", "file"),
        ("explore m.json -o -", "-o/--output", "folder"),
        ("explore - -o new", "FILE", "file"),
        ("generate mhu --dim 2 -o -", "-o", "folder"),
        (" ".join([*LOAD, "-o", "-"]), "-o/--out", "folder"),
    ],
)
def test_a_dash_is_no_name(capsys, line, option, what):
    """It would be a file or folder of that name, where others mean a stream."""
    assert main(line.split()) == 2
    stream = "standard output" if what == "folder" else "standard input and output"
    told = f"argument {option}: must be the name of a {what}, not '-': {stream} "
    err = capsys.readouterr().err
    assert err == f"cubecast {line.split()[0]}: {told}{'is' if what == 'folder' else 'are'} not taken\n"
    assert os.listdir() == ["m.json"]


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("simulate --dim 2 --messages", "--messages"),
        ("simulate --dim 2 --router packet --programs", "--programs"),
        ("reduce --dim 2 --values", "--values"),
        ("load compare", "RESULT"),
    ],
)
def test_an_empty_name_of_what_is_read(capsys, line, option):
    """It is not the working folder."""
    assert main([*line.split(), ""]) == 2
    assert capsys.readouterr().err.endswith(f": argument {option}: must be the name of a file, not ''\n")


def test_a_link_that_leads_round_is_refused(capsys):
    """Two links that lead to each other."""
    Path("one").symlink_to("two")
    Path("two").symlink_to("one")
    assert main([*ROUTE, "--svg", "one"]) == 2
    assert "Too many levels of symbolic links" in capsys.readouterr().err


@pytest.mark.parametrize("there", [False, True])
def test_a_link_is_followed(there):
    """The file behind it is written, with the rights that it had; the link stays."""
    Path("behind").mkdir()
    if there:
        Path("behind/file").write_text("old")
        os.chmod("behind/file", 0o640)
    Path("link").symlink_to("behind/file")
    assert main([*ROUTE, "--svg", "link"]) == 0
    assert os.readlink("link") == "behind/file"
    assert Path("behind/file").read_text().startswith("<svg")
    assert not there or stat.S_IMODE(os.stat("behind/file").st_mode) == 0o640
    assert os.listdir("behind") == ["file"]


def test_what_is_read_is_not_overwritten(capsys, tmp_path):
    """Messages and values, by any of their names; and the file that standard output goes to."""
    Path("values.json").write_text("[[1], [2], [3], [4]]")
    os.link("values.json", "also")
    values = ["reduce", "--dim", "2", "--values", "values.json", "--svg"]
    for arguments in ([*COMMANDS["simulate"], "m.json"], [*values, "values.json"], [*values, "also"]):
        before = Path(arguments[-1]).read_text()
        assert main(arguments) == 2
        assert "must be another file than those that are read" in capsys.readouterr().err
        assert Path(arguments[-1]).read_text() == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("X/index.html", "X"),
        ("X/recording.jsonl", "X/../X"),
        ("link", "X"),
        ("new", "new"),
        ("new", "new/deeper"),
    ],
)
def test_outputs_in_one_place_are_refused(capsys, command, name, folder):
    """Before anything is written: the same file by any name, or a file where another one's folder is to be."""
    Path("X").mkdir()
    Path("link").symlink_to("X/index.html")
    assert main([*COMMANDS[command], name, "--explore", folder]) == 2
    out, err = capsys.readouterr()
    what = "waves" if command == "simulate" else "output file"
    told = f"{what} must be in another place than the files of --explore, not {name!r}"
    assert (out, err) == ("", f"cubecast {command}: {told}\n")
    assert sorted(os.listdir()) == ["X", "link", "m.json"] and not os.listdir("X")


def test_results_of_a_load_are_not_where_its_page_is(capsys):
    """Nor is one a folder that the other needs; both may be in one folder."""
    for out, explore in (("X", "X/load.json"), ("X/index.html", "X"), ("X", "X/points.jsonl")):
        assert main([*LOAD, "-o", out, "--explore", explore]) == 2
        assert "out must be in another place than the files of --explore, not 'X/" in capsys.readouterr().err
    assert os.listdir() == ["m.json"]
    assert main([*LOAD, "-o", "X", "--explore", "X"]) == 0
    assert {"index.html", "load.json", "points.jsonl"} < {*os.listdir("X")}


@pytest.mark.parametrize(
    "line",
    [
        "route --dim 3 --source 0 --dest 5 --svg new.svg",
        "route --router crosspoint --dim 3 --source 0 --dest 5",
        "reduce --dim 2 --svg new.svg",
        "reduce --router crosspoint --dim 2",
        "ring --dim 3 --nodes 0,3 --svg new.svg",
        " ".join(LOAD),
    ],
)
def test_the_text_ends_with_where_picture_and_page_are(capsys, line):
    """And only then does it name them."""
    said = ["picture: new.svg"] * ("--svg" in line) + ["page: X/index.html"]
    assert main([*line.split(), "--explore", "X"]) == 0
    assert capsys.readouterr().out.splitlines()[-len(said) :] == said
    assert {"index.html", *(["new.svg"] if "--svg" in line else [])} <= {*os.listdir(), *os.listdir("X")}
    if "--svg" not in line:
        assert main(line.split()) == 0
        printed = capsys.readouterr().out
        assert "page" not in printed and not printed.endswith("\n\n")


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("text", [*ROUTE, "--svg", "text"]),
        ("points.jsonl", ["study", "lan-hamming", "--quick", "-o", "."]),
        ("points.jsonl", [*LOAD, "-o", "."]),
    ],
)
def test_what_is_printed_to_is_not_replaced(capfd, file, command):
    """It would take the place of the file that the text still goes to, or hold both."""
    kept = os.dup(1)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT)
    os.dup2(handle, 1)
    try:
        assert main(command) == 2
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(handle)
    error = capfd.readouterr().err
    assert "must be another file than the one printed to, not '" in error and file in error
    assert Path(file).read_bytes() == b""


@pytest.mark.parametrize("arguments", [["generate", "mhu", "--dim", "2"], ["study", "lan-5.3", "--quick"]])
def test_folders_that_cannot_be(capsys, monkeypatch, arguments):
    """An empty name is not the working folder; a file, a FIFO, a link to nowhere and what lies below are refused."""
    monkeypatch.setattr("cubecast.cli.generate.generate", None)
    os.mkfifo("fifo")
    Path("link").symlink_to("nowhere")
    before = sorted(os.listdir())
    for name in ("", "m.json", "fifo", "link", "m.json/out", "link/out", "a" * 256):
        assert main([*arguments, "-o", name]) == 2, name
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and "folder" in err
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("name", ["/proc/x", "/proc"])
def test_a_folder_in_which_nobody_can_make_anything(capsys, monkeypatch, name):
    """It is refused before anything is built, though the superuser has the right to."""
    monkeypatch.setattr("cubecast.cli.generate.generate", None)
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    assert main(["generate", "mhu", "--dim", "2", "-o", name]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"cubecast generate: folder '{name}' must be one that can be written: ")


def test_a_full_disk_is_status_3_and_harms_nothing(capsys):
    """The picture from before is still there, and nothing else."""
    Path("tree.svg").write_text("old")
    with small_disk(1000):
        assert main([*ROUTE, "--svg", "tree.svg"]) == 3
    line = "cubecast route: output file 'tree.svg' could not be written: File too large; nothing of it is kept\n"
    assert capsys.readouterr() == ("", line)
    assert Path("tree.svg").read_text() == "old" and sorted(os.listdir()) == ["m.json", "tree.svg"]


def test_a_full_disk_for_temporary_files_is_named():
    """Those that Yosys reads."""
    told = re.escape(f"temporary file in {tempfile.gettempdir()!r} could not be written (TMPDIR names another folder)")
    with small_disk(1000), pytest.raises(ToolError, match=f"{told}: File too large"):
        yosys.run(["-q", "-"], folder=".", stdin="#" * 2000)


def test_a_disk_that_is_full_behind_a_tool_is_named(monkeypatch):
    """What it wrote may be cut off though its status is 0."""
    told = re.escape(f"temporary file in {tempfile.gettempdir()!r} could not be written (TMPDIR names another folder)")
    with small_disk(1000), pytest.raises(ToolError, match=f"{told}: File too large"):
        yosys.run(["-h"], folder=".")
    monkeypatch.setattr(synthesis, "execute", lambda *given, **named: 0)
    with small_disk(1000), pytest.raises(ToolError, match=f"{told}: File too large"):
        synthesis.run_tool(["true"], Path())
    synthesis.run_tool(["true"], Path())


def test_a_text_with_a_name_that_is_no_utf_8_is_written_as_it_is():
    """As the views beside waves are, which name their file."""
    write_file(Path("view"), "dumpfile w\udcff.fst\n")
    assert Path("view").read_bytes() == b"dumpfile w\xff.fst\n"


def test_files_on_a_full_disk_come_all_or_not_at_all():
    """The folders made for them go again; those that were there stay."""
    Path("there").mkdir()
    with small_disk(1000), pytest.raises(ToolError, match="could not be written: File too large"):
        write_files(Path("there/new/newer"), {"small": "x", "large": "x" * 2000})
    assert os.listdir("there") == []
    with small_disk(1000), pytest.raises(ToolError):
        place_file(Path(__file__), Path("copy"))
    assert sorted(os.listdir()) == ["m.json", "there"]


def test_a_copy_that_is_not_whole_does_not_get_its_name():
    """What reads it says so."""

    def broken(path: Path) -> None:
        raise ToolError(f"{path.parent.name} is not readable")

    Path("copy").write_text("old")
    with pytest.raises(ToolError, match="is not readable"):
        place_file(Path("m.json"), Path("copy"), check=broken)
    assert Path("copy").read_text() == "old" and sorted(os.listdir()) == ["copy", "m.json"]


def test_the_longest_name():
    """A temporary name beside it is not longer than names can be."""
    write_file(Path("a" * 255), "text")
    assert sorted(os.listdir()) == ["a" * 255, "m.json"]
    with pytest.raises(UsageError, match="File name too long"):
        write_file(Path("a" * 256), "text")


def test_a_protected_file_is_not_replaced(monkeypatch):
    """The folder may be written, the file must not."""
    Path("mine").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "mine")
    with pytest.raises(UsageError, match="output file 'mine' must be one that can be written: Permission denied"):
        write_file(Path("mine"), "new")
    assert Path("mine").read_text() == "old"


READ = {
    "simulate": ["simulate", "--dim", "2", "--messages", "page/recording.jsonl", "--explore", "page"],
    "reduce": ["reduce", "--dim", "2", "--values", "page/index.html", "--explore", "page"],
    "explore": ["explore", "page/index.html", "-o", "page"],
    "compare": ["load", "compare", "page/compare.json", "page/recording.jsonl", "-o", "page"],
    "load": [*LOADED, "--traffic", "trace:page/recording.jsonl", "--explore", "page"],
    "kept": [*LOADED, "--traffic", "trace:page/points.jsonl", "-o", "page"],
    "saved": ["explore", "load.json", "-o", "page"],
}
"""Commands that read what they would write, in a folder with what each of them reads."""


@pytest.mark.parametrize("command", READ)
def test_what_is_read_is_not_overwritten_in_a_folder(capsys, command):
    """One line with status 2, and the file is what it was."""
    assert main([*ROUTE, "--explore", "page"]) == 0
    if command == "compare":
        capsys.readouterr()
        assert main([*LOAD, "--json"]) == 0
        result = capsys.readouterr().out
        for name in ("compare.json", "recording.jsonl"):
            Path("page", name).write_text(result)
    if command == "explore":
        Path("page/index.html").write_bytes(Path("page/recording.jsonl").read_bytes())
    if command in ("load", "kept", "saved"):
        for name in ("recording.jsonl", "points.jsonl"):
            Path("page", name).write_text("0 0 1 1\n")
        capsys.readouterr()
        assert main([*LOADED, "--traffic", "trace:page/recording.jsonl", "--json"]) == 0
        Path("load.json").write_text(capsys.readouterr().out)
    before = {path.name: path.read_bytes() for path in Path("page").iterdir()}
    capsys.readouterr()
    assert main(READ[command]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "must be another file than those that are read" in err
    assert {path.name: path.read_bytes() for path in Path("page").iterdir()} == before


def test_nothing_is_written_where_a_file_of_a_page_cannot_be(capsys):
    """Neither a picture before it."""
    Path("page/index.html").mkdir(parents=True)
    assert main([*ROUTE, "--svg", "new.svg", "--explore", "page"]) == 2
    assert capsys.readouterr().err.endswith("written, not the folder 'page/index.html'\n")
    assert not Path("new.svg").exists()
