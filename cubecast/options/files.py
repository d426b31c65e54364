"""Output files: complete or not there at all, and nothing but a regular file is ever replaced.

Every file that a command writes is written here: under a temporary name beside its place, closed, and then renamed. A
symbolic link is followed, so that the file behind it changes and the link stays. What is no file - a folder, a device,
a FIFO, a socket - is refused, and so is a file that is also read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from cubecast.options.usage import ToolError, UsageError, shown

__all__ = [
    *("apart", "left_before", "new_rights", "output_file", "output_folder", "path_of", "place_file"),
    *("write_file", "write_files"),
]

USAGE = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ),
}
"""What is wrong with a place that was named; anything else, such as a full disk, is the machine's failure."""

KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
    (stat.S_ISFIFO, "FIFO"),
    (stat.S_ISSOCK, "socket"),
)


def path_of(name: str, value: object, what: str) -> Path:
    """Return the path that a parameter of a function has for the name of ``what``, a file or a folder.

    Raises
    ------
    UsageError
        It is no name, or empty, which would be the working folder.
    """
    try:
        if value != "":
            return Path(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise UsageError(f"{name} must be the name of a {what}, not {shown(value)}")


def output_file(path: Path, what: str = "output file", inputs: Sequence[Path] = ()) -> Path:
    """Return the place where an output goes: ``path``, or what it leads to as a symbolic link.

    Parameters
    ----------
    path : Path
        As it was named.
    what : str
        What the file is called in errors.
    inputs : sequence of Path
        Files that the command reads: they must not be overwritten.

    Raises
    ------
    UsageError
        There is something else than a regular file, or one that is also read or printed to, or that must not be
        written; or the folder does not exist or must not be written into.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _refused(path, what, error) from error
    if mode is not None and not stat.S_ISREG(mode):
        kind = next((name for known, name in KINDS if known(mode)), "special file")
        raise UsageError(f"{what} must be a file that can be written, not the {kind} {shown(str(path))}")
    if mode is not None and any(os.path.exists(given) and os.path.samefile(place, given) for given in inputs):
        raise UsageError(f"{what} must be another file than those that are read, not {shown(str(path))}")
    if mode is not None and any(os.path.samestat(os.stat(place), os.fstat(number)) for number in (1, 2)):
        raise UsageError(f"{what} must be another file than the one printed to, not {shown(str(path))}")
    if not place.parent.is_dir():
        raise UsageError(f"{what} must be a file in an existing folder, not {shown(str(path))}")
    if not os.access(place.parent, os.W_OK | os.X_OK) or (mode is not None and not os.access(place, os.W_OK)):
        raise _refused(path, what, OSError(errno.EACCES, os.strerror(errno.EACCES)))
    return place


def output_folder(folder: Path, names: Sequence[str] = (), inputs: Sequence[Path] = ()) -> None:
    """See that files can be written into a folder, which may still have to be made; nothing stays there.

    Parameters
    ----------
    folder : Path
        As it was named.
    names : sequence of str
        Files that will be written there.
    inputs : sequence of Path
        Files that the command reads: they must not be overwritten.

    Raises
    ------
    UsageError
        It is no folder, or cannot be made or written into; or one of the files cannot, see :func:`output_file`.
    ToolError
        The machine failed, such as a full disk.
    """
    try:
        there = next(place for place in (folder, *folder.absolute().parents) if _exists(place))
        if not stat.S_ISDIR(os.stat(there).st_mode):
            wrong = errno.EEXIST if there == folder else errno.ENOTDIR
            raise OSError(wrong, os.strerror(wrong))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _refused(folder, "folder", error) from error
    try:
        # Rights do not tell all: nobody can make anything in /proc.
        os.rmdir(tempfile.mkdtemp(prefix=".cubecast-", dir=there))
    except OSError as error:
        raise _failed(folder, "folder", error) from error
    if there == folder:
        for name in names:
            output_file(folder / name, inputs=inputs)


def apart(files: Sequence[Path], others: Sequence[Path], what: str, option: str) -> None:
    """See that outputs of one command are different files, and that none has the name of another one's folder.

    Parameters
    ----------
    files : sequence of Path
        As they were named.
    others : sequence of Path
        Those of another option.
    what : str
        What the first ones are called in errors.
    option : str
        The other option.

    Raises
    ------
    UsageError
        Two of them are in one place.
    """
    places = [Path(os.path.realpath(other)) for other in others]
    for path in files:
        place = Path(os.path.realpath(path))
        if any(place == other or place in other.parents or other in place.parents for other in places):
            raise UsageError(f"{what} must be in another place than the files of {option}, not {shown(str(path))}")


def _exists(place: Path) -> bool:
    """Return whether there is something of this name, be it a link to nowhere; a name that cannot be raises."""
    try:
        os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def write_file(path: Path, text: str | bytes, inputs: Sequence[Path] = ()) -> None:
    """Write one file; its folder must exist.

    Raises
    ------
    UsageError
        The file cannot be written there; see :func:`output_file`.
    ToolError
        The machine failed, such as a full disk; what was there before is still there.
    """
    _write({path: text}, inputs)


def write_files(folder: Path, contents: Mapping[str, str | bytes], inputs: Sequence[Path] = ()) -> list[Path]:
    """Write files into a folder, which is made if needed: all under temporary names first, then all renamed.

    Parameters
    ----------
    folder : Path
        Where to.
    contents : dict
        File name to content: text, or bytes as they are.
    inputs : sequence of Path
        Files that the command reads: they must not be overwritten.

    Returns
    -------
    list of Path
        The files written, in the order given.

    Raises
    ------
    UsageError
        The folder cannot be made or written into; nothing is left behind.
    ToolError
        The machine failed; nothing is left behind.
    """
    output_folder(folder)
    paths = {folder / name: content for name, content in contents.items()}
    made = [place for place in (folder, *folder.parents) if not _exists(place)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(paths, inputs)
    except BaseException as error:
        for place in made:
            with contextlib.suppress(OSError):
                place.rmdir()
        if isinstance(error, OSError):
            raise _failed(folder, "folder", error) from error
        raise
    return list(paths)


def left_before(folder: Path, sometimes: str, written: Container[str]) -> str:
    """Return a line about files of a run before that still stand in a folder, empty if there are none.

    Parameters
    ----------
    folder : Path
        What was written into.
    sometimes : str
        Regular expression of the names of files that some runs write, and others do not.
    written : container of str
        The names that were written now.
    """
    names = [path.name for path in folder.iterdir() if re.fullmatch(sometimes, path.name) and path.name not in written]
    return f"of a run before, still in {folder}: {', '.join(sorted(names))}" if names else ""


def place_file(
    source: Path, path: Path, what: str = "output file", check: Callable[[Path], None] | None = None
) -> None:
    """Copy a file that is complete to the place of an output, as :func:`write_file` writes.

    Parameters
    ----------
    source : Path
        The file.
    path : Path
        Where to.
    what : str
        What it is called in errors.
    check : function
        Reads the copy before it gets its name, and raises :class:`ToolError` or ``OSError`` if it is not whole.

    Raises
    ------
    UsageError, ToolError
        As of :func:`write_file`.
    """
    with _beside(path, what, ()) as (temporary, place):
        with source.open("rb") as read, open(temporary, "wb") as written:
            shutil.copyfileobj(read, written)
            _settle(written)
        if check is not None:
            check(temporary)
        _rename(temporary, place)


def _write(contents: Mapping[Path, str | bytes], inputs: Sequence[Path] = ()) -> None:
    """Write every file under a temporary name beside its place, then rename all of them."""
    with contextlib.ExitStack() as stack:
        made = []
        for path, content in contents.items():
            temporary, place = stack.enter_context(_beside(path, "output file", inputs))
            made.append((temporary, place))
            with open(temporary, "wb") as file:
                # A text may hold names of files, which need not be UTF-8.
                file.write(content.encode(errors="surrogateescape") if isinstance(content, str) else content)
                _settle(file)
        for temporary, place in made:
            _rename(temporary, place)


@contextlib.contextmanager
def _beside(path: Path, what: str, inputs: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Give a new file beside the place of an output, and that place; afterwards the new file is gone."""
    place = output_file(path, what, inputs)
    temporary = None
    try:
        # The name has nothing of the file's own, which may already be as long as names can be.
        handle, name = tempfile.mkstemp(prefix=".cubecast-", dir=place.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary, place
    except OSError as error:
        raise _failed(path, what, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _settle(file: BinaryIO) -> None:
    """Let the machine say now, not after the renaming, that there is no room for what was written."""
    file.flush()
    os.fsync(file.fileno())


def _rename(temporary: Path, place: Path) -> None:
    """Give a file its name, and the rights that the file before it had, or those of any new file."""
    try:
        before = os.stat(place)
        os.chmod(temporary, stat.S_IMODE(before.st_mode))
        with contextlib.suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
    except FileNotFoundError:
        os.chmod(temporary, new_rights())
    os.replace(temporary, place)


def new_rights() -> int:
    """Return the rights of any new file; temporary ones are for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _failed(path: Path, what: str, error: OSError) -> UsageError | ToolError:
    """Return what to raise for an error of the system: the named place is wrong, or the machine failed."""
    if error.errno in USAGE:
        return _refused(path, what, error)
    return ToolError(f"{what} {shown(str(path))} could not be written: {error.strerror}; nothing of it is kept")


def _refused(path: Path, what: str, error: OSError) -> UsageError:
    """Return the error about a place where nothing can be written."""
    return UsageError(f"{what} {shown(str(path))} must be one that can be written: {error.strerror}")
