"""The shared library of Python, in which a simulator runs the testbench: found, or fetched once.

Debian and Ubuntu keep it in a package of its own that Python does not need. A step of ``make setup``,
``python -m cubecast.tb.harness.libpython``, takes it out of that package into the virtual environment when the machine
does not have it.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from find_libpython import find_libpython

from cubecast.options.files import place_file
from cubecast.options.usage import ToolError, UsageError

__all__ = ["LibpythonError", "fetch", "libpython", "main"]

PACKAGE = f"libpython3.{sys.version_info.minor}"
FILE = f"{PACKAGE}.so.1.0"


class LibpythonError(ToolError):
    """The shared library of Python is nowhere to be had; one line says what to do."""

    def __init__(self) -> None:
        super().__init__(f"the shared library of Python ({FILE}) is missing: apt install {PACKAGE}")


@functools.cache
def libpython() -> Path:
    """Return the path of the shared library: the one fetched into this environment, or the machine's.

    Raises
    ------
    LibpythonError
        There is neither.
    """
    fetched = Path(sys.prefix, "lib", FILE)
    if fetched.exists():
        return fetched
    if found := find_libpython():
        return Path(found)
    raise LibpythonError


def fetch() -> Path:
    """Unpack Debian's package into the virtual environment, without a change to the system, and return the library.

    Raises
    ------
    LibpythonError
        There is no apt-get, or it does not know or reach the package.
    UsageError, ToolError
        The library cannot be written; nothing of it is left.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise LibpythonError
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A second try with fresh package lists of its own, for machines that keep none.
        lists, cache = folder / "lists", folder / "cache"
        (lists / "partial").mkdir(parents=True)
        (cache / "archives" / "partial").mkdir(parents=True)
        own = ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={cache}", "-o", "APT::Sandbox::User=root"]
        if not _download(folder, []) and not (_apt(folder, [*own, "update"]) and _download(folder, own)):
            raise LibpythonError
        archive = next(folder.glob(f"{PACKAGE}_*.deb"))
        subprocess.run(["dpkg-deb", "--extract", archive, folder / "unpacked"], check=True)
        place = Path(sys.prefix, "lib", FILE)
        # What stands there is taken for whole, by the next setup too.
        place_file(next((folder / "unpacked").rglob(FILE)), place, "library")
        return place


def _apt(folder: Path, arguments: list[str]) -> bool:
    """Run apt-get in a folder; return whether it did its work."""
    return subprocess.run(["apt-get", "-qq", *arguments], cwd=folder, capture_output=True, check=False).returncode == 0


def _download(folder: Path, options: list[str]) -> bool:
    """Download the package into a folder; return whether it is there."""
    return _apt(folder, [*options, "download", PACKAGE])


def main() -> int:
    """Find the library, or fetch it; return the exit status: 0, or 3 if there is none then."""
    try:
        libpython()
    except LibpythonError:
        try:
            print(f"fetched {fetch()}")
        except (ToolError, UsageError) as error:
            print(f"cubecast: {error}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
