"""Build: the campaign and a simulated network as one program, compiled once and kept in the cache."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.campaigns.saturation.parallel import RouterNetwork
from cubecast.tb.harness import runtime
from cubecast.tb.harness.builds import BLOCK_DESIGN
from cubecast.tb.harness.cache import cache_dir, digest, locked
from cubecast.tb.harness.modules import block_of
from cubecast.tb.harness.process import execute
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version, tool_version, verilator
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["ENGINES", "build", "compiled", "network", "verilated"]

ENGINES = ("parallel", "verilator")
"""What simulates the network: its gates on words that hold a bit of every node, or what Verilator makes of it."""

HERE = Path(__file__).resolve().parent

FLAT_DESIGN = 400_000
"""Lines of Verilog up to which a network that is to run fast is translated as a whole."""

FLAGS = ("-cc", "--exe", "--prefix", "Vtop", "--top-module", "top", "-Wno-fatal", "-Wno-lint", "--no-assert")


def network(config: Config) -> str:
    """Return the Verilog of the plain network, without the probes at its links."""
    return verilog_of("cubecast.rtl.multicast.network:Network", config)


def build(config: Config, verilog: str, *, engine: str = "verilator", speed: str = "run") -> Path:
    """Compile the campaign on a network, once; return the program.

    It lies below :func:`cubecast.tb.harness.cache.cache_dir`, in a folder named by a digest of everything it is made
    of; other processes wait for the one that makes it.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    verilog : str
        Its modules; the top module is ``top``.
    engine : str
        One of :data:`ENGINES`.
    speed : str
        ``"run"``: for long campaigns; ``"build"``: compile quickly.

    Raises
    ------
    SimulatorError
        A tool is missing or refuses the design.
    """
    if shutil.which("g++") is None:
        raise SimulatorError("g++ is missing: apt install g++")
    names = ("campaign.cpp", "chance.h", "packed.h", f"{engine}_model.h")
    files = {name: (HERE / name).read_text() for name in names}
    files["limits.h"] = _limits(config, engine)
    if engine == "parallel":
        files["parallel.h"] = (HERE.parents[1] / "engine" / "parallel.h").read_text()
        files["network.h"] = RouterNetwork(config, verilog).cpp()
        optimise = "-O1" if speed == "run" else "-O0"
        commands = [["g++", "-std=c++17", optimise, "-march=native", "-o", "campaign", "campaign.cpp"]]
        tools = _processor()
    else:
        fast = speed == "run"
        commands = verilated(files, verilog, "-O2" if fast else "-O0", FLAT_DESIGN if fast else BLOCK_DESIGN)
        tools = package_version("verilator")
    return compiled(f"{engine}-{config.dim}-{config.policy}", files, commands, tools)


def compiled(name: str, files: dict[str, str], commands: list[list[str]], tools: str) -> Path:
    """Compile a campaign, once, and return the program.

    Parameters
    ----------
    name : str
        What it is a campaign of, for its folder and for the line on standard error.
    files : dict
        Everything it is made of, by file name.
    commands : list of list of str
        What makes ``campaign`` of it.
    tools : str
        Versions of the tools besides the compiler.

    Raises
    ------
    SimulatorError
        A command failed.
    """
    key = digest(json.dumps(files), json.dumps(commands), tool_version("g++"), tools)
    folder = cache_dir() / "saturation" / f"{name}-{key}"
    program = folder / "campaign"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        if not program.exists():
            start = time.monotonic()
            print(f"saturation: building {name} ...", end="", file=sys.stderr, flush=True)
            try:
                _make(folder, files, commands)
            except BaseException:
                print(" failed", file=sys.stderr, flush=True)
                raise
            print(f" {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return program


def _limits(config: Config, engine: str) -> str:
    """Return ``limits.h``: the parameters that the campaign has to know, and the file with the simulated network."""
    names = ("dim", "width", "max_dest", "max_list", "max_data", "log_depth", "fault_tolerant", "source_field")
    values = config.to_json()
    lines = [f"static const unsigned {name.upper()} = {int(values[name])};" for name in names]
    return "\n".join([*lines, f'#define MODEL "{engine}_model.h"', ""])


def verilated(files: dict[str, str], verilog: str, optimise: str, flat: int = BLOCK_DESIGN) -> list[list[str]]:
    """Add a design's Verilog to the files, and return the commands that translate and compile them.

    Parameters
    ----------
    files : dict
        Files by name, with ``campaign.cpp``; of a large design, one that declares blocks is added.
    verilog : str
        The design; its top module is ``top``.
    optimise : str
        The compiler's option.
    flat : int
        Lines of Verilog up to which the design is translated as a whole: slower to build, faster to run.
    """
    program, _ = verilator()
    files["top.v"] = verilog
    block = block_of(verilog, "top", flat)
    translate = [program, *FLAGS, "-Mdir", ".", "-o", "campaign"]
    goal = ["-f", "Vtop.mk"]
    if block is not None:
        files["blocks.vlt"] = f'`verilator_config\nhier_block -module "{block}"\n'
        translate += ["--hierarchical", "blocks.vlt"]
        goal = ["-f", "Vtop_hier.mk", "hier_build"]
    settings = {
        "CXX": "g++",
        "LINK": "g++",
        "AR": "ar",
        "PYTHON3": sys.executable,
        # The wheel leaves this empty, which breaks designs of more than one file.
        "CFG_CXXFLAGS_PCH_I": "-include",
        "OPT_FAST": optimise,
        "OPT_GLOBAL": optimise,
        "OPT_SLOW": "-O0",
        # The best code takes longest; two processors share it, file by file.
        **({} if optimise == "-O2" else runtime.ONE_FILE),
    }
    make = ["make", "-j2", *goal, *(f"{name}={value}" for name, value in settings.items())]
    return [[*translate, "campaign.cpp", "top.v"], make]


def _processor() -> str:
    """Return what the compiler makes code for, so that a cache that has moved is not used."""
    done = subprocess.run(["g++", "-march=native", "-Q", "--help=target"], capture_output=True, text=True, check=False)
    return done.stdout


def _make(folder: Path, files: dict[str, str], commands: list[list[str]]) -> None:
    """Run the commands in a folder of their own, and keep the program."""
    if " " in str(folder):
        raise SimulatorError(f"nothing can be built in a folder with a space: set CUBECAST_CACHE, not {folder}")
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for name, text in files.items():
        (work / name).write_text(text)
    _, env = verilator()
    log = work / "build.log"
    kept = runtime.place(*(word for word in commands[-1] if "=" in word))
    for command in commands:
        # Only what is newer than the translation counts as made.
        runtime.restore(kept, work)
        if execute(command, cwd=work, env={**env, "MAKEFLAGS": ""}, log=log):
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
            raise SimulatorError(f"{Path(command[0]).name} failed:\n{tail}")
    runtime.keep(kept, work)
    (work / "campaign").replace(folder / "campaign")
    shutil.rmtree(work)
