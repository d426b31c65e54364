"""Output files that are complete or not there at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cubecast.options.usage import UsageError

__all__ = ["write_file", "write_files"]


def write_file(path: Path, text: str) -> None:
    """Write one file as :func:`write_files` does; its folder must exist.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    _write({path: text})


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder, which is made if needed: all under temporary names first, then all renamed.

    Parameters
    ----------
    folder : Path
        Where to.
    contents : dict
        File name to content: text, or bytes as they are.

    Returns
    -------
    list of Path
        The files written, in the order given.

    Raises
    ------
    UsageError
        The folder cannot be made or written into; nothing is left behind.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"folder {str(folder)!r} must be one that can be made: {error.strerror}") from error
    paths = {folder / name: content for name, content in contents.items()}
    _write(paths)
    return list(paths)


def _write(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file under a temporary name beside its place, then rename."""
    made: list[tuple[str, Path]] = []
    path = Path()
    try:
        for path, content in contents.items():
            if path.is_dir():
                raise UsageError(f"output file must be a file that can be written, not the folder {str(path)!r}")
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            made.append((name, path))
            with open(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
        mask = os.umask(0)
        os.umask(mask)
        for name, path in made:
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, path)
    except OSError as error:
        raise UsageError(f"output file {str(path)!r} must be one that can be written: {error.strerror}") from error
    finally:
        for name, _ in made:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
