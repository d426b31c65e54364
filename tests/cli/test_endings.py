"""How commands end: their exit statuses, one line for whatever went wrong, and the same as JSON."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from cubecast.cli import main
from cubecast.options.ending import concluded
from cubecast.options.usage import ToolError, UsageError

ROUTE = ["route", "--dim", "3", "--source", "0", "--dest", "5"]
PYTHON = [sys.executable, "-m", "cubecast"]


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, in which ``"$@"`` is the command line of cubecast with these arguments."""
    return subprocess.run(["sh", "-c", line, "sh", *PYTHON, *arguments], capture_output=True, text=True, check=False)


def failing(error: BaseException):
    """Return a command that ends with this exception."""

    def run() -> int:
        raise error

    return run


ENDS = [
    (UsageError("dim must be 2, not 3"), 2, "dim must be 2, not 3"),
    (ToolError("g++ is missing"), 3, "g++ is missing"),
    (OSError(28, "No space left on device"), 3, "No space left on device"),
    (OSError(30, "Read-only file system", "some/file"), 3, "'some/file': Read-only file system"),
    (MemoryError(), 3, "the machine has not enough memory"),
    (KeyboardInterrupt(), 130, "interrupted"),
]


@pytest.mark.parametrize(("error", "status", "line"), ENDS, ids=[line for _, _, line in ENDS])
def test_every_end_is_one_line(capsys, error, status, line):
    """On standard error; with --json an object on standard output besides."""
    assert concluded("prog", failing(error), []) == status
    assert capsys.readouterr() == ("", f"prog: {line}\n")
    assert concluded("prog", failing(error), ["--json"]) == status
    out, err = capsys.readouterr()
    assert (json.loads(out), err) == ({"error": line}, f"prog: {line}\n")


def test_a_fault_of_the_program_is_not_taken_for_a_mismatch(capsys):
    """Status 3 and a traceback, which whoever mends it needs."""
    assert concluded("prog", failing(KeyError("no")), []) == 3
    err = capsys.readouterr().err
    assert "Traceback" in err and err.endswith("prog: a fault of this program: KeyError\n")


BAD = {
    "route": ["--dim", "3", "--source", "9", "--dest", "1"],
    "generate": ["router", "--dim", "99", "-o", "none"],
    "simulate": ["--dim", "3", "--messages", "none.json"],
    "load": ["--router", "crosspoint", "--dim", "99"],
    "reduce": ["--dim", "3", "--fault", "9"],
    "ring": ["--dim", "3", "--nodes", "9"],
}


@pytest.mark.parametrize("command", BAD)
@pytest.mark.parametrize("more", [["--json"], ["--json", "--nonsense"]])
def test_errors_of_all_commands_are_json_too(capsys, tmp_path, monkeypatch, command, more):
    """Those that the command finds and those of its options, and the line stays."""
    monkeypatch.chdir(tmp_path)
    assert main([command, *BAD[command], *more]) == 2
    out, err = capsys.readouterr()
    assert err == f"cubecast{'' if len(more) == 2 else f' {command}'}: {json.loads(out)['error']}\n"
    assert err.count("\n") == 1


def test_no_sink_is_json_too(capsys):
    """All nodes are faulty."""
    assert main(["reduce", "--dim", "2", "--fault", "0,1,2,3", "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == f"cubecast reduce: {json.loads(out)['error']}\n"


@pytest.mark.parametrize("arguments", [ROUTE, [*ROUTE, "--json"], ["--help"], ["--version"]], ids=lambda a: a[-1])
def test_standard_output_that_takes_nothing(tmp_path, arguments):
    """Closed, or on a disk that is full: one line and status 3."""
    done = shell('exec "$@" >&-', *arguments)
    prog = "cubecast route" if arguments[0] == "route" else "cubecast"
    assert (done.returncode, done.stderr) == (3, f"{prog}: standard output is closed\n")
    done = shell(f'ulimit -f 0; exec "$@" > {tmp_path}/out', *arguments)
    assert (done.returncode, done.stderr) == (3, f"{prog}: standard output cannot be written: File too large\n")


def test_more_than_a_buffer_of_output_that_nothing_takes(tmp_path):
    """Then writing fails before the end."""
    large = ["route", "--dim", "12", "--source", "0", "--broadcast"]
    done = shell(f'ulimit -f 0; exec "$@" > {tmp_path}/out', *large)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "File too large" in done.stderr
    done = shell('{ "$@"; echo $? >&2; } | true', *large)
    assert done.stderr == f"{128 + signal.SIGPIPE}\n"


def test_a_closed_standard_error_changes_nothing(tmp_path):
    """What would be said there is not printed between the results, nor into a file that is opened."""
    done = shell('exec "$@" 2>&-', *ROUTE, "--svg", str(tmp_path / "tree.svg"))
    assert done.returncode == 0 and done.stdout.startswith("greedy in a 3-cube")
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    done = shell('exec "$@" 2>&-', "route", "--dim", "99", "--source", "0", "--dest", "1", "--json")
    assert done.returncode == 2 and json.loads(done.stdout)["error"].startswith("dim must be")


def test_a_name_of_bytes_that_are_no_text(tmp_path):
    """It is printed with an escape."""
    name = os.fsdecode(bytes(tmp_path) + b"/tree\xff.svg")
    done = shell('exec "$@"', *ROUTE, "--svg", name)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith("tree\\udcff.svg\n")
    assert os.path.exists(name)


STRUCK = """
import os, signal, sys, time
# A shell that starts tests in the background lets them ignore the interrupt key, nohup the end of the terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from amaranth.hdl import Elaboratable
from cubecast.cli import main
from cubecast.rtl.common import verilog

class Unit(Elaboratable):
    def elaborate(self, platform):
        pass

def write(component, *rest, **more):
    unused = Unit()
    os.kill(os.getpid(), {number})
    # Another thread may get the signal, and the main one hear of it later.
    time.sleep(60)

verilog.write = write
sys.exit(main(["generate", "mhu", "--dim", "2", "-o", {folder!r}]))
"""


@pytest.mark.core
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_says_interrupted_and_no_more(tmp_path, number, status):
    """While Verilog is made, when Amaranth would warn of a component that is never used; and nothing is written."""
    code = STRUCK.format(number=int(number), folder=str(tmp_path / "out"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "cubecast generate: interrupted\n")
    assert os.listdir(tmp_path) == []


IGNORED = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from cubecast.options.ending import concluded

class Struck:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(60)

def run():
    Struck()
    time.sleep(60)

sys.exit(concluded("prog", run, []))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_is_heard_wherever_it_comes(number, status):
    """Python drops exceptions of the end of an object, such as one that Amaranth warns of."""
    code = IGNORED.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "prog: interrupted\n")


HEARING = """
import signal, sys
# As in STRUCK: tests may run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from cubecast.cli import main
sys.exit(main())
"""


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_the_terminal_under_load(number, status):
    """Points that are measured by several processes are given up, and none is begun."""
    line = "load --router crosspoint --dim 4 --engine golden --cycles 20000 --jobs 2"
    start = [sys.executable, "-c", HEARING, *line.split()]
    with subprocess.Popen(start, start_new_session=True, stderr=subprocess.PIPE, text=True) as command:
        try:
            while "points done" not in command.stderr.readline():
                assert command.poll() is None
            os.killpg(command.pid, number)
            # A point takes longer than that.
            _, err = command.communicate(timeout=20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(command.pid, signal.SIGKILL)
    assert command.returncode == status and err.splitlines()[-1] == "cubecast load: interrupted"
    assert "Traceback" not in err and "tracker" not in err


TURNED = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from cubecast.options.ending import concluded

def run():
    try:
        os.kill(os.getpid(), {number})
        time.sleep(60)
    except KeyboardInterrupt:
        raise ImportError("Importing the numpy C-extensions failed.")

sys.exit(concluded("prog", run, []))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_becomes_another_exception(number, status):
    """As NumPy makes of it while it is loaded: it is no fault of the program."""
    code = TURNED.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "prog: interrupted\n")


LOADING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)

class Striking:
    def find_spec(self, name, *rest):
        if name == "cubecast.cli":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)

sys.meta_path.insert(0, Striking())
from cubecast.__main__ import main
sys.exit(main())
"""


def test_the_interrupt_key_while_modules_are_loaded():
    """One line, too, from the first module of ours on."""
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "cubecast: interrupted\n")


@pytest.mark.parametrize("variable", ["YOSYS=/nowhere/yosys", "AMARANTH_USE_YOSYS=none"])
def test_a_yosys_that_is_none_is_one_line(tmp_path, variable):
    """Status 3, the variable of the user's shell is named, and nothing is written."""
    name, _, value = variable.partition("=")
    command = [sys.executable, "-m", "cubecast", "generate", "mhu", "--dim", "2", "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {name: value})
    line = "cubecast generate: no Yosys of 0.40 or newer can be started; "
    line += f"{variable} must name one that runs, or be unset\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", line)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "command",
    ["cubecast generate mhu --dim 2 -o", 'cubecast.tb common.arbiter --config {"count":2} --cycles 9 --waves'],
)
def test_a_yosys_that_is_too_old_is_one_line(tmp_path, command):
    """The same, also where a testbench is built."""
    program = tmp_path / "yosys"
    program.write_text("#!/bin/sh\necho Yosys 0.39\n")
    program.chmod(0o755)
    env = os.environ | {"YOSYS": str(program), "CUBECAST_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-m", *command.split(), str(tmp_path / "out")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    line = f"no Yosys of 0.40 or newer can be started; YOSYS={program} must name one that runs, or be unset"
    assert (done.returncode, done.stdout) == (3, "") and done.stderr.splitlines()[-1].endswith(f": {line}")
    assert not (tmp_path / "out").exists()
